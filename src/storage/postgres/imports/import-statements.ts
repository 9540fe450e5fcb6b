// SQL by hand: the state of an import changes by conditional UPDATEs; its chunks are taken and summed in sets
import type { EntityManager } from 'typeorm';
import { UNFINISHED_STATES } from '../../../domain/imports/import-job.js';
import type { PageQuery } from '../../../domain/shared/page.js';
import { comesAfter, microsecondsOf } from '../microseconds.js';
import { oneOf } from '../one-of.js';
import { countUpToMost } from '../page-of-rows.js';
import { selecting } from '../query.js';
import type { Statement } from '../statement.js';
import { ImportChunkEntity, ImportEntity } from '../tables/import.entity.js';
import { OrganizationEntity } from '../tables/organization.entity.js';
import { written } from '../written.js';
import { selectImportJobs } from './change-import-job.js';
import { ELIGIBILITY_COLUMNS, JOB_CHANGED, JOB_COLUMNS, JOB_SUMS } from './import-rows.js';

/** Expiry of a job that has not ended yet: long enough for any file; the end sets the final one. */
const UNENDED_RETENTION = `interval '90 days'`;

function lease(parameter: number): string {
  return `app_now() + make_interval(secs => $${parameter}::float8 / 1000)`;
}

export const ADDED = written(
  ImportEntity,
  [
    'id',
    'orgId',
    'instanceWide',
    'createdBy',
    'callerKey',
    'format',
    'mode',
    'dryRun',
    'notify',
    'initialState',
    'updatePasswords',
    'fileName',
    'retryOf',
    'tokenId',
    'subjectEpoch',
    'createdThrough',
    'bytesExpected',
  ],
  2,
);
export const ADD = {
  name: 'import-jobs-add',
  text: `
    INSERT INTO imports (expires_at, reading_until, ${ADDED.columns})
    VALUES (app_now() + ${UNENDED_RETENTION}, ${lease(1)}, ${ADDED.parameters})
    ON CONFLICT (org_id, created_by, caller_key) WHERE caller_key IS NOT NULL DO NOTHING`,
};

export const FIND_BY_ID = selectImportJobs('import-jobs-find-by-id', 'j.id = $1');
export const LOOK = selectImportJobs('import-jobs-look', 'j.id = ANY ($1::text[])');

export const LIST_AT_WORK = {
  name: 'import-jobs-list-at-work',
  text: `
    SELECT id, work FROM (
      SELECT id, 'import' AS work, created_at, state = 'paused' AS waits FROM imports
      WHERE state ${oneOf(UNFINISHED_STATES)}
      UNION ALL
      SELECT id, CASE undo_state WHEN 'running' THEN 'undo' ELSE 'notify' END, created_at, false FROM imports
      WHERE undo_state = 'running' OR notify_state = 'running'
    ) AS at_work ORDER BY waits, created_at, id LIMIT $1`,
};

/** The file name and the organization of imports, for a list. */
export function importTitles(entities: EntityManager) {
  return entities
    .createQueryBuilder(ImportEntity, 'j')
    .select('j.id', 'jobId')
    .addSelect('j.fileName', 'fileName')
    .addSelect('o.name', 'organization')
    .innerJoin(OrganizationEntity, 'o', 'o.id = j.orgId')
    .where('j.id = ANY (:ids)');
}

/** Shorter steps would mostly show whether a chunk ended just before or just after a step. */
const SHORTEST_STEP_SECONDS = 2;

