import { Injectable } from '@nestjs/common';
import type { AuditEvent } from '../events/events.store.js';
import { importedHash } from '../factors/recovery-code-hash.js';
import type { SmsMode } from '../notifications/providers/sms-providers.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { outranksOrEquals, type HeldRole } from '../permissions/rank.js';
import { Sealer } from '../secrets/sealer.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { UserId } from '../shared/ids.js';
import { MOST_OWNED } from '../shared/most-owned.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EnqueueImportSms } from './enqueue-import-sms.js';
import { actingOf, type ClaimedChunk } from './import-chunks.store.js';
import {
  ImportUsersStore,
  isSms,
  nameKey,
  type KnownUsers,
  type MessageToEnqueue,
  type SmsToEnqueue,
  type UserBefore,
  type UserToAdd,
  type UserToChange,
} from './import-users.store.js';
import { planChange, type ChangePlan } from './plan-change.js';
import { identitiesOf, UNHASHED, type PreparedRecord } from './prepare-records.js';
import type { RecordFault, RecordOutcome } from './record-outcome.js';
import type { ImportRecord } from './records/import-record.js';
import { identityKey } from './records/imported-identities.js';
import { passkeyKey } from './records/imported-passkeys.js';

/** A record that may become, or change, a user. */
interface Entry extends PreparedRecord {
  readonly place: number;
  readonly add: UserToAdd;
}

/** One chunk being written in one transaction. */
interface Writing {
  readonly tx: Tx;
  readonly chunk: ClaimedChunk;
  readonly now: Date;
  readonly outcomes: RecordOutcome[];
  /** Queued at the end, to users who were written. */
  readonly sms: SmsToEnqueue[];
  /** Roles of whoever made the job; read where somebody is to be changed. */
  callerRoles: readonly HeldRole[] | undefined;
}

interface Decided {
  readonly adds: readonly Entry[];
  readonly changes: readonly {
    readonly entry: Entry;
    readonly plan: ChangePlan;
    readonly others: IdentityCounts;
  }[];
}

/** Of identities that are not linked now. */
type IdentityCounts = Pick<RecordOutcome, 'knownIdentities' | 'refusedIdentities'>;

/** Looking again after a race was lost; from then on the records are looked at in smaller parts. */
const MOST_LOOKS = 3;
const NOBODY: KnownUsers = {
  byId: new Map(),
  byUserName: new Map(),
  byEmail: new Map(),
  byPasskey: new Map(),
  byIdentity: new Map(),
};

/**
 * Writes the records of a chunk in the transaction it is given, and says what became of each. All of them go in with
 * one statement for each table. What somebody took meanwhile is looked up again; what the database refuses is
 * narrowed down by halves until the one record that is at fault fails alone.
 */
@Injectable()
export class WriteRecords {
  constructor(
    private readonly users: ImportUsersStore,
    private readonly roles: EffectiveRoles,
    private readonly sessions: SessionsStore,
    private readonly enqueueImportSms: EnqueueImportSms,
    private readonly sealer: Sealer,
  ) {}

  /** @returns one outcome for each record, in their order */
  async execute(
    tx: Tx,
    chunk: ClaimedChunk,
    prepared: readonly PreparedRecord[],
    now: Date,
    smsMode: SmsMode,
  ): Promise<readonly RecordOutcome[]> {
    const writing: Writing = { tx, chunk, now, outcomes: [], sms: [], callerRoles: undefined };
    const entries = await this.withoutRepeats(writing, prepared);
    if (chunk.dryRun) await this.users.beginTrial(tx);
    // in a file of new users the first look finds nobody: the indexes say the same while they are written
    await this.place(writing, entries, chunk.mode === 'insert' && !entries.some(bringsId) ? 0 : 1);
    if (chunk.dryRun) await this.users.takeBack(tx);
    else await this.enqueueImportSms.execute(tx, smsMode, writing.sms, now);
    return writing.outcomes;
  }

