import { Inject, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { Sealer } from '../domain/secrets/sealer.js';
import { Clock } from '../domain/shared/clock.js';
import { createDataSource, type PostgresSettings } from './postgres/data-source.js';
import { DatabaseClock } from './postgres/database-clock.js';
import { PgSealer } from './postgres/pg-sealer.js';
import { QuickLanes } from './postgres/quick-lanes.js';
import { Sql } from './postgres/sql.js';
import { postgresStores } from './postgres/stores.js';

function postgresSettings(config: Config): PostgresSettings {
  const { url, poolSize, quickLanes } = config.app.postgres;
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

const contracts = postgresStores.map((provider) => (provider as { provide: symbol }).provide);

/** What is remembered: one pool of connections, and every store contract of the domain on top of it. */
@Module({
  providers: [...connections, ...postgresStores],
  exports: [DataSource, Sql, Sealer, ...contracts],
})
export class StorageModule implements OnApplicationShutdown {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    private readonly lanes: QuickLanes,
  ) {}

  /** The last hook of a shutdown: processors and listeners have drained before their connections go. */
  async onApplicationShutdown(): Promise<void> {
    await this.lanes.close();
    await this.dataSource.destroy();
  }
}
