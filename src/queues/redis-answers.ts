import { Redis } from 'ioredis';
import type { AppConfig } from '../config/config.js';

/**
 * Whether Redis takes a write on a connection of its own, made now: what a worker whose own connections bring nothing
 * asks, to know whose fault that is. A PING would not tell a Redis that is full, loading or a replica.
 */
export async function redisTakesWrites({ redis: { url }, queues }: AppConfig): Promise<boolean> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.set(`${queues.prefix}:probe`, '1', 'PX', 10_000)) === 'OK';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
