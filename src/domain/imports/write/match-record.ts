import { outranksOrEquals, type HeldRole } from '../../permissions/rank.js';
import type { UserId } from '../../shared/ids.js';
import type { ClaimedChunk } from '../chunks/import-chunks.store.js';
import { identityKey } from '../records/imported-identities.js';
import { passkeyKey } from '../records/imported-passkeys.js';
import {
  nameKey,
  type KnownUsers,
  type UserBefore,
  type UserToAdd,
  type UserToChange,
} from './import-users.store.js';
import { isShutOut, type ChangePlan } from './plan-change.js';
import {
  ALREADY_EXISTS,
  ID_OF_SOMETHING_ELSE,
  IDENTITY_EXISTS,
  PASSKEY_EXISTS,
  REPEATED,
  REPEATED_IDENTITY,
  REPEATED_PASSKEY,
} from './record-faults.js';
import type { RecordFault } from './record-outcome.js';
import { bringsId, type Entry } from './settle-record.js';

const PASSKEY = 'p:';
const IDENTITY = 'd:';
const EMAIL = 'e:';
/** Fields of a change (`planChange`) by which somebody signs in, or comes to. */
const WAYS_IN = new Set(['email', 'phone', 'totpSecret', 'recoveryCodes', 'codeFactors']);

/** Whom a record means: nobody yet, somebody, or somebody it must not mean. */
export function match(
  chunk: ClaimedChunk,
  entry: Entry,
  known: KnownUsers,
): { readonly id: UserId } | { readonly fault: RecordFault } | undefined {
  const { add } = entry;
  const byName = known.byUserName.get(nameKey(add.orgId, add.canonicalUserName));
  const byEmail =
    add.canonicalEmail === undefined ? undefined : known.byEmail.get(nameKey(add.orgId, add.canonicalEmail));
  const byId = bringsId(entry) ? known.byId.get(add.id) : undefined;
  if (byId?.is === 'other') return { fault: ID_OF_SOMETHING_ELSE };
  if (byId !== undefined && (byId.is === 'deleted' || byId.orgId !== add.orgId || chunk.mode === 'insert')) {
    return taken('userId');
  }
  const target = byId === undefined ? (bringsId(entry) ? undefined : byName) : add.id;
  if (byName !== undefined && (byName !== target || chunk.mode === 'insert')) return taken('userName');
  if (byEmail !== undefined && byEmail !== target) return taken('email.email');
  // a user who is skipped gets no credentials
  if (chunk.mode === 'skip' && target !== undefined) return { id: target };
  const owners = (add.passkeys ?? []).map((passkey) => known.byPasskey.get(passkeyKey(passkey)));
  if (owners.some((owner) => owner !== undefined && owner !== target)) return { fault: PASSKEY_EXISTS };
  const identified = (add.identities ?? []).map((identity) => known.byIdentity.get(identityKey(identity)));
  if (identified.some((owner) => owner !== undefined && owner !== target)) return { fault: IDENTITY_EXISTS };
  return target === undefined ? undefined : { id: target };
}

function taken(path: string): { readonly fault: RecordFault } {
  return { fault: { ...ALREADY_EXISTS, path } };
}

/** Never a user with more rights than the caller has, nor the caller's own way in (security S163). */
export function mayNotChange(
  chunk: ClaimedChunk,
  callerRoles: readonly HeldRole[],
  { user, roles }: UserBefore,
  { add, record }: Entry,
): RecordFault | undefined {
  if (user.type !== add.is.type) {
    return { code: 'invalid', path: 'kind', message: `the user is a ${user.type}` };
  }
  const own = user.id === chunk.createdBy;
  if (own && (record?.state !== undefined || chunk.updatePasswords)) {
    return { code: 'forbidden', message: 'nobody changes their own state or password by an import' };
  }
  // a token that may do less than its user is no more its user here than it is anybody else
  const inPerson = own && chunk.createdThrough === null;
  if (inPerson || roles.length === 0 || outranksOrEquals(callerRoles, roles)) return undefined;
  return { code: 'forbidden', message: 'the user has more rights than the caller' };
}

/**
 * The last owner of the instance must not be shut out (`KeepOwner`), and among thousands of records nobody would notice which one
 * did it: owners are shut out one by one, by calls.
 */
export function shutsOwnerOut({ state }: UserToChange, { user, roles }: UserBefore): boolean {
  return state !== user.state && isShutOut(state) && roles.some(({ role }) => role === 'IAM_OWNER');
}

/**
 * A record may change the caller's own account, but not what signs them in (`WAYS_IN`): that needs a fresh sign-in, and nobody may
 * mark their own address as verified.
 */
export function letsCallerIn(
  { createdBy }: ClaimedChunk,
  { change: { id }, fields }: Pick<ChangePlan, 'change' | 'fields'>,
): RecordFault | undefined {
  const path = id === createdBy ? fields.find((field) => WAYS_IN.has(field)) : undefined;
  if (path === undefined) return undefined;
  return { code: 'forbidden', path, message: 'nobody changes what lets themselves in by an import' };
}

/** An organization's provider has none over whoever holds a role elsewhere: who keeps it could be them. */
export function haveASay({ orgId, identities = [] }: UserToChange, { roles }: UserBefore): boolean {
  return identities.every(({ ofInstance }) => ofInstance) || roles.every((role) => role.orgId === orgId);
}

/** What no two records of a file may have in common. */
export function keysOf({
  id,
  orgId,
  canonicalUserName,
  canonicalEmail,
  passkeys = [],
  identities = [],
}: UserToAdd): string[] {
  const own = [`i:${id}`, `n:${nameKey(orgId, canonicalUserName)}`];
  if (canonicalEmail !== undefined) own.push(`${EMAIL}${nameKey(orgId, canonicalEmail)}`);
  for (const passkey of passkeys) own.push(`${PASSKEY}${passkeyKey(passkey)}`);
  for (const identity of identities) own.push(`${IDENTITY}${identityKey(identity)}`);
  return own;
}

/** Of a key that another chunk of a dry run has: what its user, had they been kept, would make of this record. */
export function foundInTrial(key: string): RecordFault {
  if (key.startsWith(EMAIL)) return { ...ALREADY_EXISTS, path: 'email.email' };
  if (key.startsWith(IDENTITY)) return IDENTITY_EXISTS;
  if (key.startsWith(PASSKEY)) return PASSKEY_EXISTS;
  return { ...ALREADY_EXISTS, path: key.startsWith('i:') ? 'userId' : 'userName' };
}

/** Addresses are the one thing that need not be noted ahead of writing: whoever has one is found by it. */
export function isNoted(key: string): boolean {
  return !key.startsWith(EMAIL);
}

/** Of a name, a passkey or an identity that another record of the file has as well. */
export function repeatOf(key: string): RecordFault {
  if (key.startsWith(IDENTITY)) return REPEATED_IDENTITY;
  return key.startsWith(PASSKEY) ? REPEATED_PASSKEY : REPEATED;
}
