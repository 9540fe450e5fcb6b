import { Injectable } from '@nestjs/common';
import { DatabaseServers, REPLICA_STATES } from '../domain/health/database-servers.js';
import { Metrics } from './metrics.js';

/** Which servers of PostgreSQL this process uses. */
@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, servers: DatabaseServers) {
    const replica = metrics.gauge(
      'identity_read_replica',
      '1 for the state that the read replica is in: "used", or why it is not; nothing without DATABASE_READ_URL',
      ['state'],
    );
    const changes = metrics.gauge(
      'identity_postgres_primary_changes',
      'Times that another PostgreSQL server took the place of the primary, or it was started again, since this process began',
      [],
    );
    metrics.addReading([replica, changes], async () => () => {
      changes.set(servers.primaryChanges);
      if (servers.replica === undefined) return;
      for (const state of REPLICA_STATES) replica.set({ state }, state === servers.replica ? 1 : 0);
    });
  }
}
