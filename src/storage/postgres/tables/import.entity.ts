import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import {
  ENDED_STATES,
  IMPORT_STATES,
  UNFINISHED_STATES,
  type ImportedState,
  type ImportFormat,
  type ImportJobState,
  type ImportMode,
  type ImportNotify,
} from '../../../domain/imports/import-job.js';
import type { ImportPass } from '../../../domain/imports/records/passes.js';
import type { ApplicationId, ImportJobId, OrgId, UserId } from '../../../domain/shared/ids.js';
import { oneOf } from '../one-of.js';
import { CountedChanges } from './counted-changes.js';
import { DataKeyEntity } from './data-key.entity.js';
import { OrganizationEntity } from './organization.entity.js';

/** A bulk import, from the first byte of its file to the end of its retention. */
@Entity('imports')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'imports_org' })
@Unique('imports_in_org', ['orgId', 'id'])
@Index('imports_listed', ['orgId', 'createdAt', 'id'])
@Index('imports_expiry', ['expiresAt'])
@Index('imports_unfinished', ['orgId', 'state'], {
  where: `state ${oneOf(UNFINISHED_STATES)}`,
})
@Index('imports_post_import', ['id'], { where: "undo_state = 'running' OR notify_state = 'running'" })
@Index('imports_held', ['orgId', 'bytesHeld'], { where: 'bytes_held > 0' })
@Index('imports_once', ['orgId', 'createdBy', 'callerKey'], {
  unique: true,
  where: 'caller_key IS NOT NULL',
})
@Check('imports_state', `state ${oneOf(IMPORT_STATES)}`)
@Check('imports_format', "format IN ('json', 'ndjson', 'csv')")
@Check('imports_mode', "mode IN ('insert', 'skip', 'upsert')")
@Check('imports_notify', "notify IN ('now', 'deferred', 'none')")
@Check('imports_initial_state', "initial_state IN ('active', 'initial', 'inactive', 'locked')")
@Check('imports_undo_state', "undo_state IN ('running', 'done')")
@Check('imports_notify_state', "notify_state IN ('running', 'done')")
@Check('imports_finished', `(state ${oneOf(ENDED_STATES)}) = (finished_at IS NOT NULL)`)
export class ImportEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'imports_pkey' })
  id!: ImportJobId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('boolean', { name: 'instance_wide', default: false })
  instanceWide!: boolean;

  @Column('text', { name: 'created_by' })
  createdBy!: UserId;

  /** SHA-256 of the Idempotency-Key. */
  @Column('bytea', { name: 'caller_key', nullable: true })
  callerKey!: Buffer | null;

  @Column('text', { default: 'reading' })
  state!: ImportJobState;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text')
  format!: ImportFormat;

  @Column('text')
  mode!: ImportMode;

  @Column('boolean', { name: 'dry_run', default: false })
  dryRun!: boolean;

  @Column('text')
  notify!: ImportNotify;

  @Column('text', { name: 'initial_state', nullable: true })
  initialState!: ImportedState | null;

  @Column('boolean', { name: 'update_passwords', default: false })
  updatePasswords!: boolean;

  @Column('text', { name: 'file_name', nullable: true })
  fileName!: string | null;

  @Column('bigint', { name: 'bytes_received', default: 0 })
  bytesReceived!: string;

  /** Null while the file is read. */
  @Column('integer', { name: 'records_total', nullable: true })
  recordsTotal!: number | null;

  /** SHA-256 of what was received, unpacked. */
  @Column('bytea', { nullable: true })
  checksum!: Buffer | null;

  @Column('text', { name: 'retry_of', nullable: true })
  retryOf!: ImportJobId | null;

  @Column('text', { name: 'undo_state', nullable: true })
  undoState!: 'running' | 'done' | null;

  @Column('text', { name: 'notify_state', nullable: true })
  notifyState!: 'running' | 'done' | null;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** While the file is received: the lease of the process that receives it. */
  @Column('timestamptz', { name: 'reading_until', nullable: true })
  readingUntil!: Date | null;

  /** The personal access token of the request. */
  @Column('text', { name: 'token_id', nullable: true })
  tokenId!: string | null;

  /** The epoch of the user who requested it, if they used any other token. */
  @Column('integer', { name: 'subject_epoch', nullable: true })
  subjectEpoch!: number | null;

  @Column('text', { name: 'undone_by', nullable: true })
  undoneBy!: UserId | null;

  @Column('text', { name: 'notified_by', nullable: true })
  notifiedBy!: UserId | null;

  /** The application of the token; null for a token of the user's own. */
  @Column('text', { name: 'created_through', nullable: true })
  createdThrough!: ApplicationId | null;

  @Column('text', { name: 'undone_through', nullable: true })
  undoneThrough!: ApplicationId | null;

  @Column('text', { name: 'notified_through', nullable: true })
  notifiedThrough!: ApplicationId | null;

  /** Token or epoch of the user who requested the undoing, then of the one who requested the messages, as `token_id` and `subject_epoch`. */
  @Column('text', { name: 'undone_token_id', nullable: true })
  undoneTokenId!: string | null;

  @Column('integer', { name: 'undone_subject_epoch', nullable: true })
  undoneSubjectEpoch!: number | null;

  @Column('text', { name: 'notified_token_id', nullable: true })
  notifiedTokenId!: string | null;

  @Column('integer', { name: 'notified_subject_epoch', nullable: true })
  notifiedSubjectEpoch!: number | null;

  /** Bytes of its stored records, compressed and sealed. */
  @Column('bigint', { name: 'bytes_stored', default: 0 })
  bytesStored!: string;

  /** Bytes that it counts against the limit: reserved space while the file is read, then its records, at the end its results. */
  @Column('bigint', { name: 'bytes_held', default: 0 })
  bytesHeld!: string;

  /** Content-Length of the upload; null if there was none. */
  @Column('bigint', { name: 'bytes_expected', nullable: true })
  bytesExpected!: string | null;

  /** Bytes received, up to a second ago. */
  @Column('bigint', { name: 'bytes_arrived', default: 0 })
  bytesArrived!: string;
}

