import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterEach } from 'vitest';
import { startRedis, type PrivateRedis } from '../../../scripts/services.mjs';
import { makeTestFolder } from '../../../scripts/test-folder.mjs';
import { givenEach } from '../../support/given.js';

/** A Redis of one's own, for tests that kill or empty it. */
export async function startOwnRedis(
  options: Omit<Parameters<typeof startRedis>[0], 'dir'> = {},
): Promise<PrivateRedis> {
  const folder = makeTestFolder();
  const server = await startRedis({ ...options, dir: path.join(folder, 'redis') });
  if (server === undefined) throw new Error('this machine has no Redis and none can be fetched');
  const stop = server.stop.bind(server);
  server.stop = async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  return server;
}

/** One for each test. Stopped after what is written below it. */
export function useRedisPerTest(): Pick<PrivateRedis, 'url' | 'flush'> {
  let server: PrivateRedis | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });
  // the server itself has private fields, which do not go with a copy
  return givenEach(async () => {
    const own = (server = await startOwnRedis());
    return { url: own.url, flush: () => own.flush() };
  });
}

/** Everything under a prefix as one text, to look for what must not be there (security I6). */
export async function dumpRedis(url: string, prefix: string): Promise<string> {
  const redis = new Redis(url);
  try {
    const parts: unknown[] = [];
    for (const key of await redis.keys(`${prefix}:*`)) parts.push(key, await valueOf(redis, key));
    return JSON.stringify(parts);
  } finally {
    redis.disconnect();
  }
}

async function valueOf(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return await redis.get(key);
    case 'hash':
      return await redis.hgetall(key);
    case 'list':
      return await redis.lrange(key, 0, -1);
    case 'set':
      return await redis.smembers(key);
    case 'zset':
      return await redis.zrange(key, '0', '-1');
    case 'stream':
      return await redis.xrange(key, '-', '+');
    default:
      return undefined;
  }
}
