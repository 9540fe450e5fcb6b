// SQL by hand: columns and conditions that the statements of imports share, with sums over the chunks
import type { ImportEligibility } from '../../../domain/imports/import-eligibility.js';
import { IMPORT_COUNTS, type ImportCounts, type ImportJob } from '../../../domain/imports/import-job.js';
import type { SealedPlace } from '../../../domain/secrets/sealer.js';
import { columnOf, columns, detailsOf, pick } from '../table.js';
import { ImportChunkEntity, ImportEntity } from '../tables/import.entity.js';
import { callerActive, tokenRevoked } from '../users/caller-rows.js';

/** Where the parts of a chunk are sealed for. */
export function chunkPlace(
  column: 'payload' | 'results' | 'failed_payload',
  jobId: string,
  number: number,
): SealedPlace {
  return { purpose: 'import-chunk', table: 'import_chunks', column, rowId: `${jobId}/${number}` };
}

const JOB_FIELDS = [
  'id',
  'orgId',
  'instanceWide',
  'createdBy',
  'createdThrough',
  'undoneThrough',
  'notifiedThrough',
  'state',
  'format',
  'mode',
  'dryRun',
  'notify',
  'updatePasswords',
  'expiresAt',
] as const;
const OPTIONAL_FIELDS = ['initialState', 'fileName', 'reason', 'retryOf', 'startedAt', 'finishedAt'] as const;
const READ = [
  ...JOB_FIELDS,
  ...OPTIONAL_FIELDS,
  'bytesReceived',
  'bytesExpected',
  'bytesArrived',
  'recordsTotal',
  'checksum',
  'undoState',
  'undoneBy',
  'notifyState',
  'notifiedBy',
  'sequence',
  'createdAt',
  'changedAt',
] as const;

/** What `toImportJob` reads, of a row of `imports` as `j` and of `JOB_SUMS` as `s`. */
export const JOB_COLUMNS = `${columns(ImportEntity, 'j', READ)}, s.*`;

/** Of every change of a job. */
export const JOB_CHANGED = `sequence = sequence + 1, changed_at = app_now()`;

const ORGANIZATION_REMOVED = `
      EXISTS (SELECT FROM organizations o WHERE o.id = j.org_id AND o.state = 'removed') AS "organizationRemoved"`;

const CALLER_REMOVED = `
      NOT EXISTS (SELECT FROM users u WHERE u.id = j.created_by AND u.state <> 'deleted') AS "callerRemoved"`;

/** What makes an `ImportEligibility`, of a row of `imports` as `j`. */
export const ELIGIBILITY_COLUMNS = `${ORGANIZATION_REMOVED}, ${CALLER_REMOVED},
      ${callerActive('j.created_by')}, ${tokenRevoked('j')}`;

export type EligibilityRow = Pick<ImportEligibility, keyof ImportEligibility>;

/** SQL: the sum of a counter; `held` counts messages only until they are requested. */
function sumOf(count: keyof ImportCounts): string {
  const unasked = count === 'held' ? ' FILTER (WHERE NOT c.notified)' : '';
  return `coalesce(sum(c.${columnOf(ImportChunkEntity, count)})${unasked}, 0)::int AS "${count}"`;
}

/** The rate of a running import is that of its last seconds. */
const LATELY_SECONDS = 30;

// the counters of a chunk are written with its users, so their sum is never ahead of them
export const JOB_SUMS = `
    CROSS JOIN LATERAL (
      SELECT ${IMPORT_COUNTS.map(sumOf).join(', ')},
        coalesce(sum(c.removed), 0)::int AS removed,
        coalesce(sum(c.kept), 0)::int AS kept,
        coalesce(sum(c.created) FILTER (WHERE c.notified), 0)::int AS "notifiedUsers",
        coalesce(sum(c.records) FILTER (WHERE c.state = 'done' AND c.finished_at >
          (SELECT app_now()) - interval '${LATELY_SECONDS} seconds'), 0)::int
          AS lately,
        extract(epoch FROM coalesce(j.finished_at, (SELECT app_now())) - j.started_at)::float8 AS seconds
      FROM import_chunks c
      WHERE c.import_id = j.id
    ) AS s`;

export type ImportJobRow = Pick<ImportEntity, (typeof READ)[number]> &
  Pick<ImportCounts, keyof ImportCounts> & {
    removed: number;
    kept: number;
    notifiedUsers: number;
    lately: number;
    seconds: number | null;
  };

export function toImportJob(row: ImportJobRow): ImportJob {
  const known = OPTIONAL_FIELDS.flatMap((name) => (row[name] === null ? [] : [[name, row[name]]]));
  return {
    ...pick(row, JOB_FIELDS),
    ...(Object.fromEntries(known) as Pick<ImportJob, (typeof OPTIONAL_FIELDS)[number]>),
    bytes: Number(row.bytesReceived),
    bytesArrived: Number(row.bytesArrived),
    counts: pick(row, IMPORT_COUNTS),
    details: detailsOf(row),
    ...(row.bytesExpected !== null && { bytesExpected: Number(row.bytesExpected) }),
    ...(row.recordsTotal !== null && { total: row.recordsTotal }),
    ...(row.checksum !== null && { checksum: row.checksum.toString('hex') }),
    ...(row.undoState !== null && {
      undo: { state: row.undoState, removed: row.removed, kept: row.kept },
      ...(row.undoneBy !== null && { undoneBy: row.undoneBy }),
    }),
    ...(row.notifyState !== null && {
      notified: row.notifyState,
      notifiedUsers: row.notifiedUsers,
      ...(row.notifiedBy !== null && { notifiedBy: row.notifiedBy }),
    }),
    ...speedOf(row),
  };
}

function speedOf(row: ImportJobRow): Pick<ImportJob, 'rate' | 'etaSeconds'> {
  const done = row.created + row.updated + row.skipped + row.failed;
  // a paused import has no rate and no estimated end
  if (row.seconds === null || done === 0 || row.state === 'paused') return {};
  const over = row.finishedAt === null ? Math.min(LATELY_SECONDS, row.seconds) : row.seconds;
  const records = row.finishedAt === null ? row.lately : done;
  const rate = Math.round(records / Math.max(over, 0.001));
  if (row.finishedAt !== null || rate === 0 || row.recordsTotal === null) return { rate };
  return { rate, etaSeconds: Math.ceil((row.recordsTotal - done) / rate) };
}
