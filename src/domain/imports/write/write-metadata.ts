import { Injectable } from '@nestjs/common';
import { EventsStore, type AuditEvent } from '../../events/events.store.js';
import { EffectiveRoles } from '../../permissions/effective-roles.js';
import { outranksOrEquals } from '../../permissions/rank.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { Savepoint } from '../../shared/savepoint.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { actingOf, type ClaimedChunk } from '../chunks/import-chunks.store.js';
import type { ReceivedRecord } from '../receive/received-record.js';
import { namesOf, readItemJson, type MetadataItem } from '../records/organization-items.js';
import { ImportUsersStore, type MetadataToSet, type UserBefore } from './import-users.store.js';
import { fingerprint } from './plan-change.js';
import type { RecordFault, RecordOutcome } from './record-outcome.js';

/** One entry on its way; `place` among the records of the chunk. */
interface Entry {
  readonly place: number;
  readonly orgId: OrgId;
  readonly item: MetadataItem;
  readonly value: Buffer;
}

interface Plan {
  readonly entry: Entry;
  /** Of the user, which stays. */
  readonly sequence: string;
  readonly outcome: 'created' | 'updated';
  /** Not a user of the file that a dry run tries. */
  readonly isThere: boolean;
}

/**
 * Writes metadata that stands beside the users of a file: all of a chunk with one statement for each table. It is no
 * change of the user themselves, whose sequence stays: undoing an import must still find those that nobody touched.
 */
@Injectable()
export class WriteMetadata {
  constructor(
    private readonly users: ImportUsersStore,
    private readonly roles: EffectiveRoles,
    private readonly savepoint: Savepoint,
    private readonly events: EventsStore,
  ) {}

  /** @returns one outcome for each record, in their order */
  async execute(
    tx: Tx,
    chunk: ClaimedChunk,
    received: readonly ReceivedRecord[],
    now: Date,
  ): Promise<readonly RecordOutcome[]> {
    const outcomes: RecordOutcome[] = [];
    const entries: Entry[] = [];
    for (const [place, { line, json, fault }] of received.entries()) {
      if (fault !== undefined || json === undefined) {
        outcomes[place] = { line, outcome: 'failed', ...(fault ?? LOST) };
        continue;
      }
      const { item, orgId: named } = readItemJson(json);
      if (item.type !== 'user_metadata') throw new Error('this is no chunk of metadata');
      const orgId = (named ?? chunk.recordsOrgId) as OrgId;
      const { id, ...names } = namesOf(item, orgId);
      // stands until something better is known
      outcomes[place] = { line, outcome: 'created', type: item.type, givenId: id, orgId, names };
      entries.push({ place, orgId, item, value: Buffer.from(item.value, 'base64') });
    }
    const settle = (entry: Entry, outcome: RecordOutcome['outcome'], fault?: RecordFault): void => {
      const before = outcomes[entry.place];
      if (before !== undefined) outcomes[entry.place] = { ...before, outcome, ...fault };
    };
    const plans = await this.plan(tx, chunk, entries, settle);
    if (chunk.dryRun) await this.try(tx, chunk, plans, now, settle);
    else await this.write(tx, chunk, plans, now, settle);
    return outcomes;
  }

  /** Who would have too much is known once it is written. Users of the file itself are not there to have any. */
  private async try(...[tx, chunk, plans, now, settle]: Parameters<WriteMetadata['write']>): Promise<void> {
    await this.users.beginTrial(tx);
    await this.write(
      tx,
      chunk,
      plans.filter(({ isThere }) => isThere),
      now,
      settle,
    );
    await this.users.takeBack(tx);
  }

