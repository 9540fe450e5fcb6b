import type { AppConfig } from '../config/config.js';
import { askRedisBriefly } from '../storage/redis/redis-briefly.js';

/**
 * Whether Redis takes a write on a connection of its own, made now: what a worker whose own connections bring nothing
 * asks, to know whose fault that is. A PING would not tell a Redis that is full, loading or a replica. On a cluster the key
 * belongs to the node that has the queues.
 */
export async function redisTakesWrites({ redis, queues }: AppConfig): Promise<boolean> {
  const written = await askRedisBriefly(redis, (client) =>
    client.set(`${queues.prefix}:probe`, '1', 'PX', 10_000),
  );
  return written === 'OK';
}
