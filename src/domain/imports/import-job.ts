import type { Acting } from '../permissions/acting.js';
import type { RequestingToken } from '../permissions/requesting-token.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { ApplicationId, ImportJobId, OrgId, UserId } from '../shared/ids.js';
import type { PageQuery } from '../shared/page.js';

/**
 * The imports module brings a file of users in without keeping its sender waiting. States of a job: reading (the
 * file is being received) → queued → running ⇄ paused → done; or cancelling → cancelled, also with a reason when it
 * is the service that cancels it; or failed with a reason.
 * `undone` is a job whose users were taken out again.
 */
export type ImportJobState = (typeof IMPORT_STATES)[number];

export const UNFINISHED_STATES = ['reading', 'queued', 'running', 'paused', 'cancelling'] as const;
const ENDED = ['cancelled', 'failed', 'done', 'undone'] as const;
export const IMPORT_STATES = [...UNFINISHED_STATES, ...ENDED] as const;
/** States that a job does not leave by itself. */
export const ENDED_STATES: readonly ImportJobState[] = ENDED;

/** What happens to a record of an existing user: an error, nothing, or an update of the user. */
export type ImportMode = (typeof IMPORT_MODES)[number];
export const IMPORT_MODES = ['insert', 'skip', 'upsert'] as const;
/** Messages to users who must verify something or set a password: at once, when asked for, or never. */
export type ImportNotify = (typeof IMPORT_NOTIFY)[number];
export const IMPORT_NOTIFY = ['now', 'deferred', 'none'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];
export const IMPORT_FORMATS = ['json', 'ndjson', 'csv'] as const;
/** `active` and `initial` are one wish: which of them it is follows from whether there is a password. */
export type ImportedState = (typeof IMPORTED_STATES)[number];
export const IMPORTED_STATES = ['active', 'initial', 'inactive', 'locked'] as const;

/** Why an import is cancelled by the service itself: what it stood on is gone (security F46, S164). */
export type ImportStop = 'permission_lost' | 'organization_removed' | 'caller_removed' | 'token_revoked';

export type ImportFailure =
  | 'source_incomplete'
  | 'source_unreadable'
  /** The upload could not be stored: the sender has to send it again (security F45). */
  | 'source_unavailable'
  /** There was no space left for it (ImportSpace). */
  | 'no_space'
  /** The chunks do not open: the data key they were sealed under is gone. */
  | 'records_lost';

export interface ImportOptions {
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  readonly dryRun: boolean;
  readonly notify: ImportNotify;
  /** Of records that name none. */
  readonly initialState?: ImportedState | undefined;
  /** Of `upsert`: a password in a record takes the place of the one there is. */
  readonly updatePasswords: boolean;
  readonly fileName?: string | undefined;
}

export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
  /** Of those created and updated: with a password hash that is weaker than what is made today. */
  readonly weak: number;
  /** Of those created and updated: with a TOTP secret, which is asked for from the next sign-in on. */
  readonly totpSecrets: number;
  /** Of those: with recovery codes, of which at least one works here. */
  readonly recoveryCodes: number;
  /** Of those: with codes by e-mail or SMS as a second factor, which they had not. */
  readonly codeFactors: number;
  /** Passkeys that came along with those. */
  readonly passkeys: number;
  /** Passkeys that were left out, since they are for another relying-party id and work nowhere here. */
  readonly foreignPasskeys: number;
  /** Identities at providers that came to be linked. */
  readonly identities: number;
  /** Identities that their user had before. */
  readonly knownIdentities: number;
  /** Identities that could not be linked, or were not since passwords were to stay. */
  readonly refusedIdentities: number;
  /** Messages that `notify: deferred` holds back and that nobody has asked for. */
  readonly held: number;
}

/** All of them. */
export const IMPORT_COUNTS = [
  'created',
  'updated',
  'skipped',
  'failed',
  'weak',
  'totpSecrets',
  'recoveryCodes',
  'codeFactors',
  'passkeys',
  'foreignPasskeys',
  'identities',
  'knownIdentities',
  'refusedIdentities',
  'held',
] as const satisfies readonly (keyof ImportCounts)[];

export interface ImportJob extends ImportOptions {
  readonly id: ImportJobId;
  readonly orgId: OrgId;
  /** Whoever made it may import into every organization: records may name one. */
  readonly instanceWide: boolean;
  readonly createdBy: UserId;
  /** The application by whose token they asked; null for a token of their own. So for the two below. */
  readonly createdThrough: ApplicationId | null;
  readonly state: ImportJobState;
  /** Why it failed, or was cancelled by the service itself. */
  readonly reason?: string;
  readonly bytes: number;
  /** Of the upload as it is on the wire: how many its sender announced, and how many came so far. */
  readonly bytesExpected?: number;
  readonly bytesArrived: number;
  /** Undefined while the file is received. */
  readonly total?: number;
  readonly counts: ImportCounts;
  /** SHA-256 of the unpacked file, hexadecimal. */
  readonly checksum?: string;
  readonly retryOf?: ImportJobId;
  readonly startedAt?: Date;
  readonly finishedAt?: Date;
  readonly expiresAt: Date;
  /** Records a second: of the last half minute while it runs, of the whole run afterwards; none while it is paused. */
  readonly rate?: number;
  readonly etaSeconds?: number;
  readonly undo?: { readonly state: 'running' | 'done'; readonly removed: number; readonly kept: number };
  /** Who asked for that. */
  readonly undoneBy?: UserId;
  readonly undoneThrough: ApplicationId | null;
  /** Of a job with `notify: deferred`: whether the messages were asked for. */
  readonly notified?: 'running' | 'done';
  /** How many of those created it was done for. */
  readonly notifiedUsers?: number;
  /** Who asked for them. */
  readonly notifiedBy?: UserId;
  readonly notifiedThrough: ApplicationId | null;
  readonly details: ResourceDetails;
}

export interface ImportQuery extends PageQuery {
  readonly states?: readonly ImportJobState[] | undefined;
}

/** A job as its organization's managers name it, and the actor; with their credential, where the work continues after the call. */
export interface ImportChange extends Acting, RequestingToken {
  readonly orgId: OrgId;
  readonly jobId: ImportJobId;
}

/**
 * What somebody asks for once an import has ended, and is done a chunk at a time: its users are taken out again, or
 * get the messages that were kept back.
 */
export type PostImportWork = 'undo' | 'notify';

export function importNotFound(): ApiError {
  return new ApiError('not-found', 'Import not found', 'IMPORT-4kD2s');
}

export function wrongState(wanted: string, state: ImportJobState): ApiError {
  return new ApiError(
    'failed-precondition',
    `the import cannot be ${wanted}: it is ${state}`,
    'IMPORT-9sW1k',
  );
}
