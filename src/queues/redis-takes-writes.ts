import type { AppConfig } from '../config/config.js';
import { askRedisBriefly } from '../storage/redis/redis-briefly.js';

/**
 * Whether Redis accepts a write on a new connection: a worker whose connections are silent
 * uses it to find the cause. A PING would not detect a Redis that is full, loading or a replica. On a cluster the key
 * belongs to the node that has the queues.
 */
export async function redisTakesWrites({ redis, queues }: AppConfig): Promise<boolean> {
  const written = await askRedisBriefly(redis, (client) =>
    client.set(`${queues.prefix}:probe`, '1', 'PX', 10_000),
  );
  return written === 'OK';
}
