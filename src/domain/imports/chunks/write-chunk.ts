import { Injectable } from '@nestjs/common';
import type { Tx } from '../../shared/unit-of-work.js';
import { WriteItems } from '../items/write-items.js';
import type { ReceivedRecord } from '../receive/received-record.js';
import { PASSES } from '../records/passes.js';
import type { RecordOutcome } from '../write/record-outcome.js';
import { WriteMetadata } from '../write/write-metadata.js';
import { WriteUsers } from '../write/write-users.js';
import type { ClaimedChunk } from './import-chunks.store.js';

/** Writes the records of one chunk, each pass of an import in its way. */
@Injectable()
export class WriteChunk {
  constructor(
    private readonly writeUsers: WriteUsers,
    private readonly writeMetadata: WriteMetadata,
    private readonly writeItems: WriteItems,
  ) {}

  /**
   * Does what can be done before the transaction, hashing above all.
   * @returns what is left to do in it; it gives an outcome for each record, in their order
   */
  async prepare(
    chunk: ClaimedChunk,
    received: readonly ReceivedRecord[],
  ): Promise<(tx: Tx, now: Date) => Promise<readonly RecordOutcome[]>> {
    if (chunk.pass === PASSES.users) return await this.writeUsers.prepare(chunk, received);
    if (chunk.pass === PASSES.metadata) {
      return (tx, now) => this.writeMetadata.execute(tx, chunk, received, now);
    }
    return (tx) => this.writeItems.execute(tx, chunk, received);
  }
}
