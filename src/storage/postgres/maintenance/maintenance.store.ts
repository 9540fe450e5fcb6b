// SQL by hand: partitions are made and dropped by the database's functions, and a heartbeat is as old as its clock says
import { Injectable } from '@nestjs/common';
import {
  MaintenanceStore,
  type AnnouncedWorker,
  type Heartbeat,
  type Retention,
  type Walk,
  type Worker,
} from '../../../domain/maintenance/maintenance.store.js';
import type { UpkeepCounts } from '../../../domain/maintenance/upkeep-counts.js';
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

/** Dropping a month waits for whoever reads the log, and everybody else behind it: for two seconds, and one at a time. */
const DROP_PARTITION = {
  name: 'upkeep-drop-event-partitions',
  text: `SELECT drop_event_partitions(make_interval(secs => $1), 1) AS name`,
};

/** The default partition has what was written while nobody made months. */
const REMOVE_STRAYS = {
  name: 'upkeep-remove-stray-events',
  text: `SELECT remove_stray_events(make_interval(secs => $1), $2)::int AS removed`,
};

const MOST_MONTHS_AT_ONCE = 12;

const LIST_HEARTBEATS = {
  name: 'heartbeats-list',
  text: `
    SELECT queue, worker, greatest(0, extract(epoch FROM app_now() - consumed_at) * 1000)::float8 AS "ageMs"
    FROM heartbeats ORDER BY queue`,
};

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

const LIST_WORKERS = {
  name: 'workers-list',
  text: `
    SELECT id, host, version, queues, started_at AS "startedAt", seen_at AS "seenAt",
      greatest(0, extract(epoch FROM app_now() - seen_at) * 1000)::float8 AS "ageMs"
    FROM workers ORDER BY started_at, id LIMIT 100`,
};

@Injectable()
export class PgMaintenanceStore extends MaintenanceStore {
  private readonly heartbeats: Table<HeartbeatEntity>;
  private readonly workers: Table<WorkerEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.heartbeats = new Table(sql, HeartbeatEntity);
    this.workers = new Table(sql, WorkerEntity);
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
    return await this.sql.rows<Pick<Heartbeat, keyof Heartbeat>>(LIST_HEARTBEATS, []);
  }

  override async announceWorker({ id, host, version, queues }: Worker): Promise<void> {
    await this.sql.change(ANNOUNCE_WORKER, [id, host, version, queues]);
  }

  override async forgetWorker(id: string): Promise<void> {
    await this.workers.removeAll(undefined, { id });
  }

  override async listWorkers(): Promise<readonly AnnouncedWorker[]> {
    return await this.sql.rows<Pick<AnnouncedWorker, keyof AnnouncedWorker>>(LIST_WORKERS, []);
  }
}
