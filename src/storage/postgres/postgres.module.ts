import { Module, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { DatabaseServers } from '../../domain/health/database-servers.js';
import { Sealer } from '../../domain/secrets/sealer.js';
import { Clock } from '../../domain/shared/clock.js';
import { Log } from '../../domain/shared/log.js';
import { Savepoint } from '../../domain/shared/savepoint.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { Primary } from './connections/primary.js';
import { ReadReplica } from './connections/read-replica.js';
import { WatchedServers } from './connections/watched-servers.js';
import { createDataSource } from './data-source.js';
import { DatabaseClock } from './database-clock.js';
import { LaggingReads } from './lagging-reads.js';
import { postgresSettings } from './require-usable-database.js';
import { retryWhileAway } from './retry-while-away.js';
import { PgSavepoint } from './savepoint.js';
import { PgSealer } from './secrets/sealer.js';
import { Sql } from './sql.js';
import { PipelinedConnections } from './throughput/pipelined-connections.js';
import { PgUnitOfWork } from './unit-of-work.js';

const connections: Provider[] = [
  {
    provide: DataSource,
    inject: [Config],
    useFactory: async (config: Config): Promise<DataSource> =>
      await retryWhileAway(() => createDataSource(postgresSettings(config.app)).initialize()),
  },
  {
    provide: PipelinedConnections,
    inject: [Config],
    useFactory: (config: Config): PipelinedConnections =>
      new PipelinedConnections(postgresSettings(config.app)),
  },
  {
    provide: Sql,
    inject: [DataSource, PipelinedConnections],
    useFactory: (dataSource: DataSource, lanes: PipelinedConnections): Sql => new Sql(dataSource, lanes),
  },
  {
    provide: DatabaseServers,
    inject: [Config, Log],
    useFactory: ({ app }: Config, log: Log) => new WatchedServers(Primary.of(app.postgres.url), log),
  },
  {
    provide: LaggingReads,
    inject: [Sql, Config, DatabaseServers],
    useFactory: async (sql: Sql, config: Config, servers: WatchedServers): Promise<LaggingReads> => {
      const { replica } = config.app.postgres;
      if (replica === undefined) return new LaggingReads(sql);
      const settings = { ...postgresSettings(config.app), url: replica.url };
      const { mostLagMs } = replica;
      const tell = servers.replicaIs.bind(servers);
      return new LaggingReads(sql, await ReadReplica.open(settings, sql, mostLagMs, tell));
    },
  },
  {
    provide: Sealer,
    inject: [Sql, Config],
    useFactory: async (sql: Sql, config: Config): Promise<Sealer> =>
      await retryWhileAway(() => PgSealer.open(sql, config.app.masterKeys)),
  },
  {
    provide: DatabaseClock,
    inject: [Sql, Clock],
    useFactory: async (sql: Sql, clock: Clock): Promise<DatabaseClock | undefined> =>
      await retryWhileAway(() => DatabaseClock.follow(sql, clock)),
  },
];

/** The connection pool, and what every store needs of it. */
@Module({
  providers: [
    ...connections,
    { provide: UnitOfWork, useClass: PgUnitOfWork },
    { provide: Savepoint, useClass: PgSavepoint },
  ],
  exports: [
    DataSource,
    DatabaseServers,
    PipelinedConnections,
    Sql,
    LaggingReads,
    Sealer,
    UnitOfWork,
    Savepoint,
  ],
})
export class PostgresModule {}
