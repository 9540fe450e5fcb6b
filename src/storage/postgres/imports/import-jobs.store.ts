import { Injectable } from '@nestjs/common';
import type { ImportEligibility } from '../../../domain/imports/import-eligibility.js';
import type {
  ImportFailure,
  ImportJob,
  ImportJobState,
  ImportQuery,
  ImportStop,
} from '../../../domain/imports/import-job.js';
import {
  ImportJobsStore,
  type ChunkInFile,
  type ChunkName,
  type ImportAtWork,
  type ImportTitle,
  type NewImportChunk,
  type NewImportJob,
} from '../../../domain/imports/import-jobs.store.js';
import type { ImportWork } from '../../../domain/imports/import-progress.js';
import type { ImportPass } from '../../../domain/imports/records/passes.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ImportJobId, OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { MicroBatch } from '../throughput/micro-batch.js';
import { pageFrom, VIEW_COLUMNS, type ViewRow } from '../view-row.js';
import { changeImportJob, findImportJob, selectImportJobs } from './change-import-job.js';
import {
  chunkPlace,
  JOB_CHANGED,
  JOB_COLUMNS,
  JOB_SUMS,
  STANDING_COLUMNS,
  toEligibility,
  toImportJob,
  type EligibilityRow,
  type ImportJobRow,
} from './import-rows.js';

/** Of a job whose end nobody has reached yet: long enough for any file, and the end sets it anew. */
const UNENDED_RETENTION = `interval '90 days'`;

function lease(parameter: number): string {
  return `app_now() + make_interval(secs => $${parameter}::float8 / 1000)`;
}

const ADD = {
  name: 'import-jobs-add',
  text: `
    INSERT INTO imports (id, org_id, instance_wide, created_by, caller_key, format, mode, dry_run, notify,
                             initial_state, update_passwords, file_name, retry_of, expires_at, token_id,
                             reading_until, created_through, bytes_expected)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, app_now() + ${UNENDED_RETENTION}, $14,
      ${lease(15)}, $16, $17)
    ON CONFLICT (org_id, created_by, caller_key) WHERE caller_key IS NOT NULL DO NOTHING`,
};

const FIND_BY_ID = selectImportJobs('import-jobs-find-by-id', 'j.id = $1');
const LOOK = selectImportJobs('import-jobs-look', 'j.id = ANY ($1::text[])');
/** Imports that one statement reads. */
const MOST_LOOKS = 200;

const LIST_AT_WORK = {
  name: 'import-jobs-list-at-work',
  text: `
    SELECT id, work FROM (
      SELECT id, 'import' AS work, created_at, state = 'paused' AS waits FROM imports
      WHERE state IN ('reading', 'queued', 'running', 'paused', 'cancelling')
      UNION ALL
      SELECT id, CASE undo_state WHEN 'running' THEN 'undo' ELSE 'notify' END, created_at, false FROM imports
      WHERE undo_state = 'running' OR notify_state = 'running'
    ) AS at_work ORDER BY waits, created_at, id LIMIT $1`,
};

const TITLES = {
  name: 'import-jobs-titles',
  text: `
    SELECT j.id, j.file_name, o.name FROM imports j JOIN organizations o ON o.id = j.org_id
    WHERE j.id = ANY ($1::text[])`,
};

const FIND_ELIGIBILITY = {
  name: 'import-jobs-find-eligibility',
  text: `SELECT ${STANDING_COLUMNS} FROM imports j WHERE j.id = $1`,
};
const FIND_BY_KEY = selectImportJobs(
  'import-jobs-find-by-key',
  'j.org_id = $1 AND j.created_by = $2 AND j.caller_key = $3',
);

const MATCHING = `j.org_id = $1 AND ($2::text[] IS NULL OR j.state = ANY ($2)) AND ($3::boolean OR NOT j.instance_wide)`;
function list(direction: 'ASC' | 'DESC'): Statement {
  return {
    name: `import-jobs-list-${direction}`,
    text: `
      SELECT ${JOB_COLUMNS} FROM (
        SELECT * FROM imports j WHERE ${MATCHING}
        ORDER BY created_at ${direction}, id ${direction} OFFSET $4 LIMIT $5) AS j ${JOB_SUMS}
      ORDER BY j.created_at ${direction}, j.id ${direction}`,
  };
}
const LIST = { ascending: list('ASC'), descending: list('DESC') };

