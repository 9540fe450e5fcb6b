import { DatabaseServers, type ReplicaState } from '../../../domain/health/database-servers.js';
import type { Log } from '../../../domain/shared/log.js';
import type { Primary } from './primary.js';

/** Logs changes of the primary and of the read replica, once each. */
export class WatchedServers extends DatabaseServers {
  override replica: ReplicaState | undefined;
  override primaryChanges = 0;

  constructor(
    primary: Primary,
    private readonly log: Log,
  ) {
    super();
    primary.onChange(() => {
      this.primaryChanges += 1;
      log.warn('PostgreSQL has another primary, or the same one was started again', {
        changes: this.primaryChanges,
      });
    });
  }

  replicaIs(state: ReplicaState): void {
    const before = this.replica;
    this.replica = state;
    if (state === before) return;
    if (state === 'used') this.log.info('the read replica is used');
    else this.log.warn('the read replica is not used: its reads go to the primary', { reason: state });
  }
}
