import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import type { OrgId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { Counters } from '../../statistics/counters.js';
import type { ClaimedChunk } from '../chunks/import-chunks.store.js';
import type { ReceivedRecord } from '../receive/received-record.js';
import { EnqueueImportSms } from './enqueue-import-sms.js';
import { PrepareRecords } from './prepare-records.js';
import { readRecords } from './read-records.js';
import type { RecordOutcome } from './record-outcome.js';
import { WriteRecords } from './write-records.js';

/** Writes the users of one chunk, and counts those who are new. */
@Injectable()
export class WriteUsers {
  constructor(
    private readonly prepareRecords: PrepareRecords,
    private readonly writeRecords: WriteRecords,
    private readonly enqueueImportSms: EnqueueImportSms,
    private readonly clock: Clock,
    private readonly counters: Counters,
  ) {}

  /** @returns as `WriteChunk.prepare` */
  async prepare(
    chunk: ClaimedChunk,
    received: readonly ReceivedRecord[],
  ): Promise<(tx: Tx, now: Date) => Promise<readonly RecordOutcome[]>> {
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