  /** Faulty records, and the second of two that name one user, are settled here. */
  private async withoutRepeats(writing: Writing, prepared: readonly PreparedRecord[]): Promise<Entry[]> {
    const { tx, chunk } = writing;
    const seen = new Set<string>();
    const entries: Entry[] = [];
    for (const [place, one] of prepared.entries()) {
      const { add, fault } = one;
      if (fault !== undefined || add === undefined) {
        fail(writing, place, one, fault ?? { code: 'invalid', message: 'the record cannot be read' });
        continue;
      }
      const keys = keysOf(add);
      if (add.canonicalEmail !== undefined) keys.push(`e:${nameKey(add.orgId, add.canonicalEmail)}`);
      const repeated = keys.find((key) => seen.has(key));
      if (repeated !== undefined) fail(writing, place, one, repeatOf(repeated));
      else entries.push({ ...one, place, add });
      for (const key of keys) seen.add(key);
    }
    if (chunk.mode === 'insert' && !chunk.dryRun) return entries;
    const keys = entries.map(({ add }) => keysOf(add));
    const isFirst = await this.users.noteNames(tx, chunk.jobId, keys.flat());
    let at = 0;
    return entries.filter((entry, index) => {
      const own = isFirst.slice(at, (at += keys[index]?.length ?? 0));
      const repeated = keys[index]?.find((_, number) => own[number] === false);
      if (repeated === undefined) return true;
      fail(writing, entry.place, entry, repeatOf(repeated));
      return false;
    });
  }

  /** @param looks how often these records were looked up before */
  private async place(writing: Writing, entries: readonly Entry[], looks: number): Promise<void> {
    if (entries.length === 0) return;
    const { tx, chunk, now } = writing;
    const known = looks === 0 ? NOBODY : await this.find(tx, entries);
    const { adds, changes } = await this.decide(writing, entries, known);
    if (adds.length === 0 && changes.length === 0) return;
    const result = await this.users.write(tx, {
      adds: adds.map(({ add }) => add),
      changes: changes.map(({ plan }) => plan.change),
      messages: messagesOf(chunk, adds, changes).filter((message) => !isSms(message)),
      notices: chunk.dryRun ? [] : changes.flatMap(({ plan }) => plan.notices),
      events: [
        ...adds.map(({ add }) => addedEvent(chunk, add)),
        ...changes.map(({ plan }) => changedEvent(chunk, plan)),
      ],
      now,
      // what a token brings in that stands for less than all of its user is nobody's to answer for
      madeBy: chunk.createdThrough === null || chunk.instanceWide ? chunk.createdBy : undefined,
    });
    if (result === 'written') return await this.settle(writing, adds, changes);
    const written = [...adds, ...changes.map(({ entry }) => entry)];
    if (typeof result === 'object') {
      const tooFull = changes.filter(({ plan }) => result.full.has(plan.change.id));
      const full = new Set(tooFull.map(({ entry }) => entry));
      for (const entry of full) fail(writing, entry.place, entry, TOO_MUCH_METADATA);
      const others = written.filter((entry) => !full.has(entry));
      return await this.place(writing, others, 1);
    }
    if (result === 'taken' && looks < MOST_LOOKS) return await this.place(writing, written, looks + 1);
    const [only] = written;
    if (written.length === 1 && only !== undefined) {
      fail(writing, only.place, only, result === 'taken' ? ALREADY_EXISTS : REFUSED);
      return;
    }
    const half = Math.ceil(written.length / 2);
    await this.place(writing, written.slice(0, half), 1);
    await this.place(writing, written.slice(half), 1);
  }

  private async find(tx: Tx, entries: readonly Entry[]): Promise<KnownUsers> {
    return await this.users.find(tx, {
      ids: entries.filter(bringsId).map(({ add }) => add.id),
      userNames: entries.map(({ add }) => ({ orgId: add.orgId, canonical: add.canonicalUserName })),
      emails: entries.flatMap(({ add: { orgId, canonicalEmail: canonical } }) =>
        canonical === undefined ? [] : [{ orgId, canonical }],
      ),
      passkeys: entries.flatMap(({ add: { passkeys = [] } }) => passkeys),
      identities: entries.flatMap(({ add: { identities = [] } }) => identities),
    });
  }