  private async plan(
    tx: Tx,
    chunk: ClaimedChunk,
    entries: readonly Entry[],
    settle: (entry: Entry, outcome: RecordOutcome['outcome'], fault?: RecordFault) => void,
  ): Promise<readonly Plan[]> {
    const ids = [...new Set(entries.map(({ item }) => item.userId as UserId))];
    const users =
      ids.length === 0 ? new Map<UserId, UserBefore>() : await this.users.lockUsersForUpdate(tx, ids);
    const missing = ids.filter((id) => !users.has(id));
    const expected = chunk.dryRun ? await this.users.triedIds(tx, chunk.jobId, missing) : new Set<string>();
    const callerRoles = await this.roles.everywhere(actingOf(chunk), tx);
    const seen = new Map<string, string>();
    const plans: Plan[] = [];
    for (const entry of entries) {
      const { item, orgId, value } = entry;
      const user = users.get(item.userId as UserId);
      if (orgId !== chunk.orgId && !chunk.instanceWide) {
        settle(entry, 'failed', ELSEWHERE);
        continue;
      }
      if (user === undefined ? !expected.has(item.userId) : user.user.orgId !== orgId) {
        settle(entry, 'failed', NO_USER);
        continue;
      }
      const roles = user?.roles ?? [];
      const own = item.userId === chunk.createdBy && chunk.createdThrough === null;
      if (roles.length > 0 && !own && !outranksOrEquals(callerRoles, roles)) {
        settle(entry, 'failed', OUTRANKED);
        continue;
      }
      const name = `${item.userId}\u0001${item.key}`;
      const print = fingerprint(value);
      const known = seen.get(name) ?? user?.metadata.get(item.key);
      const repeated = seen.has(name);
      if (known === print) settle(entry, 'skipped', UNCHANGED);
      else if (repeated) settle(entry, 'failed', REPEATED);
      else if (known !== undefined && chunk.mode === 'insert') settle(entry, 'failed', KNOWN);
      else if (known !== undefined && chunk.mode === 'skip') settle(entry, 'skipped', KNOWN);
      else {
        seen.set(name, print);
        const outcome = known === undefined ? 'created' : 'updated';
        settle(entry, outcome);
        plans.push({
          entry,
          outcome,
          sequence: user?.user.details.sequence ?? '1',
          isThere: user !== undefined,
        });
      }
    }
    return plans;
  }

  /** Whoever would have too much afterwards gets none of it. */
  private async write(
    tx: Tx,
    chunk: ClaimedChunk,
    plans: readonly Plan[],
    now: Date,
    settle: (entry: Entry, outcome: RecordOutcome['outcome'], fault?: RecordFault) => void,
  ): Promise<void> {
    if (plans.length === 0) return;
    const full = await this.attempt(tx, chunk, plans, now);
    if (full.size === 0) return;
    const isFull = ({ entry }: Plan): boolean => full.has(entry.item.userId);
    for (const { entry } of plans.filter(isFull)) settle(entry, 'failed', TOO_MUCH);
    await this.write(
      tx,
      chunk,
      plans.filter((plan) => !isFull(plan)),
      now,
      settle,
    );
  }

  /** @returns who would have too much: then nothing was written */
  private async attempt(
    tx: Tx,
    chunk: ClaimedChunk,
    plans: readonly Plan[],
    now: Date,
  ): Promise<ReadonlySet<string>> {
    const entries: MetadataToSet[] = plans.map(({ entry: { orgId, item, value } }) => ({
      orgId,
      userId: item.userId as UserId,
      key: item.key,
      value,
    }));
    try {
      await this.savepoint.run(tx, async () => {
        await this.users.setMetadata(tx, entries, now);
        const full = await this.users.withTooMuchMetadata(tx, [
          ...new Set(entries.map(({ userId }) => userId)),
        ]);
        if (full.length > 0) throw new TooMuch(new Set(full));
        await this.events.append(tx, ...eventsOf(chunk, plans));
      });
      return new Set();
    } catch (error) {
      if (error instanceof TooMuch) return error.users;
      throw error;
    }
  }
}

class TooMuch extends Error {
  constructor(readonly users: ReadonlySet<string>) {
    super('users would have too much metadata');
  }
}

const LOST: RecordFault = { code: 'malformed', message: 'the item is lost' };
const NO_USER: RecordFault = {
  code: 'not_found',
  path: 'id',
  message: 'User could not be found (QUERY-Dfbg2)',
};
const ELSEWHERE: RecordFault = {
  code: 'forbidden',
  path: 'orgId',
  message: 'the record names another organization than the caller may import into',
};
const OUTRANKED: RecordFault = { code: 'forbidden', message: 'the user has more rights than the caller' };
const UNCHANGED: RecordFault = { code: 'unchanged', message: 'the user has it already' };
const KNOWN: RecordFault = {
  code: 'already_exists',
  path: 'key',
  message: 'the user has another value of that key',
};
const REPEATED: RecordFault = { code: 'duplicate', path: 'key', message: 'the file has the key twice' };
const TOO_MUCH: RecordFault = {
  code: 'refused',
  message: 'the user would have more metadata than a user can have (META-4kQ8d)',
};

function eventsOf({ createdBy, jobId }: ClaimedChunk, plans: readonly Plan[]): AuditEvent[] {
  const byUser = new Map<string, { orgId: OrgId; sequence: string; fields: string[] }>();
  for (const { entry, sequence } of plans) {
    const { orgId, item } = entry;
    const known = byUser.get(item.userId) ?? { orgId, sequence, fields: [] };
    known.fields.push(`metadata.${item.key}`);
    byUser.set(item.userId, known);
  }
  return [...byUser].map(([userId, { orgId, sequence, fields }]) => ({
    orgId,
    aggregateType: 'user',
    aggregateId: userId,
    sequence,
    type: 'user.metadata.set',
    actorId: createdBy,
    fields,
    data: { import: jobId },
  }));
}
