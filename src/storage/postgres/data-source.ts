import pg from 'pg';
import { DataSource } from 'typeorm';
import { Primary } from './connections/primary.js';
import { migrations } from './migrating/migrations.js';
import { entities } from './tables/entities.js';

export interface PostgresSettings {
  readonly url: string;
  readonly poolSize: number;
  /** A statement that runs longer is cancelled, so that a lock held elsewhere cannot pile up requests. */
  readonly statementTimeoutMs: number;
  readonly applicationName: string;
  /** Connections for hot single statements beside the pool; none by default. */
  readonly pipelineConnections?: number;
}

/** What every session of ours asks for, whoever opens it. */
export function sessionOptions(settings: PostgresSettings) {
  // pg leaves a zero out, and what a role or a database sets would count
  const unlimited = settings.statementTimeoutMs === 0 ? ' -c statement_timeout=0' : '';
  return {
    application_name: settings.applicationName,
    statement_timeout: settings.statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // our statements look rows up by key, so one plan serves every value; planning again costs more than running
    options: `-c timezone=UTC -c plan_cache_mode=force_generic_plan -c jit=off${unlimited}`,
  };
}

export function createDataSource(settings: PostgresSettings): DataSource {
  const primary = Primary.of(settings.url);
  return new DataSource({
    type: 'postgres',
    // ours, whose errors we know: TypeORM would look for a package of its own, which is another one in a bundle
    driver: pg,
    url: primary.connectionString,
    entities,
    migrations: [...migrations],
    synchronize: false,
    migrationsTableName: 'schema_migrations',
    extra: {
      Client: primary.Client,
      max: settings.poolSize,
      // a connection that was needed once is kept: opening one in a burst costs more than holding it
      idleTimeoutMillis: 0,
      // a server that hangs instead of failing must not hold requests for ever; above its own statement time-out
      ...(settings.statementTimeoutMs === 0 ? {} : { query_timeout: settings.statementTimeoutMs + 5_000 }),
      ...sessionOptions(settings),
    },
    poolErrorHandler: () => undefined,
  });
}