  /** Settles what needs no writing. */
  private async decide(writing: Writing, entries: readonly Entry[], known: KnownUsers): Promise<Decided> {
    const adds: Entry[] = [];
    const there: { readonly entry: Entry; readonly id: UserId }[] = [];
    for (const entry of entries) {
      const found = match(writing.chunk, entry, known);
      if (found === undefined) {
        if (entry.add.password?.hash === UNHASHED && !writing.chunk.dryRun) {
          fail(writing, entry.place, entry, VANISHED);
        } else adds.push(entry);
      } else if ('fault' in found) fail(writing, entry.place, entry, found.fault);
      else if (writing.chunk.mode === 'skip') {
        const held = (entry.add.identities ?? []).filter(
          (identity) => known.byIdentity.get(identityKey(identity)) === found.id,
        );
        const why = { code: 'already_exists', message: 'the user is there already' } as const;
        skip(writing, entry, found.id, why, { knownIdentities: held.length });
      } else there.push({ entry, id: found.id });
    }
    return { adds, changes: await this.planChanges(writing, there) };
  }

  private async planChanges(
    writing: Writing,
    there: readonly { readonly entry: Entry; readonly id: UserId }[],
  ): Promise<Decided['changes']> {
    if (there.length === 0) return [];
    const { tx, chunk } = writing;
    const held = await this.users.lockUsersForUpdate(
      tx,
      there.map(({ id }) => id),
    );
    writing.callerRoles ??= await this.roles.everywhere(actingOf(chunk), tx);
    const changes: Decided['changes'][number][] = [];
    // one record may name by id whom another names by the name they have: no statement changes a user twice
    const meant = new Set<UserId>();
    for (const { entry, id } of there) {
      const before = held.get(id);
      if (before === undefined || meant.has(id)) {
        fail(writing, entry.place, entry, before === undefined ? VANISHED : REPEATED);
        continue;
      }
      meant.add(id);
      const fault = mayNotChange(chunk, writing.callerRoles, before, entry);
      if (fault !== undefined) {
        fail(writing, entry.place, entry, fault);
        continue;
      }
      const plan = planChange(chunk, before, entry, entry.add);
      if (plan === undefined) {
        const why = { code: 'unchanged', message: 'the user has all that the record says' } as const;
        skip(writing, entry, id, why, otherIdentities(before, entry.add, undefined));
      } else if (before.passkeys.size + (plan.change.passkeys ?? []).length > MOST_OWNED.passkeys.most) {
        fail(writing, entry.place, entry, TOO_MANY_PASSKEYS);
      } else if (!haveASay(plan.change, before)) {
        fail(writing, entry.place, entry, NO_SAY);
      } else changes.push({ entry, plan, others: otherIdentities(before, entry.add, plan.change) });
    }
    return changes;
  }

  private async settle(writing: Writing, adds: Decided['adds'], changes: Decided['changes']): Promise<void> {
    writing.sms.push(...messagesOf(writing.chunk, adds, changes).filter(isSms));
    for (const entry of adds) this.done(writing, entry, 'created', entry.add, 1);
    for (const { entry, plan, others } of changes) {
      this.done(writing, entry, 'updated', plan.change, plan.sequence, others);
    }
    await this.endSessions(
      writing,
      changes.map(({ plan }) => plan.change).filter(({ endsTokens }) => endsTokens),
    );
  }

