import { createHash } from 'node:crypto';
import { changedFields } from '../../shared/changed-fields.js';
import { canonicalName } from '../../users/names/canonical-name.js';
import { usualDisplayName } from '../../users/profile-replacement.js';
import type { HumanUser, UserState } from '../../users/user.js';
import type { ClaimedChunk } from '../chunks/import-chunks.store.js';
import { identityKey } from '../records/imported-identities.js';
import { passkeyKey, type ImportedPasskey } from '../records/imported-passkeys.js';
import type {
  MessageToEnqueue,
  NoticeToEnqueue,
  UserBefore,
  UserToAdd,
  UserToChange,
} from './import-users.store.js';
import { addressToTell, isVerifiedNumberReplaced, mergeEmail, mergePhone } from './merge-addresses.js';
import type { PreparedRecord } from './prepare-records.js';

/** What bringing a user up to a record does. */
export interface ChangePlan {
  readonly change: UserToChange;
  /** Names only, for the audit log. */
  readonly fields: readonly string[];
  readonly messages: readonly MessageToEnqueue[];
  readonly notices: readonly NoticeToEnqueue[];
  /** Of the user afterwards. */
  readonly sequence: number;
}

/**
 * Of `upsert`: fields of the record replace the current ones; fields that it does not mention stay. Undefined if the user has all of
 * it already. No I/O.
 */
export function planChange(
  chunk: ClaimedChunk,
  before: UserBefore,
  { record }: PreparedRecord,
  add: UserToAdd,
): ChangePlan | undefined {
  const { user, hasPassword, hasTotpSecret, hasRecoveryCodes, codeFactors: held, metadata } = before;
  const fields: string[] = [];
  const is = user.type === 'human' ? mergeHuman(user, user.state, add, record, fields) : add.is;
  if (user.type === 'machine') {
    const { type, name, description, accessTokenType } = user;
    fields.push(...changedFields<object>({ type, name, description, accessTokenType }, { ...is }));
  }
  if (user.userName !== add.userName) fields.push('userName');
  const password = chunk.updatePasswords ? add.password : undefined;
  if (password !== undefined) fields.push('password');
  const totpSecret = chunk.updatePasswords || !hasTotpSecret ? add.totpSecret : undefined;
  if (totpSecret !== undefined) fields.push('totpSecret');
  const recoveryCodes = chunk.updatePasswords || !hasRecoveryCodes ? (add.recoveryCodes ?? []) : [];
  if (recoveryCodes.length > 0) fields.push('recoveryCodes');
  const codeFactors = (add.codeFactors ?? []).filter((kind) => !held.includes(kind));
  if (codeFactors.length > 0) fields.push('codeFactors');
  // each is a way in by itself, as a password is
  const passkeys = chunk.updatePasswords ? newPasskeys(before, add) : [];
  if (passkeys.length > 0) fields.push('passkeys');
  const identities = chunk.updatePasswords
    ? (add.identities ?? []).filter((identity) => !before.identities.has(identityKey(identity)))
    : [];
  if (identities.length > 0) fields.push('identities');
  const news = add.metadata.filter(({ key, value }) => metadata.get(key) !== fingerprint(value));
  fields.push(...news.map(({ key }) => `metadata.${key}`));
  const state = stateAfter(
    user.state,
    record?.state,
    user.type === 'machine' ||
      hasPassword ||
      password !== undefined ||
      before.identities.size + identities.length > 0 ||
      [...before.passkeys.values(), ...passkeys.map(({ passwordless }) => passwordless)].includes(true),
  );
  if (state !== user.state) fields.push('state');
  if (fields.length === 0) return undefined;
  const change: UserToChange = {
    id: user.id,
    orgId: user.orgId,
    userName: add.userName,
    canonicalUserName: add.canonicalUserName,
    state,
    endsTokens: (password !== undefined && hasPassword) || (state !== user.state && isShutOut(state)),
    is,
    canonicalEmail: is.type === 'human' && is.email.verified ? canonicalName(is.email.address) : undefined,
    metadata: news,
    password,
    totpSecret,
    recoveryCodes,
    codeFactors,
    passkeys,
    identities,
  };
  return {
    change,
    fields,
    messages: messagesOf(chunk, user, change),
    notices: noticesOf(chunk, user, change),
    sequence: Number(user.details.sequence) + 1,
  };
}

function newPasskeys(
  { passkeys: held }: UserBefore,
  { passkeys = [] }: UserToAdd,
): readonly ImportedPasskey[] {
  return passkeys.filter((passkey) => !held.has(passkeyKey(passkey)));
}

