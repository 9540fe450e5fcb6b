// SQL by hand: parts of the statements of imports, with sums over their chunks
import type { ImportEligibility } from '../../../domain/imports/import-eligibility.js';
import type {
  ImportedState,
  ImportFormat,
  ImportJob,
  ImportJobState,
  ImportMode,
  ImportNotify,
} from '../../../domain/imports/import-job.js';
import type { SealedPlace } from '../../../domain/secrets/sealer.js';
import type { ApplicationId, ImportJobId, UserId } from '../../../domain/shared/ids.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';

/** Where the parts of a chunk are sealed for. */
export function chunkPlace(
  column: 'payload' | 'results' | 'failed_payload',
  jobId: string,
  number: number,
): SealedPlace {
  return { purpose: 'import-chunk', table: 'import_chunks', column, rowId: `${jobId}/${number}` };
}

/** What `toImportJob` reads, of a row of `imports` as `j` and of `JOB_SUMS` as `s`. */
export const JOB_COLUMNS = `j.id, j.org_id, j.instance_wide, j.created_by, j.created_through, j.state, j.reason, j.format, j.mode,
      j.dry_run, j.notify, j.initial_state, j.update_passwords, j.file_name, j.bytes_received, j.records_total,
      j.checksum, j.retry_of, j.undo_state, j.undone_by, j.undone_through, j.notify_state, j.notified_by,
      j.notified_through, j.bytes_expected, j.bytes_arrived, j.started_at, j.finished_at, j.expires_at,
      j.sequence, j.created_at, j.changed_at, s.*`;

/** Of every change of a job. */
export const JOB_CHANGED = `sequence = sequence + 1, changed_at = app_now()`;

const ORGANIZATION_REMOVED = `
      EXISTS (SELECT FROM organizations o WHERE o.id = j.org_id AND o.state = 'removed') AS organization_removed`;

/** @param user SQL for the id of whoever asked */
function callerRemoved(user: string): string {
  return `NOT EXISTS (SELECT FROM users u WHERE u.id = ${user} AND u.state <> 'deleted') AS caller_removed`;
}

/** @param user as above */
export function callerActive(user: string): string {
  return `coalesce((SELECT u.state IN ('initial', 'active') FROM users u WHERE u.id = ${user}), false) AS caller_active`;
}

/** What `toEligibility` reads, of a row of `imports` as `j`. */
export const ELIGIBILITY_COLUMNS = `${ORGANIZATION_REMOVED}, ${callerRemoved('j.created_by')},
      j.token_id IS NOT NULL AND NOT EXISTS
        (SELECT FROM personal_access_tokens p WHERE p.id = j.token_id AND p.revoked_at IS NULL) AS token_revoked`;

/** The same of what somebody, `$2`, asked for after its end, with no token that it would depend on. */
export const ASKER_COLUMNS = `${ORGANIZATION_REMOVED}, ${callerRemoved('$2')}, false AS token_revoked,
      ${callerActive('$2')}`;

export type EligibilityRow = {
  organization_removed: boolean;
  caller_removed: boolean;
  token_revoked: boolean;
};

export function toEligibility(row: EligibilityRow): ImportEligibility {
  return {
    organizationRemoved: row.organization_removed,
    callerRemoved: row.caller_removed,
    tokenRevoked: row.token_revoked,
  };
}

// the counters of a chunk are written with its users, so their sum is never ahead of them
export const JOB_SUMS = `
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(c.created), 0)::int AS created, coalesce(sum(c.updated), 0)::int AS updated,
        coalesce(sum(c.skipped), 0)::int AS skipped, coalesce(sum(c.failed), 0)::int AS failed,
        coalesce(sum(c.weak), 0)::int AS weak, coalesce(sum(c.totp_secrets), 0)::int AS totp_secrets,
        coalesce(sum(c.held) FILTER (WHERE NOT c.notified), 0)::int AS held,
        coalesce(sum(c.removed), 0)::int AS removed,
        coalesce(sum(c.kept), 0)::int AS kept,
        coalesce(sum(c.created) FILTER (WHERE c.notified), 0)::int AS notified_users,
        coalesce(sum(c.records) FILTER (WHERE c.state = 'done' AND c.finished_at >
          (SELECT app_now()) - interval '30 seconds'), 0)::int
          AS lately,
        extract(epoch FROM coalesce(j.finished_at, (SELECT app_now())) - j.started_at)::float8 AS seconds
      FROM import_chunks c
      WHERE c.import_id = j.id
    ) AS s`;

