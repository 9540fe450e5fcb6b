// SQL by hand: functions of the database create and drop partitions of events; announcing a worker also deletes silent ones
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  MaintenanceStore,
  type AnnouncedWorker,
  type Heartbeat,
  type Retention,
  type Walk,
  type Worker,
} from '../../../domain/maintenance/maintenance.store.js';
import type { UpkeepCounts } from '../../../domain/maintenance/upkeep-counts.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { HeartbeatEntity } from '../tables/heartbeat.entity.js';
import { WorkerEntity } from '../tables/worker.entity.js';
import { REMOVALS } from './removals.js';
import { SWEEPS } from './sweeps.js';
import { WALKS } from './walks.js';

const ENSURE_PARTITIONS = {
  name: 'upkeep-ensure-event-partitions',
  text: `SELECT ensure_event_partitions()`,
};

/** Dropping a partition waits for queries on events, and later queries wait behind it: for two seconds at most, one partition at a time. */
const DROP_PARTITION = {
  name: 'upkeep-drop-event-partitions',
  text: `SELECT drop_event_partitions(make_interval(secs => $1), 1) AS name`,
};

/** The default partition holds events that were written while their month had no partition. */
const REMOVE_STRAYS = {
  name: 'upkeep-remove-stray-events',
  text: `SELECT remove_stray_events(make_interval(secs => $1), $2)::int AS removed`,
};

const MOST_MONTHS_AT_ONCE = 12;

/** For how long a time has passed, by the database's clock. */
function ageMsOf(property: string): string {
  return `greatest(0, extract(epoch FROM app_now() - ${property}) * 1000)::float8`;
}

function heartbeats(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(HeartbeatEntity, 'h'), ['queue', 'worker'])
    .addSelect(ageMsOf('h.consumedAt'), 'ageMs')
    .orderBy('h.queue');
}

const ANNOUNCE_WORKER = {
  name: 'workers-announce',
  text: `
    WITH silent AS (
      DELETE FROM workers WHERE id <> $1 AND seen_at < (SELECT app_now()) - interval '1 hour'
    )
    INSERT INTO workers (id, host, version, queues, started_at, seen_at)
    VALUES ($1, $2, $3, $4, app_now(), app_now())
    ON CONFLICT (id) DO UPDATE SET seen_at = app_now()`,
};

function workers(entities: EntityManager) {
  const properties = ['id', 'host', 'version', 'queues', 'startedAt', 'seenAt'] as const;
  return selecting(entities.createQueryBuilder(WorkerEntity, 'w'), properties)
    .addSelect(ageMsOf('w.seenAt'), 'ageMs')
    .orderBy('w.startedAt')
    .addOrderBy('w.id')
    .limit(100);
}

@Injectable()
export class PgMaintenanceStore extends MaintenanceStore {
  private readonly heartbeats: Table<HeartbeatEntity>;
  private readonly workers: Table<WorkerEntity>;
  private readonly heartbeatList: Query<Heartbeat, object>;
  private readonly workerList: Query<AnnouncedWorker, object>;

  constructor(private readonly sql: Sql) {
    super();
    this.heartbeats = new Table(sql, HeartbeatEntity);
    this.workers = new Table(sql, WorkerEntity);
    this.heartbeatList = new Query(sql, 'heartbeats-list', heartbeats);
    this.workerList = new Query(sql, 'workers-list', workers);
  }

  override async removeExpired(limit: number, retention: Retention): Promise<UpkeepCounts> {
    const removed: Record<string, number> = {};
    for (const [table, { statement, keptSeconds }] of Object.entries(REMOVALS)) {
      const values = keptSeconds === undefined ? [limit] : [limit, keptSeconds(retention)];
      removed[table] = await this.sql.change(statement, values);
    }
    return removed;
  }

  override async removeUnused(walk: Walk): Promise<{ looked: number; removed: number }> {
    const { kind, limit, unusedSeconds, idleSeconds, absoluteSeconds } = walk;
    const values = [limit, unusedSeconds, ...(kind === 'sessions' ? [idleSeconds, absoluteSeconds] : [])];
    const row = await this.sql.row<{ looked: number; removed: number }>(WALKS[kind], values);
    if (row === undefined) throw new Error('a count gives a row');
    return row;
  }

  override async sweepStuck(limit: number): Promise<UpkeepCounts> {
    const swept: Record<string, number> = {};
    for (const [kind, statement] of Object.entries(SWEEPS)) {
      swept[kind] = await this.sql.change(statement, [limit]);
    }
    return swept;
  }

  override async ensureEventPartitions(): Promise<void> {
    await this.sql.rows(ENSURE_PARTITIONS, []);
  }

  override async removeOldEvents(limit: number, olderThanSeconds: number): Promise<UpkeepCounts> {
    let months = 0;
    while (months < MOST_MONTHS_AT_ONCE) {
      const dropped = await this.sql.rows(DROP_PARTITION, [olderThanSeconds]);
      if (dropped.length === 0) break;
      months += 1;
    }
    const strays = await this.sql.row<{ removed: number }>(REMOVE_STRAYS, [olderThanSeconds, limit]);
    return { event_months: months, events: strays?.removed ?? 0 };
  }

  override async recordHeartbeat(queue: string, worker: string): Promise<void> {
    await this.heartbeats.put(undefined, { queue }, { worker, consumedAt: () => 'app_now()' });
  }

  override async listHeartbeats(): Promise<readonly Heartbeat[]> {
    return await this.heartbeatList.rows({});
  }

  override async announceWorker({ id, host, version, queues }: Worker): Promise<void> {
    await this.sql.change(ANNOUNCE_WORKER, [id, host, version, queues]);
  }

  override async forgetWorker(id: string): Promise<void> {
    await this.workers.removeAll(undefined, { id });
  }

  override async listWorkers(): Promise<readonly AnnouncedWorker[]> {
    return await this.workerList.rows({});
  }
}
