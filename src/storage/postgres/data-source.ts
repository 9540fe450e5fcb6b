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

/** Settings of all our database sessions. */
export function sessionOptions(settings: PostgresSettings) {
  // as an option, since pg does not send a zero, and the setting of the role or the database would apply
  const unlimited = settings.statementTimeoutMs === 0 ? ' -c statement_timeout=0' : '';
  return {
    application_name: settings.applicationName,
    statement_timeout: settings.statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // our statements look rows up by key, so one plan is good for every value; planning costs more than running them
    options: `-c timezone=UTC -c plan_cache_mode=force_generic_plan -c jit=off${unlimited}`,
  };
}

export function createDataSource(settings: PostgresSettings): DataSource {
  const primary = Primary.of(settings.url);
  return new DataSource({
    type: 'postgres',
    // the pg package that we import: TypeORM would load its own copy in a bundle, with other error classes
    driver: pg,
    url: primary.connectionString,
    entities,
    migrations: [...migrations],
    synchronize: false,
    migrationsTableName: 'schema_migrations',
    extra: {
      Client: primary.Client,
      max: settings.poolSize,
      // connections are not closed when idle: opening them in a burst costs more than keeping them
      idleTimeoutMillis: 0,
      // for a server that hangs; longer than the statement timeout of the server
      ...(settings.statementTimeoutMs === 0 ? {} : { query_timeout: settings.statementTimeoutMs + 5_000 }),
      ...sessionOptions(settings),
    },
    poolErrorHandler: () => undefined,
  });
}