/** As the store returns the current values. */
export function fingerprint(value: Buffer): string {
  return createHash('sha256').update(value).digest('hex');
}

function mergeHuman(
  before: HumanUser,
  state: UserState,
  add: UserToAdd,
  record: PreparedRecord['record'],
  fields: string[],
): HumanUser {
  if (add.is.type !== 'human') return before;
  const given = record?.kind === 'human' ? record.human.profile : add.is.profile;
  const usual = usualDisplayName(before.profile);
  const profile = { ...before.profile, ...given };
  const displayName =
    given.displayName ??
    (before.profile.displayName === usual ? add.is.profile.displayName : before.profile.displayName);
  const address = mergeParts(before.profile.address, given.address);
  const merged = { ...profile, displayName, ...(address && { address }) };
  fields.push(...changedFields(before.profile, merged));
  const email = mergeEmail(state, before.email, add.is.email);
  if (changedFields({ ...before.email }, { ...email }).length > 0) fields.push('email');
  const phone = mergePhone(before.phone, add.is.phone);
  if (phone?.number !== before.phone?.number || phone?.verified !== before.phone?.verified) {
    fields.push('phone');
  }
  return { type: 'human', profile: merged, email, ...(phone && { phone }) };
}

/** The one there is, where nothing differs. */
function mergeParts<Parts extends object>(
  before: Parts | undefined,
  given: Parts | undefined,
): Parts | undefined {
  if (given === undefined || before === undefined) return given ?? before;
  const merged = { ...before, ...given };
  return changedFields(before, merged).length === 0 ? before : merged;
}

export function isShutOut(state: UserState): boolean {
  return state === 'inactive' || state === 'locked';
}

function stateAfter(before: UserState, wish: UserState | undefined, signsIn: boolean): UserState {
  if (wish === 'inactive' || wish === 'locked') return wish;
  if (isShutOut(before) && wish === undefined) return before;
  if (before === 'initial' || isShutOut(before)) return signsIn ? 'active' : 'initial';
  return before;
}

/**
 * The owner is notified of a new credential, as everywhere else; deferring messages does not suppress it. Nothing
 * suppresses the notice of a replaced address: later notices go to the new one.
 */
function noticesOf(
  { notify }: ClaimedChunk,
  before: UserBefore['user'],
  change: UserToChange,
): NoticeToEnqueue[] {
  const { id: userId, orgId, state, password, passkeys = [] } = change;
  const notices = noticesOfAddresses(before, change);
  if (notify === 'none' || isShutOut(state)) return notices;
  if (password !== undefined) notices.push({ orgId, userId, template: 'password_changed' });
  if (passkeys.length > 0) notices.push({ orgId, userId, template: 'passkey_added' });
  return notices;
}

function noticesOfAddresses(
  before: UserBefore['user'],
  { id: userId, orgId, is }: UserToChange,
): NoticeToEnqueue[] {
  if (before.type !== 'human' || is.type !== 'human') return [];
  const notices: NoticeToEnqueue[] = [];
  const address = addressToTell(before.email, is.email);
  if (address !== undefined) notices.push({ orgId, userId, template: 'email_changed', address });
  if (isVerifiedNumberReplaced(before.phone, is.phone)) {
    notices.push({ orgId, userId, template: 'phone_changed' });
  }
  return notices;
}

/** For changed values only: a code for an unverified address that stays was sent when it was set. */
function messagesOf(
  chunk: ClaimedChunk,
  before: UserBefore['user'],
  change: UserToChange,
): MessageToEnqueue[] {
  const { is, id: userId, orgId, state } = change;
  if (chunk.notify !== 'now' || isShutOut(state)) return [];
  if (before.type !== 'human' || is.type !== 'human') return [];
  const messages: MessageToEnqueue[] = [];
  if (!is.email.verified && is.email.address !== before.email.address) {
    const purpose = state === 'initial' ? 'initialise' : 'verify_email';
    messages.push({ orgId, userId, purpose, target: is.email.address });
  }
  const { pending } = is.email;
  if (pending !== undefined && pending !== before.email.pending) {
    messages.push({ orgId, userId, purpose: 'verify_email', target: pending });
  }
  if (is.phone !== undefined && !is.phone.verified && is.phone.number !== before.phone?.number) {
    messages.push({ orgId, userId, purpose: 'verify_phone', target: is.phone.number });
  }
  return messages;
}
