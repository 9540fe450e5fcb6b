import type { RedisServers } from '../../config/redis-servers.js';
import { redisClient, type RedisClient } from './redis-client.js';

const LONGEST_MS = 2_000;

/**
 * Asks something of Redis on a connection of its own, which is made now, tried once and closed afterwards.
 * @returns undefined where Redis is out of reach or refuses
 */
export async function askRedisBriefly<Answer>(
  servers: RedisServers,
  ask: (redis: RedisClient) => Promise<Answer>,
): Promise<Answer | undefined> {
  const redis = redisClient(servers, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    connectTimeout: LONGEST_MS,
    commandTimeout: LONGEST_MS,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await ask(redis);
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}