// computed from the times when chunks were finished. For a running import, the current step is left out
export const PACE = {
  name: 'import-jobs-pace',
  text: `
    WITH span AS (
      SELECT started_at, is_over, seconds, greatest(${SHORTEST_STEP_SECONDS}, ceil(seconds / $2::int))::int AS step
      FROM (SELECT started_at, finished_at IS NOT NULL AS is_over,
              extract(epoch FROM coalesce(finished_at, app_now()) - started_at)::float8 AS seconds
            FROM imports WHERE id = $1 AND started_at IS NOT NULL) AS j
    ), done AS (
      SELECT floor(extract(epoch FROM c.finished_at - s.started_at) / s.step)::int AS n, sum(c.records) AS records
      FROM span s JOIN import_chunks c ON c.import_id = $1 AND c.state = 'done'
      GROUP BY n
    )
    SELECT started_at + make_interval(secs => least((n + 1) * step, seconds)) AS at,
      round(coalesce(records, 0) / greatest(least(step, seconds - n * step), 1))::int AS rate
    FROM span CROSS JOIN generate_series(0, floor(seconds / step)::int) AS n LEFT JOIN done USING (n)
    WHERE n * step < seconds AND (is_over OR (n + 1) * step <= seconds)
    ORDER BY n`,
};

export const FIND_ELIGIBILITY = {
  name: 'import-jobs-find-eligibility',
  text: `SELECT ${ELIGIBILITY_COLUMNS} FROM imports j WHERE j.id = $1`,
};
export const FIND_BY_KEY = selectImportJobs(
  'import-jobs-find-by-key',
  'j.org_id = $1 AND j.created_by = $2 AND j.caller_key = $3',
);

const MATCHING = `j.org_id = $1 AND ($2::text[] IS NULL OR j.state = ANY ($2)) AND ($3::boolean OR NOT j.instance_wide)`;
/** A page of them, for the parameters of `MATCHING`, offset and limit, and those of a cursor. */
export function listStatement(page: PageQuery, values: unknown[]): Statement {
  const direction = page.ascending ? 'ASC' : 'DESC';
  const after = comesAfter(page, { alias: 'j', parameter: (value) => `$${values.push(value)}` });
  return {
    name: `import-jobs-list-${direction}${page.after === undefined ? '' : '-after'}`,
    text: `
      SELECT ${JOB_COLUMNS}, ${microsecondsOf('j.created_at')} AS list_key FROM (
        SELECT * FROM imports j WHERE ${MATCHING} AND ${after}
        ORDER BY created_at ${direction}, id ${direction} OFFSET $4 LIMIT $5) AS j ${JOB_SUMS}
      ORDER BY j.created_at ${direction}, j.id ${direction}`,
  };
}

export const COUNT = {
  name: 'import-jobs-count',
  text: countUpToMost(`FROM imports j WHERE ${MATCHING}`),
};

// the UPDATE locks the import, so that it cannot end meanwhile, and extends its lease
export const ADDED_CHUNK = written(
  ImportChunkEntity,
  ['payload', 'dataKeyId', 'number', 'firstLine', 'records', 'recordsOrgId', 'pass'],
  3,
);
export const ADD_CHUNK = {
  name: 'import-jobs-add-chunk',
  text: `
    WITH job AS (
      UPDATE imports SET changed_at = app_now(), reading_until = ${lease(2)},
        bytes_stored = bytes_stored + octet_length($3::bytea)
      WHERE id = $1 AND state = 'reading' AND bytes_stored + octet_length($3::bytea) <= bytes_held
      RETURNING id, org_id
    )
    INSERT INTO import_chunks (import_id, org_id, ${ADDED_CHUNK.columns})
    SELECT id, org_id, ${ADDED_CHUNK.parameters} FROM job`,
};

/** Ends: only results still take up space. A job whose file never came whole also frees its idempotency key (`caller_key`). */
const ENDED = `finished_at = app_now(), expires_at = app_now() + make_interval(secs => $RETENTION::float8 / 1000),
      bytes_held = (SELECT coalesce(sum(coalesce(octet_length(c.results), 0) + coalesce(octet_length(c.failed_payload), 0)), 0)
                    FROM import_chunks c WHERE c.import_id = id)`;
function ended(parameter: number): string {
  return ENDED.replace('$RETENTION', `$${parameter}`);
}

export const COMPLETE = {
  name: 'import-jobs-complete',
  text: `
    UPDATE imports SET state = 'queued', bytes_received = $2, checksum = $3, ${JOB_CHANGED},
      records_total = (SELECT coalesce(sum(records), 0) FROM import_chunks WHERE import_id = $1),
      bytes_held = bytes_stored
    WHERE id = $1 AND state = 'reading' RETURNING org_id`,
};