const COUNT = {
  name: 'import-jobs-count',
  text: `SELECT count(*)::integer AS total, ${VIEW_COLUMNS} FROM imports j WHERE ${MATCHING}`,
};

// the lock on the job keeps its end waiting; every chunk says that more may come
const ADD_CHUNK = {
  name: 'import-jobs-add-chunk',
  text: `
    WITH job AS (
      UPDATE imports SET changed_at = app_now(), reading_until = ${lease(9)},
        bytes_stored = bytes_stored + octet_length($6::bytea)
      WHERE id = $1 AND state = 'reading' AND bytes_stored + octet_length($6::bytea) <= bytes_held
      RETURNING id, org_id
    )
    INSERT INTO import_chunks (import_id, org_id, number, first_line, records, records_org_id, payload, data_key_id, pass)
    SELECT id, org_id, $2, $3, $4, $5, $6, $7, $8 FROM job`,
};

const ASSIGN_ORGANIZATION = {
  name: 'import-jobs-assign-organization',
  text: `
    UPDATE import_chunks SET records_org_id = $3
    WHERE import_id = $1 AND number = ANY ($2::int[]) AND records_org_id IS NULL`,
};

/** Ends: records that waited go, what was done stays; what was kept to tell the same request again goes where no result came of it. */
const ENDED = `finished_at = app_now(), expires_at = app_now() + make_interval(secs => $RETENTION::float8 / 1000),
      bytes_held = (SELECT coalesce(sum(coalesce(octet_length(c.results), 0) + coalesce(octet_length(c.failed_payload), 0)), 0)
                    FROM import_chunks c WHERE c.import_id = id)`;
function ended(parameter: number): string {
  return ENDED.replace('$RETENTION', `$${parameter}`);
}

const COMPLETE = {
  name: 'import-jobs-complete',
  text: `
    UPDATE imports SET state = 'queued', bytes_received = $2, checksum = $3, ${JOB_CHANGED},
      records_total = (SELECT coalesce(sum(records), 0) FROM import_chunks WHERE import_id = $1),
      bytes_held = bytes_stored
    WHERE id = $1 AND state = 'reading' RETURNING org_id`,
};

const RENEW_LEASE = {
  name: 'import-jobs-renew-lease',
  text: `UPDATE imports SET reading_until = ${lease(2)}, bytes_arrived = $3 WHERE id = $1 AND state = 'reading'`,
};

const GIVE_UP = {
  name: 'import-jobs-give-up',
  text: `
    UPDATE imports SET state = 'failed', reason = 'source_incomplete', ${JOB_CHANGED}, ${ended(2)}, caller_key = NULL
    WHERE id = $1 AND state = 'reading' AND reading_until < app_now() RETURNING org_id`,
};

const END = {
  name: 'import-jobs-end',
  text: `
    UPDATE imports SET state = $4, reason = $2, ${JOB_CHANGED}, ${ended(3)},
      caller_key = CASE WHEN records_total IS NULL THEN NULL ELSE caller_key END
    WHERE id = $1 AND finished_at IS NULL RETURNING org_id`,
};

// a job of which nothing counts yet leaves no trace of its records; of another, only what did not happen goes
const DROP_WAITING = {
  name: 'import-jobs-drop-waiting',
  text: `
    UPDATE import_chunks SET state = 'cancelled', payload = NULL, data_key_id = NULL, finished_at = app_now()
    WHERE import_id = $1 AND state IN ('pending', 'queued')`,
};

const MOVE_ON = {
  name: 'import-jobs-move-on',
  text: `
    UPDATE imports SET state = $4, ${JOB_CHANGED}
    WHERE org_id = $1 AND id = $2 AND state = ANY ($3::text[]) RETURNING org_id`,
};

