import type { OrgId, UserId } from '../../shared/ids.js';
import type { ItemNames } from '../records/organization-items.js';

export const OUTCOMES = ['created', 'updated', 'skipped', 'failed'] as const;
export type OutcomeKind = (typeof OUTCOMES)[number];

/** Why a record failed or was skipped, or was not done in full, for programs. */
export type OutcomeCode =
  /** A field is missing, unknown or breaks its rule. */
  | 'invalid'
  /** The line is no JSON object, or the row has not the columns of its header. */
  | 'malformed'
  /** The id, user name or verified e-mail belongs to another user. */
  | 'already_exists'
  /** Another record of the same file names the same user. */
  | 'duplicate'
  /** Another organization's record, or a user with more rights than the caller. */
  | 'forbidden'
  | 'not_found'
  /** The user is there and has all that the record says. */
  | 'unchanged'
  /** It was done, but for something that could never work here. */
  | 'left_out'
  /** The database refuses it. */
  | 'refused'
  /** Workers died over it. */
  | 'quarantined';

export interface RecordFault {
  readonly code: OutcomeCode;
  /** Of the field, as in `profile.firstName`. */
  readonly path?: string | undefined;
  /** For people; names fields and rules, never a value. */
  readonly message: string;
  /** Of what is no human: `machine_user`, `project`. */
  readonly type?: string | undefined;
}

/** What became of one record. Every record of a chunk that is done has exactly one. */
export interface RecordOutcome {
  /** Of the file, from 1; of the JSON format the position of the record. */
  readonly line: number;
  readonly outcome: OutcomeKind;
  /** Of what is no human: `machine_user`, `project`; by the names of protocol §2.1. */
  readonly type?: string | undefined;
  /** The user that was made, changed or found; none in a dry run. */
  readonly userId?: UserId | undefined;
  /** The id that the record brought along. */
  readonly givenId?: string | undefined;
  readonly orgId?: OrgId | undefined;
  readonly code?: OutcomeCode | undefined;
  readonly path?: string | undefined;
  readonly message?: string | undefined;
  /** The password hash is weaker than what is made today. */
  readonly weak?: true | undefined;
  /** A TOTP secret was kept. */
  readonly totpSecret?: true | undefined;
  /** Recovery codes were kept, at least one that opens something here. */
  readonly recoveryCodes?: true | undefined;
  /** Codes are sent from now on. */
  readonly codeFactors?: true | undefined;
  /** How many were kept. */
  readonly passkeys?: number | undefined;
  /** How many were left out, since they are for another relying-party id. */
  readonly foreignPasskeys?: number | undefined;
  /** How many identities were linked, were there already, and were not linked. */
  readonly identities?: number | undefined;
  readonly knownIdentities?: number | undefined;
  readonly refusedIdentities?: number | undefined;
  /** Messages that wait until they are asked for. */
  readonly held?: number | undefined;
  /** Of the user after the import; a later change has raised it. */
  readonly sequence?: number | undefined;
  /** Of what is no user: what it is made up of. */
  readonly names?: Omit<ItemNames, 'id'> | undefined;
  /** What undoing the import did to a user that it had made. */
  readonly undone?: 'removed' | 'kept' | undefined;
}
