import type { AppConfig } from '../config/config.js';
import { askRedisBriefly } from './redis-briefly.js';

/**
 * Whether Redis takes a write on a connection of its own, made now: what a worker whose own connections bring nothing
 * asks, to know whose fault that is. A PING would not tell a Redis that is full, loading or a replica.
 */
export async function redisTakesWrites({ redis: { url }, queues }: AppConfig): Promise<boolean> {
  const written = await askRedisBriefly(url, (redis) =>
    redis.set(`${queues.prefix}:probe`, '1', 'PX', 10_000),
  );
  return written === 'OK';
}
