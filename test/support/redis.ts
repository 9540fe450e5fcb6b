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
  const user = await limitedUser([redisUrl()], serviceRules().replace('~QUEUE_PREFIX:*', '~*'));
  const url = new URL(redisUrl());
  url.username = user.name;
  url.password = user.password;
  return { url: url.href, refused: async () => await user.refused() };
}

/** What the service may do in Redis, as production has it. */
export function serviceRules(): string {
  const acl = readFileSync(new URL('../../deploy/redis/users.acl', import.meta.url), 'utf8');
  const [, rules = ''] = /^user identity on #PASSWORD_SHA256 (.*)$/m.exec(acl) ?? [];
  return rules;
}

export interface LimitedUser {
  readonly name: string;
  readonly password: string;
  refused(): Promise<readonly string[]>;
}

/** A user of these rights on each of the servers. */
export async function limitedUser(urls: readonly string[], rules: string): Promise<LimitedUser> {
  const name = randomPrefix();
  const password = randomBytes(12).toString('hex');
  for (const url of urls) {
    await asAdmin(url, 'ACL', 'SETUSER', name, 'on', `>${password}`, ...rules.split(' '));
  }
  return {
    name,
    password,
    async refused() {
      const logs = await Promise.all(urls.map(async (url) => await asAdmin(url, 'ACL', 'LOG', '128')));
      return (
        (logs as readonly (readonly (readonly unknown[])[])[])
          .flat()
          .map((entry) => {
            const pairs = entry.flatMap((key, index) =>
              index % 2 === 0 ? [[key, entry[index + 1]] as const] : [],
            );
            return new Map(pairs);
          })
          // a wrong password is no command that was refused
          .filter((entry) => entry.get('username') === name && entry.get('reason') !== 'auth')
          .map((entry) => String(entry.get('object')))
      );
    },
  };
}

async function asAdmin(url: string, command: string, ...args: readonly string[]): Promise<unknown> {
  const redis = new Redis(url);
  try {
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}
