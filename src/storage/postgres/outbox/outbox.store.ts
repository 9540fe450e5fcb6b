// SQL by hand: rows of the outbox are taken in batches with FOR UPDATE SKIP LOCKED
import { Injectable } from '@nestjs/common';
import {
  JOB_LANES,
  OutboxStore,
  type EnqueuedWork,
  type JobLane,
  type JobQueue,
  type OutboxBacklog,
  type OutboxEntry,
  type OutboxJob,
} from '../../../domain/outbox/outbox.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { activeTraceparent } from '../../../tracing/trace.js';
import { literals, rowsOf } from '../one-of.js';
import { Sql } from '../sql.js';
import { columns } from '../table.js';
import { OutboxEntity } from '../tables/outbox.entity.js';

const ADD = {
  name: 'outbox-add',
  text: `INSERT INTO outbox (queue, job_name, payload, lane, traceparent) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
};

const RANKED_LANES = JOB_LANES.map((lane, index) => `(${index + 1}, ${literals([lane])})`).join(', ');

// app_now() is volatile and could not be used in an index condition; in a subquery it is evaluated once
const FIND_DUE_LANES = {
  name: 'outbox-find-due-lanes',
  text: `
    SELECT q.queue, l.lane
    FROM (VALUES ${RANKED_LANES}) AS l (rank, lane)
    CROSS JOIN unnest($1::text[]) AS q (queue)
    WHERE EXISTS (SELECT FROM outbox o WHERE o.state = 'pending' AND o.queue = q.queue AND o.lane = l.lane
                    AND o.available_at <= (SELECT app_now()))
    ORDER BY l.rank`,
};

const TAKEN = columns(OutboxEntity, 'o', [
  'id',
  'queue',
  'jobName',
  'payload',
  'lane',
  'epoch',
  'traceparent',
]);

// the row locks are taken in a materialized list: in a sub-query the planner may run it again and take more
const TAKE_PENDING = {
  name: 'outbox-take-pending',
  text: `
    WITH due AS MATERIALIZED (
      SELECT id FROM outbox
      WHERE state = 'pending' AND queue = $1 AND lane = $2 AND available_at <= (SELECT app_now())
      ORDER BY available_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
    )
    UPDATE outbox o SET state = 'published', published_at = app_now()
    FROM due WHERE o.id = due.id
    RETURNING ${TAKEN}`,
};

const COUNT_PUBLISHED = {
  name: 'outbox-count-published',
  text: `
    SELECT count(*)::int AS count FROM outbox
    WHERE state = 'published' AND queue = $1 AND lane = $2 AND published_at <= (SELECT app_now())`,
};

const TAKE_STALE = {
  name: 'outbox-take-stale',
  text: `
    WITH stale AS MATERIALIZED (
      SELECT id FROM outbox
      WHERE state = 'published' AND queue = $1
        AND published_at < (SELECT app_now()) - make_interval(secs => $2::float8 / 1000)
      ORDER BY published_at LIMIT $3 FOR UPDATE SKIP LOCKED
    )
    UPDATE outbox o SET published_at = app_now()
    FROM stale WHERE o.id = stale.id
    RETURNING ${TAKEN}`,
};

const RETURN_TO_PENDING = {
  name: 'outbox-return-to-pending',
  text: `
    UPDATE outbox o SET state = 'pending', epoch = o.epoch + 1, published_at = NULL,
      available_at = app_now() + make_interval(secs => CASE WHEN $3 THEN least(5 * 2 ^ least(o.epoch, 10), 3600) ELSE 0 END)
    FROM unnest($1::bigint[], $2::int[]) AS seen (id, epoch)
    WHERE o.id = seen.id AND o.epoch = seen.epoch AND o.state = 'published'`,
};

/** At most this many bulk jobs wait in Redis for their next attempt; a million would fill it. */
const MOST_BULK_WAITING = 1_000;

const POSTPONE = {
  name: 'outbox-postpone',
  text: `
    WITH due AS MATERIALIZED (SELECT app_now() AS now, app_now() + make_interval(secs => $2::float8 / 1000) AS at),
    row AS MATERIALIZED (
      SELECT o.id, o.state = 'published' AND (o.lane <> 'bulk' OR
        (SELECT count(*) FROM (
          SELECT FROM outbox w WHERE w.state = 'published' AND w.queue = o.queue AND w.published_at > (SELECT now FROM due)
          LIMIT ${MOST_BULK_WAITING}) AS waiting) < ${MOST_BULK_WAITING}) AS held
      FROM outbox o WHERE o.id = $1
    )
    UPDATE outbox o SET state = CASE WHEN held THEN 'published' ELSE 'pending' END,
      epoch = epoch + CASE WHEN held THEN 0 ELSE 1 END, published_at = CASE WHEN held THEN due.at END,
      available_at = due.at
    FROM row, due WHERE o.id = row.id
    RETURNING held`,
};

const FINISH = { name: 'outbox-finish', text: `DELETE FROM outbox WHERE id = $1` };

// found by its key; the other conditions check that the row is of the same work
const TAKE = {
  name: 'outbox-take',
  text: `DELETE FROM outbox WHERE id = $1 AND queue = $2 AND job_name = $3 AND payload = $4::jsonb`,
};

/** SQL: how long the oldest row of these lanes of the queue `q` has been pending, in seconds. */
function ageOf(lanes: readonly JobLane[]): string {
  return `
      coalesce((SELECT extract(epoch FROM app_now() - min(oldest.available_at))
                FROM (VALUES ${rowsOf(lanes)}) AS l (lane)
                CROSS JOIN LATERAL (SELECT o.available_at FROM outbox o
                                    WHERE o.state = 'pending' AND o.queue = q.queue AND o.lane = l.lane
                                    ORDER BY o.available_at, o.id LIMIT 1) AS oldest), 0)::float8`;
}

const BACKLOG = {
  name: 'outbox-backlog',
  text: `
    SELECT q.queue,
      (SELECT count(*)::int FROM (SELECT FROM outbox o WHERE o.state = 'pending' AND o.queue = q.queue
                                  LIMIT 100000) AS counted) AS pending,
      (SELECT count(*)::int FROM (SELECT FROM outbox o WHERE o.state = 'published' AND o.queue = q.queue
                                  LIMIT 100000) AS counted) AS published,
      ${ageOf(JOB_LANES.filter((lane) => lane !== 'bulk'))} AS age, ${ageOf(['bulk'])} AS bulk_age
    FROM unnest($1::text[]) AS q (queue)`,
};

type OutboxRow = Omit<OutboxJob, 'traceparent'> & { traceparent: string | null };

function toJob({ traceparent, ...job }: OutboxRow): OutboxJob {
  return { ...job, ...(traceparent !== null && { traceparent }) };
}

function valuesOf({ outboxId, queue, jobName, payload }: EnqueuedWork): string[] {
  return [outboxId, queue, jobName, JSON.stringify(payload)];
}

/** RETURNING promises no order, and a queue serves in the order of arrival. */
function oldestFirst(rows: readonly OutboxRow[]): OutboxJob[] {
  return rows.map(toJob).sort((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
}

@Injectable()
export class PgOutboxStore extends OutboxStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(tx: Tx, entry: OutboxEntry): Promise<string> {
    const traceparent = activeTraceparent() ?? null;
    const values = [entry.queue, entry.jobName, JSON.stringify(entry.payload), entry.lane, traceparent];
    const row = await this.sql.row<{ id: string }>(ADD, values, tx);
    if (row === undefined) throw new Error('the outbox gave no id');
    return row.id;
  }

  override async findDueLanes(
    queues: readonly JobQueue[],
  ): Promise<readonly { readonly queue: JobQueue; readonly lane: JobLane }[]> {
    return await this.sql.rows<{ queue: JobQueue; lane: JobLane }>(FIND_DUE_LANES, [queues]);
  }

  override async takePending(queue: JobQueue, lane: JobLane, limit: number): Promise<readonly OutboxJob[]> {
    return oldestFirst(await this.sql.rows<OutboxRow>(TAKE_PENDING, [queue, lane, limit]));
  }

  override async countPublished(queue: JobQueue, lane: JobLane): Promise<number> {
    return (await this.sql.row<{ count: number }>(COUNT_PUBLISHED, [queue, lane]))?.count ?? 0;
  }

  override async takeStale(
    queue: JobQueue,
    olderThanMs: number,
    limit: number,
  ): Promise<readonly OutboxJob[]> {
    return oldestFirst(await this.sql.rows<OutboxRow>(TAKE_STALE, [queue, olderThanMs, limit]));
  }

  override async returnToPending(jobs: readonly OutboxJob[], when: 'now' | 'backed-off'): Promise<number> {
    if (jobs.length === 0) return 0;
    const ids = jobs.map((job) => job.id);
    const epochs = jobs.map((job) => job.epoch);
    return await this.sql.change(RETURN_TO_PENDING, [ids, epochs, when === 'backed-off']);
  }

  override async postpone(tx: Tx, outboxId: string, delayMs: number): Promise<'held' | 'queued'> {
    const row = await this.sql.row<{ held: boolean }>(POSTPONE, [outboxId, delayMs], tx);
    return row?.held === true ? 'held' : 'queued';
  }

  override async finish(tx: Tx, outboxId: string): Promise<void> {
    await this.sql.change(FINISH, [outboxId], tx);
  }

  override async take(tx: Tx, work: EnqueuedWork): Promise<boolean> {
    return (await this.sql.change(TAKE, valuesOf(work), tx)) === 1;
  }

  override async discard(work: EnqueuedWork): Promise<void> {
    await this.sql.change(TAKE, valuesOf(work));
  }

  override async backlog(queues: readonly JobQueue[]): Promise<readonly OutboxBacklog[]> {
    type Row = { queue: JobQueue; pending: number; published: number; age: number; bulk_age: number };
    const rows = await this.sql.rows<Row>(BACKLOG, [queues]);
    return rows.map(({ age, bulk_age: bulkAge, ...row }) => ({
      ...row,
      oldestPendingSeconds: Math.max(0, age),
      oldestBulkSeconds: Math.max(0, bulkAge),
    }));
  }
}