export type ImportJobRow = ResourceRow & {
  id: ImportJobId;
  instance_wide: boolean;
  created_by: UserId;
  created_through: ApplicationId | null;
  state: ImportJobState;
  reason: string | null;
  format: ImportFormat;
  mode: ImportMode;
  dry_run: boolean;
  notify: ImportNotify;
  initial_state: ImportedState | null;
  update_passwords: boolean;
  file_name: string | null;
  bytes_received: string;
  records_total: number | null;
  checksum: Buffer | null;
  retry_of: ImportJobId | null;
  undo_state: 'running' | 'done' | null;
  undone_by: UserId | null;
  undone_through: ApplicationId | null;
  notify_state: 'running' | 'done' | null;
  notified_by: UserId | null;
  notified_through: ApplicationId | null;
  bytes_expected: string | null;
  bytes_arrived: string;
  started_at: Date | null;
  finished_at: Date | null;
  expires_at: Date;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  weak: number;
  totp_secrets: number;
  held: number;
  removed: number;
  kept: number;
  notified_users: number;
  lately: number;
  seconds: number | null;
};

const LATELY_SECONDS = 30;

export function toImportJob(row: ImportJobRow): ImportJob {
  const { created, updated, skipped, failed, weak, totp_secrets: totpSecrets, held } = row;
  return {
    id: row.id,
    orgId: row.org_id,
    instanceWide: row.instance_wide,
    createdBy: row.created_by,
    createdThrough: row.created_through,
    undoneThrough: row.undone_through,
    notifiedThrough: row.notified_through,
    state: row.state,
    format: row.format,
    mode: row.mode,
    dryRun: row.dry_run,
    notify: row.notify,
    updatePasswords: row.update_passwords,
    bytes: Number(row.bytes_received),
    bytesArrived: Number(row.bytes_arrived),
    counts: { created, updated, skipped, failed, weak, totpSecrets, held },
    expiresAt: row.expires_at,
    details: detailsOf(row),
    ...(row.initial_state !== null && { initialState: row.initial_state }),
    ...(row.file_name !== null && { fileName: row.file_name }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.bytes_expected !== null && { bytesExpected: Number(row.bytes_expected) }),
    ...(row.records_total !== null && { total: row.records_total }),
    ...(row.checksum !== null && { checksum: row.checksum.toString('hex') }),
    ...(row.retry_of !== null && { retryOf: row.retry_of }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    ...(row.undo_state !== null && {
      undo: { state: row.undo_state, removed: row.removed, kept: row.kept },
      ...(row.undone_by !== null && { undoneBy: row.undone_by }),
    }),
    ...(row.notify_state !== null && {
      notified: row.notify_state,
      notifiedUsers: row.notified_users,
      ...(row.notified_by !== null && { notifiedBy: row.notified_by }),
    }),
    ...speedOf(row),
  };
}

function speedOf(row: ImportJobRow): Pick<ImportJob, 'rate' | 'etaSeconds'> {
  const done = row.created + row.updated + row.skipped + row.failed;
  if (row.seconds === null || done === 0) return {};
  const over = row.finished_at === null ? Math.min(LATELY_SECONDS, row.seconds) : row.seconds;
  const records = row.finished_at === null ? row.lately : done;
  const rate = Math.round(records / Math.max(over, 0.001));
  if (row.finished_at !== null || rate === 0 || row.records_total === null) return { rate };
  return { rate, etaSeconds: Math.ceil((row.records_total - done) / rate) };
}