  private done(
    { chunk, outcomes }: Writing,
    entry: Entry,
    outcome: 'created' | 'updated',
    written: UserToAdd | UserToChange,
    sequence: number,
    others: IdentityCounts = {},
  ): void {
    const { foreignPasskeys = 0 } = entry;
    const invisible = chunk.dryRun && outcome === 'created' && !bringsId(entry);
    outcomes[entry.place] = {
      line: entry.received.line,
      outcome,
      ...typeOf(entry.record),
      ...(invisible ? {} : { userId: written.id }),
      ...(entry.givenId !== undefined && { givenId: entry.givenId }),
      orgId: written.orgId,
      ...(foreignPasskeys > 0 && { foreignPasskeys, ...leftOut(foreignPasskeys) }),
      ...(written.password?.weak === true && { weak: true as const }),
      ...this.keptFactors(written),
      ...countsOf({ identities: written.identities?.length, ...others }),
      ...(outcome === 'created' && !chunk.dryRun && entry.held && { held: entry.held }),
      sequence,
    };
  }

  private keptFactors({
    id,
    totpSecret,
    recoveryCodes = [],
    codeFactors = [],
    passkeys = [],
  }: UserToAdd | UserToChange): Partial<RecordOutcome> {
    return {
      ...(totpSecret !== undefined && { totpSecret: true }),
      // those that this service made elsewhere or for another user open nothing, and are not kept
      ...(recoveryCodes.some((code) => importedHash(this.sealer, id, code) !== undefined) && {
        recoveryCodes: true,
      }),
      ...(codeFactors.length > 0 && { codeFactors: true }),
      ...(passkeys.length > 0 && { passkeys: passkeys.length }),
    };
  }

  /** The token epoch has risen already; sessions end one by one, since applications are told of each. */
  private async endSessions({ tx, chunk }: Writing, changes: readonly UserToChange[]): Promise<void> {
    if (changes.length === 0) return;
    const orgOf = new Map(changes.map(({ id, orgId }) => [id, orgId]));
    for (const userId of await this.users.withSessions(tx, [...orgOf.keys()])) {
      const orgId = orgOf.get(userId);
      if (orgId === undefined) continue;
      await this.sessions.endOfUser(tx, { orgId, userId }, 'changed_by_import', chunk.createdBy);
    }
  }
}

/** Of a name, a passkey or an identity that another record of the file has as well. */
function repeatOf(key: string): RecordFault {
  if (key.startsWith(IDENTITY)) return REPEATED_IDENTITY;
  return key.startsWith(PASSKEY) ? REPEATED_PASSKEY : REPEATED;
}

const PASSKEY = 'p:';
const REPEATED_PASSKEY: RecordFault = {
  code: 'duplicate',
  path: 'passkeys',
  message: 'another record of the file has the same passkey',
};
const PASSKEY_EXISTS: RecordFault = {
  code: 'already_exists',
  path: 'passkeys',
  message: 'Passkey already exists, of another user (COMMAND-Pk3d9)',
};
const IDENTITY = 'd:';
const REPEATED_IDENTITY: RecordFault = {
  code: 'duplicate',
  path: 'idps',
  message: 'another record of the file has the same identity',
};
const IDENTITY_EXISTS: RecordFault = {
  code: 'already_exists',
  path: 'idps',
  message: 'Identity belongs to a user already (IDP-Sb4tk)',
};
const NO_SAY: RecordFault = {
  code: 'refused',
  path: 'idps',
  message: 'The provider cannot sign this user in (IDP-Ns5ay)',
};
const TOO_MANY_PASSKEYS: RecordFault = {
  code: 'refused',
  path: 'passkeys',
  message: `${MOST_OWNED.passkeys.text} (LIMITS-6Mo2w)`,
};
const REPEATED: RecordFault = {
  code: 'duplicate',
  message: 'another record of the file names the same user',
};
const ALREADY_EXISTS: RecordFault = { code: 'already_exists', message: 'User already exists (V3-DKcYh)' };
const ID_OF_SOMETHING_ELSE: RecordFault = {
  code: 'already_exists',
  path: 'userId',
  message: 'userId stands for something else already (V3-DKcYh)',
};
const REFUSED: RecordFault = { code: 'refused', message: 'the database refuses the record' };
const TOO_MUCH_METADATA: RecordFault = {
  code: 'refused',
  path: 'metadata',
  message: 'the user would have more metadata than a user can have (META-4kQ8d)',
};
const VANISHED: RecordFault = { code: 'refused', message: 'the user was changed meanwhile; try again' };

