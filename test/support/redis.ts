import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { inject } from 'vitest';

/** The Redis of this test run. Files keep apart by their prefix. */
export function redisUrl(): string {
  const url = inject('services').redisUrl;
  if (url === undefined)
    throw new Error('No Redis: none on the PATH and none could be fetched; set TEST_REDIS_URL.');
  return url;
}

/** A prefix of one's own for BullMQ and for our own keys. */
export function randomPrefix(): string {
  return `t${randomBytes(8).toString('hex')}`;
}

export interface LimitedRedis {
  readonly url: string;
  /** Commands that its rights refused: "config|get". */
  refused(): Promise<readonly string[]>;
}

/** The Redis of this test run, as the user that production has there (deploy/redis/users.acl), on any key. */
export async function limitedRedis(): Promise<LimitedRedis> {
  const acl = readFileSync(new URL('../../deploy/redis/users.acl', import.meta.url), 'utf8');
  const [, rules = ''] = /^user identity on #PASSWORD_SHA256 (.*)$/m.exec(acl) ?? [];
  const name = randomPrefix();
  const password = randomBytes(12).toString('hex');
  await asAdmin(
    'ACL',
    'SETUSER',
    name,
    'on',
    `>${password}`,
    ...rules.replace('~QUEUE_PREFIX:*', '~*').split(' '),
  );
  const url = new URL(redisUrl());
  url.username = name;
  url.password = password;
  return {
    url: url.href,
    async refused() {
      const entries = (await asAdmin('ACL', 'LOG', '128')) as readonly (readonly unknown[])[];
      const fields = entries.map((entry) => {
        const pairs = entry.flatMap((key, index) =>
          index % 2 === 0 ? [[key, entry[index + 1]] as const] : [],
        );
        return new Map(pairs);
      });
      return fields
        .filter((entry) => entry.get('username') === name)
        .map((entry) => String(entry.get('object')));
    },
  };
}

async function asAdmin(command: string, ...args: readonly string[]): Promise<unknown> {
  const redis = new Redis(redisUrl());
  try {
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}
