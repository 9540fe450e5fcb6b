import { Injectable } from '@nestjs/common';
import type { SmsMode } from '../../notifications/providers/sms-providers.js';
import { EffectiveRoles } from '../../permissions/effective-roles.js';
import { Sealer } from '../../secrets/sealer.js';
import { SessionsStore } from '../../sessions/sessions.store.js';
import type { UserId } from '../../shared/ids.js';
import { MOST_OWNED } from '../../shared/most-owned.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { actingOf, type ClaimedChunk } from '../chunks/import-chunks.store.js';
import { identityKey } from '../records/imported-identities.js';
import { EnqueueImportSms } from './enqueue-import-sms.js';
import {
  ImportUsersStore,
  isSms,
  type KnownUsers,
  type MessageToEnqueue,
  type UserToChange,
} from './import-users.store.js';
import {
  foundInTrial,
  haveASay,
  isNoted,
  keysOf,
  letsCallerIn,
  match,
  mayNotChange,
  repeatOf,
  shutsOwnerOut,
} from './match-record.js';
import { planChange, type ChangePlan } from './plan-change.js';
import { UNHASHED, type PreparedRecord } from './prepare-records.js';
import { addedEvent, changedEvent } from './record-events.js';
import {
  ALREADY_EXISTS,
  NO_SAY,
  OWNER_OF_INSTANCE,
  REFUSED,
  REPEATED,
  TOO_MANY_PASSKEYS,
  TOO_MUCH_METADATA,
  VANISHED,
} from './record-faults.js';
import type { RecordOutcome } from './record-outcome.js';
import {
  bringsId,
  done,
  fail,
  otherIdentities,
  skip,
  type Entry,
  type IdentityCounts,
  type Writing,
} from './settle-record.js';

interface Decided {
  readonly adds: readonly Entry[];
  readonly changes: readonly {
    readonly entry: Entry;
    readonly plan: ChangePlan;
    readonly others: IdentityCounts;
  }[];
}

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
    // in a file of new users the first look finds nobody: the indexes say the same while they are written. Whose password was
    // not hashed was found there a moment ago
    const areNew = !entries.some((entry) => bringsId(entry) || (isUnhashed(entry) && !chunk.dryRun));
    await this.place(writing, entries, chunk.mode === 'insert' && areNew ? 0 : 1);
    if (chunk.dryRun) {
      await this.users.takeBack(tx);
      await this.noteTried(writing, entries);
    } else await this.enqueueImportSms.execute(tx, smsMode, writing.sms, now);
    return writing.outcomes;
  }

  /** Faulty records, and the second of two that name one user, are settled here. */
  private async withoutRepeats(writing: Writing, prepared: readonly PreparedRecord[]): Promise<Entry[]> {
    const { chunk } = writing;
    const seen = new Set<string>();
    const entries: Entry[] = [];
    for (const [place, one] of prepared.entries()) {
      const { add, fault } = one;
      if (fault !== undefined || add === undefined) {
        fail(writing, place, one, fault ?? { code: 'invalid', message: 'the record cannot be read' });
        continue;
      }
      const keys = keysOf(add);
      const repeated = keys.find((key) => seen.has(key));
      if (repeated !== undefined) fail(writing, place, one, repeatOf(repeated));
      else entries.push({ ...one, place, add });
      for (const key of keys) seen.add(key);
    }
    if (chunk.mode === 'insert') return entries;
    const keys = entries.map(({ add }) => keysOf(add).filter(isNoted));
    const repeats = await this.noteFirst(writing, keys);
    return entries.filter((entry, index) => {
      const repeated = repeats[index];
      if (repeated !== undefined) fail(writing, entry.place, entry, repeatOf(repeated));
      return repeated === undefined;
    });
  }

  /**
   * What a chunk of a dry run would have written is what other chunks would find: only that, since of a record that fails nothing
   * is left. Whoever comes second is refused as they would be.
   */
  private async noteTried(writing: Writing, entries: readonly Entry[]): Promise<void> {
    const { chunk, outcomes, tx } = writing;
    const tried = entries.filter(({ place }) => isWritten(outcomes[place]));
    const keys = tried.map(({ add }) =>
      keysOf(add).filter((key) => chunk.mode === 'insert' || !isNoted(key)),
    );
    const repeats = await this.noteFirst(writing, keys);
    for (const [index, entry] of tried.entries()) {
      const repeated = repeats[index];
      if (repeated !== undefined) fail(writing, entry.place, entry, foundInTrial(repeated));
    }
    const left = tried.filter(({ place }) => isWritten(outcomes[place]));
    await this.users.noteTriedIds(
      tx,
      chunk.jobId,
      left.map(({ add }) => add.id),
    );
  }

  /** @returns of each record a key that another one of the file has, if there is one */
  private async noteFirst(
    { tx, chunk }: Writing,
    keys: readonly (readonly string[])[],
  ): Promise<readonly (string | undefined)[]> {
    const isFirst = await this.users.noteNames(tx, chunk.jobId, keys.flat());
    let at = 0;
    return keys.map((some) => {
      const own = isFirst.slice(at, (at += some.length));
      return some.find((_, number) => own[number] === false);
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
      // a token with less than all rights of its user makes nobody responsible for the credentials that it imports
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
        if (isUnhashed(entry) && !writing.chunk.dryRun) {
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
      const ownFault = plan && letsCallerIn(chunk, plan);
      if (ownFault !== undefined) {
        fail(writing, entry.place, entry, ownFault);
      } else if (plan === undefined) {
        const why = { code: 'unchanged', message: 'the user has all that the record says' } as const;
        skip(writing, entry, id, why, otherIdentities(before, entry.add, undefined));
      } else if (before.passkeys.size + (plan.change.passkeys ?? []).length > MOST_OWNED.passkeys.most) {
        fail(writing, entry.place, entry, TOO_MANY_PASSKEYS);
      } else if (shutsOwnerOut(plan.change, before)) {
        fail(writing, entry.place, entry, OWNER_OF_INSTANCE);
      } else if (!haveASay(plan.change, before)) {
        fail(writing, entry.place, entry, NO_SAY);
      } else changes.push({ entry, plan, others: otherIdentities(before, entry.add, plan.change) });
    }
    return changes;
  }

  private async settle(writing: Writing, adds: Decided['adds'], changes: Decided['changes']): Promise<void> {
    writing.sms.push(...messagesOf(writing.chunk, adds, changes).filter(isSms));
    for (const entry of adds) {
      done(writing, this.sealer, { entry, outcome: 'created', user: entry.add, sequence: 1 });
    }
    for (const { entry, plan, others } of changes) {
      const { change: user, sequence } = plan;
      done(writing, this.sealer, { entry, outcome: 'updated', user, sequence, others });
    }
    await this.endSessions(
      writing,
      changes.map(({ plan }) => plan.change).filter(({ endsTokens }) => endsTokens),
    );
  }

  /** The token epoch has risen already; sessions end one by one, since applications are notified of each. */
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

function isWritten(outcome: RecordOutcome | undefined): boolean {
  return outcome?.outcome === 'created' || outcome?.outcome === 'updated';
}

function isUnhashed({ add }: Entry): boolean {
  return add.password?.hash === UNHASHED;
}

function messagesOf(
  chunk: ClaimedChunk,
  adds: Decided['adds'],
  changes: Decided['changes'],
): readonly MessageToEnqueue[] {
  if (chunk.dryRun) return [];
  return [...adds.flatMap(({ messages }) => messages), ...changes.flatMap(({ plan }) => plan.messages)];
}
