import { Module, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { Sealer } from '../../domain/secrets/sealer.js';
import { Clock } from '../../domain/shared/clock.js';
import { Savepoint } from '../../domain/shared/savepoint.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { createDataSource, type PostgresSettings } from './data-source.js';
import { DatabaseClock } from './database-clock.js';
import { PgSavepoint } from './pg-savepoint.js';
import { PgSealer } from './pg-sealer.js';
import { PgUnitOfWork } from './pg-unit-of-work.js';
import { QuickLanes } from './quick-lanes.js';
import { Sql } from './sql.js';

function postgresSettings(config: Config): PostgresSettings {
  const { url, poolSize, pipelineConnections: quickLanes } = config.app.postgres;
  return { url, poolSize, quickLanes, statementTimeoutMs: 30_000, applicationName: 'identity' };
}

const connections: Provider[] = [
  {
    provide: DataSource,
    inject: [Config],
    useFactory: async (config: Config): Promise<DataSource> =>
      await createDataSource(postgresSettings(config)).initialize(),
  },
  {
    provide: QuickLanes,
    inject: [Config],
    useFactory: (config: Config): QuickLanes => new QuickLanes(postgresSettings(config)),
  },
  {
    provide: Sql,
    inject: [DataSource, QuickLanes],
    useFactory: (dataSource: DataSource, lanes: QuickLanes): Sql => new Sql(dataSource, lanes),
  },
  {
    provide: Sealer,
    inject: [Sql, Config],
    useFactory: async (sql: Sql, config: Config): Promise<Sealer> =>
      await PgSealer.open(sql, config.app.masterKeys),
  },
  {
    provide: DatabaseClock,
    inject: [Sql, Clock],
    useFactory: async (sql: Sql, clock: Clock): Promise<DatabaseClock | undefined> =>
      await DatabaseClock.follow(sql, clock),
  },
];

/** One pool of connections, and what every store needs of it. */
@Module({
  providers: [
    ...connections,
    { provide: UnitOfWork, useClass: PgUnitOfWork },
    { provide: Savepoint, useClass: PgSavepoint },
  ],
  exports: [DataSource, QuickLanes, Sql, Sealer, UnitOfWork, Savepoint],
})
export class PostgresModule {}
