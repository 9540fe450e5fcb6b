import type { OnApplicationShutdown } from '@nestjs/common';
import {
  assertSchemaCompatibility,
  createPostgresBackend,
  RedisConnection,
  runMigrations,
  setDefaultBackendFactory,
  type ConnectionOptions,
} from 'bullmq';
import type pg from 'pg';
import type { AppConfig } from '../config/config.js';
import { describeRedis } from '../config/redis-servers.js';
import type { Log } from '../domain/shared/log.js';
import { Primary } from '../storage/postgres/connections/primary.js';
import { bullClient } from '../storage/redis/redis-client.js';
import { requireNoEviction } from './redis-policy.js';

/** Six workers hold one connection each to wait on; the rest serves short statements. */
const POSTGRES_CONNECTIONS = 10;
export const QUEUE_SCHEMA = 'bullmq';

/**
 * How this process reaches the queues: Redis, or BullMQ's own tables in Postgres where no Redis can be had.
 *
 * The connection is a producer's: it fails at once while Redis is away, because the outbox is the buffer and no
 * request may wait for Redis. Workers make a patient one of it (queue-worker.ts).
 */
export class QueueConnection implements OnApplicationShutdown {
  private constructor(
    readonly options: ConnectionOptions,
    private readonly pool?: pg.Pool,
  ) {}

  /** @throws when production would run on a Redis that evicts keys */
  static async open(config: AppConfig, log: Log): Promise<QueueConnection> {
    if (config.queues.backend === 'postgres')
      return await QueueConnection.openPostgres(config.postgres.directUrl);
    setDefaultBackendFactory();
    RedisConnection.clientFactory = bullClient;
    log.info('the queues are in Redis', { redis: describeRedis(config.redis) });
    await requireNoEviction(config, log);
    return new QueueConnection({
      servers: config.redis,
      maxRetriesPerRequest: 1,
      enableOfflineQueue: false,
      connectTimeout: 5_000,
      // a line that went dead without a word: give up on it when an answer is this late
      socketTimeout: 5_000,
      keepAlive: 10_000,
      retryStrategy: reconnectDelay,
    });
  }

  private static async openPostgres(url: string): Promise<QueueConnection> {
    const pool = Primary.of(url).pool({
      max: POSTGRES_CONNECTIONS,
      application_name: 'identity-queues',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      options: `-c search_path=${QUEUE_SCHEMA}`,
    });
    // every queue and worker listens for the pool's errors: more than Node takes for a leak
    pool.setMaxListeners(0);
    const client = await pool.connect();
    try {
      // a worker on an empty schema would only report errors in a hot loop
      if (await mayMakeSchema(client)) await runMigrations(client, QUEUE_SCHEMA);
      else await assertSchemaCompatibility(client, QUEUE_SCHEMA);
    } finally {
      client.release();
    }
    // before the first queue is made: it decides what a queue is made of
    setDefaultBackendFactory(createPostgresBackend);
    return new QueueConnection(pool, pool);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.pool === undefined) return;
    // what is made of BullMQ's default is the whole process's: whoever comes after this application has their own
    setDefaultBackendFactory();
    await this.pool.end();
  }
}

/** Makes BullMQ's tables, or brings them up to date, under its own advisory lock. */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = Primary.of(databaseUrl).client();
  client.on('error', () => undefined);
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
}

/** A role of its own for API and workers may not: `migrate` has made the tables then. */
async function mayMakeSchema(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT has_database_privilege(current_database(), 'CREATE') AS may`,
  );
  return rows[0]?.may === true;
}

/** BullMQ's own choice grows to 20 s, which is longer than consuming may take to come back (security I9). */
export function reconnectDelay(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), 2_000);
}