/** Up to a thousand records, encrypted until they are written, and the result of each, encrypted as well. */
@Entity('import_chunks')
@ForeignKey(() => ImportEntity, ['orgId', 'jobId'], ['orgId', 'id'], {
  name: 'import_chunks_import',
  onDelete: 'CASCADE',
})
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'import_chunks_data_key' })
@Index('import_chunks_unfinished', ['orgId', 'state', 'jobId', 'pass', 'number'], {
  where: "state IN ('pending', 'queued', 'running')",
})
@Check('import_chunks_state', "state IN ('pending', 'queued', 'running', 'done', 'split', 'cancelled')")
@Check('import_chunks_outcomes', "state <> 'done' OR created + updated + skipped + failed = records")
@Check('import_chunks_payload', "(state IN ('pending', 'queued', 'running')) = (payload IS NOT NULL)")
@Check(
  'import_chunks_sealed',
  'data_key_id IS NOT NULL OR (payload IS NULL AND results IS NULL AND failed_payload IS NULL)',
)
export class ImportChunkEntity {
  @PrimaryColumn('text', { name: 'import_id', primaryKeyConstraintName: 'import_chunks_pkey' })
  jobId!: ImportJobId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'import_chunks_pkey' })
  number!: number;

  @Column('integer', { name: 'first_line' })
  firstLine!: number;

  @Column('integer')
  records!: number;

  /** Organization of the records that name none. */
  @Column('text', { name: 'records_org_id', nullable: true })
  recordsOrgId!: OrgId | null;

  @Column('text', { default: 'pending' })
  state!: string;

  /** Raised by each claim: a worker that lost its claim can write nothing. */
  @Column('bigint', { default: 0 })
  fence!: string;

  /** Claims that were never released, because workers crashed. */
  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  @Column('bytea', { nullable: true })
  payload!: Buffer | null;

  @Column('bytea', { nullable: true })
  results!: Buffer | null;

  /** The records that failed, as they were received, to be tried again. */
  @Column('bytea', { name: 'failed_payload', nullable: true })
  failedPayload!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;

  @Column('integer', { default: 0 })
  created!: number;

  @Column('integer', { default: 0 })
  updated!: number;

  @Column('integer', { default: 0 })
  skipped!: number;

  @Column('integer', { default: 0 })
  failed!: number;

  @Column('integer', { default: 0 })
  weak!: number;

  /** Users that undoing removed; null until it was undone. */
  @Column('integer', { nullable: true })
  removed!: number | null;

  @Column('integer', { nullable: true })
  kept!: number | null;

  @Column('boolean', { default: false })
  notified!: boolean;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;

  /** Chunks of an earlier pass come first. */
  @Column('integer', { default: 50 })
  pass!: ImportPass;

  @Column('integer', { name: 'totp_secrets', default: 0 })
  totpSecrets!: number;

  @Column('integer', { name: 'recovery_codes', default: 0 })
  recoveryCodes!: number;

  @Column('integer', { name: 'code_factors', default: 0 })
  codeFactors!: number;

  @Column('integer', { default: 0 })
  passkeys!: number;

  @Column('integer', { name: 'foreign_passkeys', default: 0 })
  foreignPasskeys!: number;

  @Column('integer', { default: 0 })
  identities!: number;

  @Column('integer', { name: 'known_identities', default: 0 })
  knownIdentities!: number;

  @Column('integer', { name: 'refused_identities', default: 0 })
  refusedIdentities!: number;

  /** Messages that are queued only when requested (`notify: deferred`). */
  @Column('integer', { default: 0 })
  held!: number;
}

/** Fingerprints of the names in the file so far, so that a duplicate record is distinguished from a change. */
@Entity('import_names')
@ForeignKey(() => ImportEntity, ['jobId'], ['id'], { name: 'import_names_import', onDelete: 'CASCADE' })
export class ImportNameEntity {
  @PrimaryColumn('text', { name: 'import_id', primaryKeyConstraintName: 'import_names_pkey' })
  jobId!: ImportJobId;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'import_names_pkey' })
  hash!: string;
}