function keysOf({ id, orgId, canonicalUserName, passkeys = [], identities = [] }: UserToAdd): string[] {
  const own = [`i:${id}`, `n:${nameKey(orgId, canonicalUserName)}`];
  for (const passkey of passkeys) own.push(`${PASSKEY}${passkeyKey(passkey)}`);
  for (const identity of identities) own.push(`${IDENTITY}${identityKey(identity)}`);
  return own;
}

function bringsId({ record }: Entry): boolean {
  return record?.userId !== undefined;
}

/** Whom a record means: nobody yet, somebody, or somebody it must not mean. */
function match(
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
  // whoever is left alone gets none of them
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
function mayNotChange(
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

/** An organization's provider has none over whoever holds a role elsewhere: who keeps it could be them. */
function haveASay({ orgId, identities = [] }: UserToChange, { roles }: UserBefore): boolean {
  return identities.every(({ ofInstance }) => ofInstance) || roles.every((role) => role.orgId === orgId);
}

function messagesOf(
  chunk: ClaimedChunk,
  adds: Decided['adds'],
  changes: Decided['changes'],
): readonly MessageToEnqueue[] {
  if (chunk.dryRun) return [];
  return [...adds.flatMap(({ messages }) => messages), ...changes.flatMap(({ plan }) => plan.messages)];
}

function addedEvent(chunk: ClaimedChunk, add: UserToAdd): AuditEvent {
  const { password } = add;
  return {
    orgId: add.orgId,
    aggregateType: 'user',
    aggregateId: add.id,
    sequence: 1,
    type: add.is.type === 'human' ? 'user.human.imported' : 'user.machine.imported',
    actorId: chunk.createdBy,
    fields: writtenFields(add),
    data: {
      state: add.state,
      passwordScheme: password?.scheme ?? null,
      passwordWeak: password?.weak ?? null,
      import: chunk.jobId,
    },
  };
}

function writtenFields({
  is,
  password,
  totpSecret,
  recoveryCodes = [],
  codeFactors = [],
  passkeys = [],
  identities = [],
  metadata,
}: UserToAdd): string[] {
  const fields = ['userName'];
  if (is.type === 'human') {
    fields.push('email');
    if (is.phone !== undefined) fields.push('phone');
    if (password !== undefined) fields.push('password');
    if (totpSecret !== undefined) fields.push('totpSecret');
    if (recoveryCodes.length > 0) fields.push('recoveryCodes');
    if (codeFactors.length > 0) fields.push('codeFactors');
    if (passkeys.length > 0) fields.push('passkeys');
    if (identities.length > 0) fields.push('identities');
    fields.push(...Object.keys(is.profile).sort());
  }
  for (const { key } of metadata) fields.push(`metadata.${key}`);
  return fields;
}

function changedEvent(chunk: ClaimedChunk, { change, fields, sequence }: ChangePlan): AuditEvent {
  return {
    orgId: change.orgId,
    aggregateType: 'user',
    aggregateId: change.id,
    sequence,
    type: change.is.type === 'human' ? 'user.human.changed' : 'user.machine.changed',
    actorId: chunk.createdBy,
    fields,
    data: { state: change.state, import: chunk.jobId },
  };
}

function leftOut(foreignPasskeys: number): RecordFault {
  const text = foreignPasskeys === 1 ? '1 passkey is' : `${foreignPasskeys} passkeys are`;
  const message = `${text} for another relying-party id and left out`;
  return { code: 'left_out', path: 'passkeys', message };
}

/** Of a user who is there: identities that they had, and those that the record brings and the change has not. */
function otherIdentities(
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

function skip(
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

function fail({ outcomes }: Writing, place: number, one: PreparedRecord, fault: RecordFault): void {
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
