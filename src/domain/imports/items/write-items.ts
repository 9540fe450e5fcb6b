import { Injectable } from '@nestjs/common';
import { ApiError } from '../../shared/errors.js';
import type { OrgId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import { Savepoint } from '../../shared/savepoint.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { actingOf, type ClaimedChunk } from '../chunks/import-chunks.store.js';
import type { ReceivedRecord } from '../receive/received-record.js';
import { namesOf, readItemJson } from '../records/organization-items.js';
import type { OutcomeCode, RecordFault, RecordOutcome } from '../write/record-outcome.js';
import { AddItem } from './add-item.js';

/**
 * Writes what a file has of organizations beside their users. Each thing is refused or brought in for itself, and one
 * that is refused takes nothing else with it (protocol §2.1).
 */
@Injectable()
export class WriteItems {
  constructor(
    private readonly savepoint: Savepoint,
    private readonly add: AddItem,
    private readonly log: Log,
  ) {}

  /** @returns one outcome for each record, in their order. @throws ApiError unavailable: nothing of the chunk counts */
  async execute(
    tx: Tx,
    chunk: ClaimedChunk,
    received: readonly ReceivedRecord[],
  ): Promise<readonly RecordOutcome[]> {
    const outcomes: RecordOutcome[] = [];
    for (const one of received) outcomes.push(await this.one(tx, chunk, one));
    return outcomes;
  }

  private async one(
    tx: Tx,
    chunk: ClaimedChunk,
    { line, json, fault }: ReceivedRecord,
  ): Promise<RecordOutcome> {
    if (fault !== undefined || json === undefined) {
      const why: RecordFault = fault ?? { code: 'malformed', message: 'the item is lost' };
      return { line, outcome: 'failed', ...why, ...countOf(why.type, 'refusedIdentities') };
    }
    const { item, orgId: named } = readItemJson(json);
    const orgId = (named ?? chunk.recordsOrgId) as OrgId;
    const { id, ...names } = namesOf(item, orgId);
    const about = { line, type: item.type, givenId: id, orgId, names };
    try {
      const where = { orgId, ...actingOf(chunk) };
      const what = await this.savepoint.run(tx, () => this.add.execute(tx, where, item));
      if (what === 'added') return { ...about, outcome: 'created', ...countOf(item.type, 'identities') };
      if (typeof what === 'object')
        return { ...about, outcome: 'created', names: { ...names, ended: what.ended } };
      const known = countOf(item.type, 'knownIdentities');
      return { ...about, outcome: 'skipped', code: 'unchanged', message: 'it is there already', ...known };
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unavailable') throw error;
      if (!(error instanceof ApiError))
        this.log.error('an item was not imported', error, { type: item.type });
      const refused = countOf(item.type, 'refusedIdentities');
      return { ...about, outcome: 'failed', ...faultOf(error), ...refused };
    }
  }
}

/** A `userLinks` entry is one identity. */
function countOf(
  type: string | undefined,
  name: 'identities' | 'knownIdentities' | 'refusedIdentities',
): Partial<RecordOutcome> {
  return type === 'user_link' ? { [name]: 1 } : {};
}

const CODES: Readonly<Partial<Record<ApiError['kind'], OutcomeCode>>> = {
  'invalid-argument': 'invalid',
  'already-exists': 'already_exists',
  'not-found': 'not_found',
  'permission-denied': 'forbidden',
};

function faultOf(error: unknown): RecordFault {
  if (!(error instanceof ApiError)) {
    return { code: 'refused', message: 'Errors.Internal (IMPORT-5xInt)' };
  }
  return { code: CODES[error.kind] ?? 'refused', message: error.message };
}
