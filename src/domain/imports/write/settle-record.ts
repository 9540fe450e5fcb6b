import { importedHash } from '../../factors/recovery-codes/recovery-code-hash.js';
import type { HeldRole } from '../../permissions/rank.js';
import type { Sealer } from '../../secrets/sealer.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { ClaimedChunk } from '../chunks/import-chunks.store.js';
import type { ImportRecord } from '../records/import-record.js';
import { identityKey } from '../records/imported-identities.js';
import type { SmsToEnqueue, UserBefore, UserToAdd, UserToChange } from './import-users.store.js';
import { identitiesOf, type PreparedRecord } from './prepare-records.js';
import type { RecordFault, RecordOutcome } from './record-outcome.js';

/** A record that may become, or change, a user. */
export interface Entry extends PreparedRecord {
  readonly place: number;
  readonly add: UserToAdd;
}

export function bringsId({ record }: Entry): boolean {
  return record?.userId !== undefined;
}

/** One chunk being written in one transaction. */
export interface Writing {
  readonly tx: Tx;
  readonly chunk: ClaimedChunk;
  readonly now: Date;
  readonly outcomes: RecordOutcome[];
  /** Queued at the end, to users who were written. */
  readonly sms: SmsToEnqueue[];
  /** Roles of whoever made the job; read where somebody is to be changed. */
  callerRoles: readonly HeldRole[] | undefined;
}

/** Of identities that are not linked now. */
export type IdentityCounts = Pick<RecordOutcome, 'knownIdentities' | 'refusedIdentities'>;

/** A user as it was written. */
interface Settled {
  readonly entry: Entry;
  readonly outcome: 'created' | 'updated';
  readonly user: UserToAdd | UserToChange;
  readonly sequence: number;
  readonly others?: IdentityCounts;
}

export function done(
  { chunk, outcomes }: Writing,
  sealer: Sealer,
  { entry, outcome, user, sequence, others }: Settled,
): void {
  const { foreignPasskeys = 0 } = entry;
  const invisible = chunk.dryRun && outcome === 'created' && !bringsId(entry);
  outcomes[entry.place] = {
    line: entry.received.line,
    outcome,
    ...typeOf(entry.record),
    ...(invisible ? {} : { userId: user.id }),
    ...(entry.givenId !== undefined && { givenId: entry.givenId }),
    orgId: user.orgId,
    ...(foreignPasskeys > 0 && { foreignPasskeys, ...leftOut(foreignPasskeys) }),
    ...(user.password?.weak === true && { weak: true as const }),
    ...keptFactors(sealer, user),
    ...countsOf({ identities: user.identities?.length, ...others }),
    ...(outcome === 'created' && !chunk.dryRun && entry.held && { held: entry.held }),
    sequence,
  };
}

function keptFactors(
  sealer: Sealer,
  { id, totpSecret, recoveryCodes = [], codeFactors = [], passkeys = [] }: UserToAdd | UserToChange,
): Partial<RecordOutcome> {
  return {
    ...(totpSecret !== undefined && { totpSecret: true }),
    // those that this service made elsewhere or for another user open nothing, and are not kept
    ...(recoveryCodes.some((code) => importedHash(sealer, id, code) !== undefined) && {
      recoveryCodes: true,
    }),
    ...(codeFactors.length > 0 && { codeFactors: true }),
    ...(passkeys.length > 0 && { passkeys: passkeys.length }),
  };
}

function leftOut(foreignPasskeys: number): RecordFault {
  const text = foreignPasskeys === 1 ? '1 passkey is' : `${foreignPasskeys} passkeys are`;
  const message = `${text} for another relying-party id and left out`;
  return { code: 'left_out', path: 'passkeys', message };
}

/** Of a user who is there: identities that they had, and those that the record brings and the change has not. */
export function otherIdentities(
  before: UserBefore,
  { identities = [] }: UserToAdd,
  change: UserToChange | undefined,
): IdentityCounts {
  const known = identities.filter((identity) => before.identities.has(identityKey(identity))).length;
  return {
    knownIdentities: known,
    refusedIdentities: identities.length - known - (change?.identities ?? []).length,
  };
}

/** Without zeros: an outcome is kept for each record. */
function countsOf<Name extends string>(
  counts: Readonly<Partial<Record<Name, number | undefined>>>,
): Partial<Record<Name, number>> {
  const some = Object.entries(counts).filter(([, count]) => typeof count === 'number' && count > 0);
  return Object.fromEntries(some) as Partial<Record<Name, number>>;
}

export function skip(
  { outcomes }: Writing,
  entry: Entry,
  userId: UserId,
  why: RecordFault,
  identities: IdentityCounts,
): void {
  const { received, givenId, add } = entry;
  outcomes[entry.place] = {
    line: received.line,
    outcome: 'skipped',
    ...typeOf(entry.record),
    userId,
    givenId,
    orgId: add.orgId,
    ...why,
    ...countsOf(identities),
  };
}

export function fail({ outcomes }: Writing, place: number, one: PreparedRecord, fault: RecordFault): void {
  const { received, givenId, orgId, record } = one;
  outcomes[place] = {
    line: received.line,
    outcome: 'failed',
    ...typeOf(record, received.json),
    givenId,
    orgId,
    ...fault,
    ...countsOf({ refusedIdentities: isOfIdentities(fault) ? identitiesOf(record).length : 0 }),
  };
}

function isOfIdentities({ path }: RecordFault): boolean {
  return path === 'idps' || path?.startsWith('idps[') === true;
}

/** Humans are most of any file, and need no word for it. */
function typeOf(record: ImportRecord | undefined, json = ''): { readonly type?: 'machine_user' } {
  const isMachine = record === undefined ? MACHINE_ELEMENT.test(json) : record.kind === 'machine';
  return isMachine ? { type: 'machine_user' } : {};
}

/** As the upload wraps an element of `machineUsers`, also of one that cannot be read. */
const MACHINE_ELEMENT = /^\{("orgId":"[^"]*",)?"machineUser":/;
