import type pg from 'pg';
import { DataSource } from 'typeorm';
import { entities } from './entities/entities.js';
import { migrations } from './migrations.js';

export interface PostgresSettings {
  readonly url: string;
  readonly poolSize: number;
  /** A statement that runs longer is cancelled, so that a lock held elsewhere cannot pile up requests. */
  readonly statementTimeoutMs: number;
  readonly applicationName: string;
}

export function createDataSource(settings: PostgresSettings): DataSource {
  return new DataSource({
    type: 'postgres',
    url: settings.url,
    entities,
    migrations,
    synchronize: false,
    migrationsTableName: 'schema_migrations',
    extra: {
      max: settings.poolSize,
      application_name: settings.applicationName,
      statement_timeout: settings.statementTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      options: '-c timezone=UTC',
    },
    poolErrorHandler: () => undefined,
  });
}

/** TypeORM's own pool, so that entities and prepared statements share one set of connections. */
export function poolOf(dataSource: DataSource): pg.Pool {
  return (dataSource.driver as unknown as { master: pg.Pool }).master;
}
