import { Injectable } from '@nestjs/common';
import { OutboxStore } from '../../outbox/outbox.store.js';
import { crashPoint } from '../../shared/crash-point.js';
import { UnitOfWork, type Tx } from '../../shared/unit-of-work.js';
import { EndImport } from '../end-import.js';
import { IMPORT_COUNTS, type ImportCounts, type ImportFailure, type ImportStop } from '../import-job.js';
import { enqueuedChunk, QueueImports } from '../queue-imports.js';
import type { ReceivedRecord } from '../receive/received-record.js';
import type { RecordOutcome } from '../write/record-outcome.js';
import { packOutcomes, packRecords } from './chunk-text.js';
import { ImportChunksStore, type ClaimedChunk } from './import-chunks.store.js';

/** A chunk that is this worker's, and the row of the outbox that its job came from, as the job says: not trusted. */
export interface ChunkAtWork {
  readonly chunk: ClaimedChunk;
  readonly outboxId: string;
}

export type ClosedChunk =
  | { readonly kind: 'done'; readonly counts: ImportCounts }
  /** Workers died over it: it is in smaller parts now. */
  | { readonly kind: 'split' }
  | { readonly kind: 'stopped'; readonly reason: ImportFailure | ImportStop }
  /** It was another worker's before this one was through: nothing of what this one did counts. */
  | { readonly kind: 'superseded' };

/** Deaths over one chunk before it is looked at in parts. */
export const MOST_ATTEMPTS = 3;

/**
 * The end of a chunk, in one transaction with all that it leads to: the records go, their outcomes stay and are counted, the
 * row of the outbox is deleted and the next chunk is queued. So a chunk happened or it did not, whenever a worker dies
 * (security F14).
 */
@Injectable()
export class CloseChunk {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chunks: ImportChunksStore,
    private readonly outbox: OutboxStore,
    private readonly queue: QueueImports,
    private readonly end: EndImport,
  ) {}

  /** @param write writes the records, and gives an outcome for each of them, in their order */
  async finish(
    work: ChunkAtWork,
    received: readonly ReceivedRecord[],
    write: (tx: Tx, now: Date) => Promise<readonly RecordOutcome[]>,
  ): Promise<ClosedChunk> {
    return await this.close(work, async (tx, now) => {
      const outcomes = await write(tx, now);
      crashPoint('import-in-transaction');
      return { kind: 'done', counts: await this.keep(tx, work, received, outcomes) };
    });
  }

  /** Down to one record, which then fails by itself (security S165, F31). */
  async divide(work: ChunkAtWork, received: readonly ReceivedRecord[]): Promise<ClosedChunk> {
    return await this.close(work, async (tx) => {
      const [only] = received;
      if (received.length === 1 && only !== undefined) {
        return { kind: 'done', counts: await this.keep(tx, work, received, [quarantined(only)]) };
      }
      const middle = Math.ceil(received.length / 2);
      const halves = [];
      for (const part of [received.slice(0, middle), received.slice(middle)]) {
        const firstLine = part[0]?.line ?? 0;
        halves.push({ firstLine, records: part.length, packed: await packRecords(part) });
      }
      const { chunk } = work;
      await this.chunks.split(tx, chunk, halves, MOST_ATTEMPTS - 1);
      await this.goOn(tx, work);
      return { kind: 'split' };
    });
  }

  /** Whoever imports may do so no more. */
  async stop(work: ChunkAtWork, reason: ImportStop): Promise<ClosedChunk> {
    return await this.leave(work, reason, (tx) => this.end.stop(tx, work.chunk.jobId, reason));
  }

  /** The records do not open any more. */
  async fail(work: ChunkAtWork): Promise<ClosedChunk> {
    const reason = 'records_lost';
    return await this.leave(work, reason, (tx) => this.end.fail(tx, work.chunk.jobId, reason));
  }

  private async leave(
    work: ChunkAtWork,
    reason: ImportFailure | ImportStop,
    endJob: (tx: Tx) => Promise<void>,
  ): Promise<ClosedChunk> {
    return await this.close(work, async (tx) => {
      await this.chunks.drop(tx, work.chunk);
      await this.outbox.take(tx, enqueuedBy(work));
      await endJob(tx);
      return { kind: 'stopped', reason };
    });
  }

  private async keep(
    tx: Tx,
    work: ChunkAtWork,
    received: readonly ReceivedRecord[],
    outcomes: readonly RecordOutcome[],
  ): Promise<ImportCounts> {
    const counts = countOutcomes(outcomes);
    const failed = received.filter((_, place) => outcomes[place]?.outcome === 'failed');
    await this.chunks.finish(tx, work.chunk, {
      counts,
      outcomes: await packOutcomes(outcomes),
      failed: failed.length === 0 ? undefined : await packRecords(failed),
    });
    await this.goOn(tx, work);
    return counts;
  }

  private async goOn(tx: Tx, work: ChunkAtWork): Promise<void> {
    await this.outbox.take(tx, enqueuedBy(work));
    await this.queue.fillWindow(tx, work.chunk.orgId);
  }

  private async close(
    { chunk }: ChunkAtWork,
    work: (tx: Tx, now: Date) => Promise<ClosedChunk>,
  ): Promise<ClosedChunk> {
    return await this.unitOfWork.run(async (tx): Promise<ClosedChunk> => {
      const now = await this.chunks.lockForUpdate(tx, chunk);
      return now === undefined ? { kind: 'superseded' } : await work(tx, now);
    });
  }
}

function enqueuedBy({ chunk, outboxId }: ChunkAtWork) {
  return enqueuedChunk(chunk.jobId, chunk.number, outboxId);
}

function quarantined({ line }: ReceivedRecord): RecordOutcome {
  return {
    line,
    outcome: 'failed',
    code: 'quarantined',
    message: 'workers have died or failed over this record; it was put aside',
  };
}

function countOutcomes(outcomes: readonly RecordOutcome[]): ImportCounts {
  const counts = Object.fromEntries(IMPORT_COUNTS.map((count) => [count, 0])) as Record<
    keyof ImportCounts,
    number
  >;
  for (const one of outcomes) {
    counts[one.outcome] += 1;
    if (one.weak === true) counts.weak += 1;
    if (one.totpSecret === true) counts.totpSecrets += 1;
    if (one.recoveryCodes === true) counts.recoveryCodes += 1;
    if (one.codeFactors === true) counts.codeFactors += 1;
    counts.passkeys += one.passkeys ?? 0;
    counts.foreignPasskeys += one.foreignPasskeys ?? 0;
    counts.identities += one.identities ?? 0;
    counts.knownIdentities += one.knownIdentities ?? 0;
    counts.refusedIdentities += one.refusedIdentities ?? 0;
    counts.held += one.held ?? 0;
  }
  return counts;
}