export const GIVE_UP = {
  name: 'import-jobs-give-up',
  text: `
    UPDATE imports SET state = 'failed', reason = 'source_incomplete', ${JOB_CHANGED}, ${ended(2)}, caller_key = NULL
    WHERE id = $1 AND state = 'reading' AND reading_until < app_now() RETURNING org_id`,
};

export const FAIL_READING = {
  name: 'import-jobs-fail-reading',
  text: `
    UPDATE imports SET state = 'failed', reason = $2, ${JOB_CHANGED}, ${ended(3)}, caller_key = NULL
    WHERE id = $1 AND state = 'reading' RETURNING org_id`,
};

export const END = {
  name: 'import-jobs-end',
  text: `
    UPDATE imports SET state = $4, reason = $2, ${JOB_CHANGED}, ${ended(3)}
    WHERE id = $1 AND finished_at IS NULL RETURNING org_id`,
};

export const SETTLE = {
  name: 'import-jobs-settle',
  text: `
    UPDATE imports j SET state = CASE j.state WHEN 'cancelling' THEN 'cancelled' ELSE 'done' END,
      ${JOB_CHANGED}, ${ended(2)}
    WHERE j.id = $1 AND j.state IN ('queued', 'running', 'paused', 'cancelling')
      AND NOT EXISTS (SELECT FROM import_chunks c
                      WHERE c.org_id = j.org_id AND c.import_id = j.id AND c.state IN ('pending', 'queued', 'running'))
    RETURNING j.org_id`,
};

/** Imports of one organization that are considered at once. */
const MOST_JOBS = 16;

/** SQL: the first pass of an import with unfinished chunks, by three index look-ups. */
const FIRST_PASS = ['pending', 'queued', 'running']
  .map(
    (state) =>
      `(SELECT c.pass FROM import_chunks c WHERE c.org_id = $1 AND c.state = '${state}' AND c.import_id = j.id
        ORDER BY c.pass, c.number LIMIT 1)`,
  )
  .join(', ');

// in turns: imports without a running chunk first, then the first waiting chunk of every import before the second of any
export const TAKE_NEXT = {
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

export function unfinishedImports(entities: EntityManager) {
  return entities
    .createQueryBuilder(ImportEntity, 'j')
    .select('j.state', 'state')
    .addSelect('count(*)::int', 'count')
    .where(`j.state ${oneOf(UNFINISHED_STATES)}`)
    .groupBy('j.state');
}

/** The chunks that are done, in the order of the file. */
export function doneChunks(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ImportChunkEntity, 'c'), [
    'number',
    'created',
    'updated',
    'skipped',
    'failed',
    'pass',
    'recordsOrgId',
  ])
    .where(`c.jobId = :jobId AND c.state = 'done'`)
    .orderBy('c.firstLine')
    .addOrderBy('c.number');
}

/** A sealed column of a chunk, without its other large ones. */
export function sealedOfChunk(column: 'results' | 'failedPayload') {
  return (entities: EntityManager) =>
    entities
      .createQueryBuilder(ImportChunkEntity, 'c')
      .select(`c.${column}`, 'sealed')
      .addSelect('c.dataKeyId', 'dataKeyId')
      .where(`c.jobId = :jobId AND c.number = :number AND c.${column} IS NOT NULL`);
}

// an upload whose lease has expired does not count as unfinished: it is about to be given up
export const SPACE_USAGE = {
  name: 'import-space-usage',
  text: `
    SELECT
      (SELECT coalesce(sum(bytes_held), 0)::float8 FROM imports WHERE org_id = $1 AND bytes_held > 0)
        AS "organizationBytes",
      (SELECT coalesce(sum(bytes_held), 0)::float8 FROM imports WHERE bytes_held > 0) AS "instanceBytes",
      (SELECT count(*)::int FROM imports
        WHERE org_id = $1 AND state ${oneOf(UNFINISHED_STATES)}
          AND (state <> 'reading' OR reading_until IS NULL OR reading_until > app_now())) AS unfinished`,
};