const SETTLE = {
  name: 'import-jobs-settle',
  text: `
    UPDATE imports j SET state = CASE j.state WHEN 'cancelling' THEN 'cancelled' ELSE 'done' END,
      ${JOB_CHANGED}, ${ended(2)}
    WHERE j.id = $1 AND j.state IN ('queued', 'running', 'paused', 'cancelling')
      AND NOT EXISTS (SELECT FROM import_chunks c
                      WHERE c.org_id = j.org_id AND c.import_id = j.id AND c.state IN ('pending', 'queued', 'running'))
    RETURNING j.org_id`,
};

/** Jobs of one organization that are looked at for a window: more would only wait longer. */
const MOST_JOBS = 16;

/** Of a job: the first entry of each of three ranges of the index, however many chunks there are. */
const FIRST_PASS = ['pending', 'queued', 'running']
  .map(
    (state) =>
      `(SELECT c.pass FROM import_chunks c WHERE c.org_id = $1 AND c.state = '${state}' AND c.import_id = j.id
        ORDER BY c.pass, c.number LIMIT 1)`,
  )
  .join(', ');

// turns: the first waiting chunk of every job before the second of any, and before all, jobs that have none at work
const TAKE_NEXT = {
  name: 'import-jobs-take-next',
  text: `
    WITH at_work AS MATERIALIZED (
      SELECT import_id, count(*) AS chunks FROM import_chunks
      WHERE org_id = $1 AND state IN ('queued', 'running') GROUP BY import_id
    ), room AS (
      SELECT greatest(0, $2::int - coalesce(sum(chunks), 0))::int AS chunks FROM at_work
    ), jobs AS MATERIALIZED (
      SELECT j.id, coalesce(w.chunks, 0) AS at_work, j.created_at, least(${FIRST_PASS}) AS pass FROM imports j
      LEFT JOIN at_work w ON w.import_id = j.id
      WHERE j.org_id = $1 AND j.state IN ('queued', 'running')
        AND EXISTS (SELECT FROM import_chunks c WHERE c.org_id = $1 AND c.state = 'pending' AND c.import_id = j.id)
      ORDER BY j.created_at, j.id LIMIT ${MOST_JOBS}
    ), waiting AS MATERIALIZED (
      SELECT c.import_id, c.number, j.created_at,
        j.at_work + row_number() OVER (PARTITION BY c.import_id ORDER BY c.number) AS turn
      FROM jobs j CROSS JOIN LATERAL (
        SELECT import_id, number FROM import_chunks
        WHERE org_id = $1 AND state = 'pending' AND import_id = j.id AND pass = j.pass
        ORDER BY number LIMIT 2 * $2) AS c
      WHERE (SELECT chunks FROM room) > 0
    ), taken AS MATERIALIZED (
      SELECT c.import_id, c.number FROM waiting w
      JOIN import_chunks c ON c.import_id = w.import_id AND c.number = w.number
      WHERE c.state = 'pending'
      ORDER BY w.turn, w.created_at, w.import_id LIMIT (SELECT chunks FROM room) FOR UPDATE OF c SKIP LOCKED
    )
    UPDATE import_chunks c SET state = 'queued' FROM taken t
    WHERE c.import_id = t.import_id AND c.number = t.number
    RETURNING c.import_id, c.number`,
};

const COUNT_UNFINISHED = {
  name: 'import-jobs-count-unfinished',
  text: `
    SELECT state, count(*)::int AS count FROM imports
    WHERE state IN ('reading', 'queued', 'running', 'paused', 'cancelling') GROUP BY state`,
};

const LIST_CHUNKS = {
  name: 'import-jobs-list-chunks',
  text: `
    SELECT number, failed, pass, records_org_id FROM import_chunks
    WHERE import_id = $1 AND state = 'done' ORDER BY first_line, number`,
};

function read(column: 'results' | 'failed_payload'): Statement {
  return {
    name: `import-jobs-read-${column}`,
    text: `SELECT ${column} AS sealed, data_key_id FROM import_chunks
           WHERE import_id = $1 AND number = $2 AND ${column} IS NOT NULL`,
  };
}
const READ = { results: read('results'), failed_payload: read('failed_payload') };

