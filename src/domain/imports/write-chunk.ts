import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { Counters } from '../statistics/counters.js';
import { EnqueueImportSms } from './enqueue-import-sms.js';
import type { ClaimedChunk } from './import-chunks.store.js';
import { PrepareRecords } from './prepare-records.js';
import { readRecords } from './read-records.js';
import type { ReceivedRecord } from './received-record.js';
import type { RecordOutcome } from './record-outcome.js';
import { PASSES } from './records/passes.js';
import { WriteItems } from './write-items.js';
import { WriteMetadata } from './write-metadata.js';
import { WriteRecords } from './write-records.js';

/** Writes the records of one chunk, each pass of an import in its way. */
@Injectable()
export class WriteChunk {
  constructor(
    private readonly prepareRecords: PrepareRecords,
    private readonly writeRecords: WriteRecords,
    private readonly enqueueImportSms: EnqueueImportSms,
    private readonly writeMetadata: WriteMetadata,
    private readonly writeItems: WriteItems,
    private readonly clock: Clock,
    private readonly counters: Counters,
  ) {}

  /**
   * Does what can be done before the transaction, hashing above all.
   * @returns what is left to do in it; it gives an outcome for each record, in their order
   */
  async prepare(
    chunk: ClaimedChunk,
    received: readonly ReceivedRecord[],
  ): Promise<(tx: Tx, now: Date) => Promise<readonly RecordOutcome[]>> {
    if (chunk.pass === PASSES.metadata) {
      return (tx, now) => this.writeMetadata.execute(tx, chunk, received, now);
    }
    if (chunk.pass !== PASSES.users) return (tx) => this.writeItems.execute(tx, chunk, received);
    const smsMode = await this.enqueueImportSms.mode();
    const prepared = await this.prepareRecords.execute(chunk, readRecords(received, this.clock.nowMs()));
    return async (tx, now) => {
      const outcomes = await this.writeRecords.execute(tx, chunk, prepared, now, smsMode);
      if (!chunk.dryRun) this.countUsers(tx, chunk.orgId, outcomes);
      return outcomes;
    };
  }

  /** People alone, and once the chunk has committed: one that is tried again counts nothing twice. */
  private countUsers(tx: Tx, ownOrgId: OrgId, outcomes: readonly RecordOutcome[]): void {
    const added = new Map<OrgId, number>();
    for (const { outcome, type, orgId = ownOrgId } of outcomes) {
      if (outcome === 'created' && type === undefined) added.set(orgId, (added.get(orgId) ?? 0) + 1);
    }
    for (const [orgId, count] of added) this.counters.addAfterCommit(tx, orgId, 'newUsers', count);
  }
}