@Injectable()
export class PgImportJobsStore extends ImportJobsStore {
  private readonly looks = new MicroBatch<ImportJobId, ImportJob | undefined>(async (ids) => {
    const rows = await this.sql.rows<ImportJobRow>(LOOK, [ids]);
    const jobs = new Map(rows.map((row) => [row.id, toImportJob(row)]));
    return ids.map((id) => jobs.get(id));
  }, MOST_LOOKS);

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
  }

  override async add(tx: Tx, job: NewImportJob): Promise<boolean> {
    const values = [
      job.id,
      job.orgId,
      job.instanceWide,
      job.createdBy,
      job.callerKey ?? null,
      job.format,
      job.mode,
      job.dryRun,
      job.notify,
      job.initialState ?? null,
      job.updatePasswords,
      job.fileName ?? null,
      job.retryOf ?? null,
      job.tokenId ?? null,
      job.leaseMs,
      job.createdThrough,
      job.bytesExpected ?? null,
    ];
    return (await this.sql.change(ADD, values, tx)) === 1;
  }

  override async findByKey(
    orgId: OrgId,
    createdBy: UserId,
    callerKey: Buffer,
  ): Promise<ImportJob | undefined> {
    const row = await this.sql.row<ImportJobRow>(FIND_BY_KEY, [orgId, createdBy, callerKey]);
    return row && toImportJob(row);
  }

  override async find(orgId: OrgId, id: ImportJobId, tx?: Tx): Promise<ImportJob | undefined> {
    return await findImportJob(this.sql, orgId, id, tx);
  }

  override async findById(id: ImportJobId): Promise<ImportJob | undefined> {
    const row = await this.sql.row<ImportJobRow>(FIND_BY_ID, [id]);
    return row && toImportJob(row);
  }

  override async look(id: ImportJobId): Promise<ImportJob | undefined> {
    return await this.looks.ask(id);
  }

  override async listAtWork(limit: number): Promise<readonly ImportAtWork[]> {
    const rows = await this.sql.rows<{ id: ImportJobId; work: ImportWork }>(LIST_AT_WORK, [limit]);
    return rows.map(({ id: jobId, work }) => ({ jobId, work }));
  }

  override async titles(ids: readonly ImportJobId[]): Promise<readonly ImportTitle[]> {
    type Row = { id: ImportJobId; file_name: string | null; name: string };
    const rows = await this.sql.rows<Row>(TITLES, [ids]);
    return rows.map((row) => ({
      jobId: row.id,
      fileName: row.file_name ?? undefined,
      organization: row.name,
    }));
  }

  override async findEligibility(id: ImportJobId): Promise<ImportEligibility | undefined> {
    const row = await this.sql.row<EligibilityRow>(FIND_ELIGIBILITY, [id]);
    return row && toEligibility(row);
  }

  override async list(
    orgId: OrgId,
    { states, offset, limit, ascending }: ImportQuery,
    instanceWide: boolean,
  ): Promise<Page<ImportJob>> {
    const matching = [orgId, states ?? null, instanceWide];
    const statement = ascending ? LIST.ascending : LIST.descending;
    const rows = await this.sql.rows<ImportJobRow>(statement, [...matching, offset, limit]);
    return pageFrom(rows.map(toImportJob), await this.sql.row<ViewRow>(COUNT, matching));
  }

  override async addChunk(id: ImportJobId, chunk: NewImportChunk, leaseMs: number): Promise<boolean> {
    const { number, firstLine, records, pass, recordsOrgId, packed } = chunk;
    const { sealed, dataKeyId } = this.sealer.seal(chunkPlace('payload', id, number), packed);
    const values = [id, number, firstLine, records, recordsOrgId ?? null, sealed, dataKeyId, pass, leaseMs];
    return (await this.sql.change(ADD_CHUNK, values)) === 1;
  }

  override async assignOrganization(
    id: ImportJobId,
    numbers: readonly number[],
    orgId: OrgId,
  ): Promise<void> {
    await this.sql.change(ASSIGN_ORGANIZATION, [id, numbers, orgId]);
  }

  override async complete(
    tx: Tx,
    id: ImportJobId,
    { bytes, checksum }: { readonly bytes: number; readonly checksum: Buffer },
  ): Promise<ImportJob | undefined> {
    return await changeImportJob(this.sql, tx, id, COMPLETE, [id, bytes, checksum]);
  }

  override async fail(
    tx: Tx,
    id: ImportJobId,
    reason: ImportFailure,
    retentionMs: number,
  ): Promise<ImportJob | undefined> {
    return await this.dropped(tx, id, END, [id, reason, retentionMs, 'failed']);
  }

  override async stop(
    tx: Tx,
    id: ImportJobId,
    reason: ImportStop,
    retentionMs: number,
  ): Promise<ImportJob | undefined> {
    return await this.dropped(tx, id, END, [id, reason, retentionMs, 'cancelled']);
  }

  override async renewLease(id: ImportJobId, leaseMs: number, bytesArrived: number): Promise<boolean> {
    return (await this.sql.change(RENEW_LEASE, [id, leaseMs, bytesArrived])) === 1;
  }

  override async giveUp(tx: Tx, id: ImportJobId, retentionMs: number): Promise<ImportJob | undefined> {
    return await this.dropped(tx, id, GIVE_UP, [id, retentionMs]);
  }

  override async moveOn(
    tx: Tx,
    orgId: OrgId,
    id: ImportJobId,
    from: readonly ImportJobState[],
    to: 'paused' | 'running' | 'cancelling',
  ): Promise<ImportJob | undefined> {
    return await changeImportJob(this.sql, tx, id, MOVE_ON, [orgId, id, from, to]);
  }

  override async dropWaiting(tx: Tx, id: ImportJobId): Promise<void> {
    await this.sql.change(DROP_WAITING, [id], tx);
  }

  override async settle(tx: Tx, id: ImportJobId, retentionMs: number): Promise<ImportJob | undefined> {
    return await changeImportJob(this.sql, tx, id, SETTLE, [id, retentionMs]);
  }

  override async takeNext(tx: Tx, orgId: OrgId, window: number): Promise<readonly ChunkName[]> {
    const rows = await this.sql.rows<{ import_id: ImportJobId; number: number }>(
      TAKE_NEXT,
      [orgId, window],
      tx,
    );
    return rows.map(({ import_id: jobId, number }) => ({ jobId, number }));
  }

  override async countUnfinished(): Promise<
    readonly { readonly state: ImportJobState; readonly count: number }[]
  > {
    return await this.sql.rows<{ state: ImportJobState; count: number }>(COUNT_UNFINISHED, []);
  }

  override async listChunks(id: ImportJobId): Promise<readonly ChunkInFile[]> {
    type Row = { number: number; failed: number; pass: ImportPass; records_org_id: OrgId | null };
    const rows = await this.sql.rows<Row>(LIST_CHUNKS, [id]);
    return rows.map(({ number, failed, pass, records_org_id: orgId }) => ({
      number,
      failed,
      pass,
      ...(orgId !== null && { recordsOrgId: orgId }),
    }));
  }

  override async readResults(id: ImportJobId, number: number): Promise<Buffer | undefined> {
    return await this.read('results', id, number);
  }

  override async readFailed(id: ImportJobId, number: number): Promise<Buffer | undefined> {
    return await this.read('failed_payload', id, number);
  }

  private async read(
    column: 'results' | 'failed_payload',
    id: ImportJobId,
    number: number,
  ): Promise<Buffer | undefined> {
    type Row = { sealed: Buffer; data_key_id: number };
    const row = await this.sql.row<Row>(READ[column], [id, number]);
    if (row === undefined) return undefined;
    const value = { sealed: row.sealed, dataKeyId: row.data_key_id };
    return await this.sealer.open(chunkPlace(column, id, number), value);
  }

  /** An end: what waits goes. */
  private async dropped(
    tx: Tx,
    id: ImportJobId,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<ImportJob | undefined> {
    const job = await changeImportJob(this.sql, tx, id, statement, values);
    if (job !== undefined) await this.dropWaiting(tx, id);
    return job;
  }
}
