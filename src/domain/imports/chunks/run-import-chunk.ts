import { Injectable } from '@nestjs/common';
import { OutboxStore } from '../../outbox/outbox.store.js';
import { crashPoint } from '../../shared/crash-point.js';
import type { ImportJobId } from '../../shared/ids.js';
import { EndImport } from '../end-import.js';
import { ImportPermission } from '../import-permission.js';
import { enqueuedChunk } from '../queue-imports.js';
import { unpackRecords } from './chunk-text.js';
import { CloseChunk, MOST_ATTEMPTS, type ChunkAtWork, type ClosedChunk } from './close-chunk.js';
import { ImportChunksStore } from './import-chunks.store.js';
import { SharedExclusiveLock } from './shared-exclusive-lock.js';
import { WriteChunk } from './write-chunk.js';

export type ChunkRun =
  | ClosedChunk
  | { readonly kind: 'held-back' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'busy'; readonly retryInMs: number };

/** A dead worker's chunk is another's after so long; a living one's claim is renewed four times as often. */
const CLAIM_MS = 20_000;

/** Runs one chunk: claims it, writes its records, and closes it in the transaction that they are written in. */
@Injectable()
export class RunImportChunk {
  private readonly lock = new SharedExclusiveLock();

  constructor(
    private readonly chunks: ImportChunksStore,
    private readonly permission: ImportPermission,
    private readonly writeChunk: WriteChunk,
    private readonly closeChunk: CloseChunk,
    private readonly outbox: OutboxStore,
    private readonly end: EndImport,
  ) {}

  /**
   * Throws what the queue should try again: nothing of the chunk happened then.
   * @param outboxId the row that this work was published from, as the job says: not trusted (security S415)
   */
  async run(jobId: ImportJobId, number: number, outboxId: string): Promise<ChunkRun> {
    crashPoint('import-before-claim');
    const run = await this.lock.run(false, () => this.attempt(jobId, number, outboxId, false));
    if (run !== 'suspect') return run;
    return await this.lock.run(true, async () => {
      const alone = await this.attempt(jobId, number, outboxId, true);
      return alone === 'suspect' ? { kind: 'busy', retryInMs: 0 } : alone;
    });
  }

  /**
   * A chunk over which a worker may have died is a suspect, and runs with no other beside it in its process: whoever
   * dies over it dies alone, and no neighbour is blamed (security F31).
   */
  private async attempt(
    jobId: ImportJobId,
    number: number,
    outboxId: string,
    alone: boolean,
  ): Promise<ChunkRun | 'suspect'> {
    const claim = await this.chunks.claim(jobId, number, CLAIM_MS);
    if (claim.kind === 'busy') return claim;
    if (claim.kind !== 'claimed') {
      await this.outbox.discard(enqueuedChunk(jobId, number, outboxId));
      await this.end.settle(jobId);
      return claim;
    }
    const { chunk } = claim;
    if (chunk.attempts > 1 && !alone) {
      await this.chunks.release(chunk, 'circumstances');
      return 'suspect';
    }
    const renewal = setInterval(
      () => void this.chunks.renew(chunk, CLAIM_MS).catch(() => undefined),
      CLAIM_MS / 4,
    );
    try {
      const run = await this.runClaimed({ chunk, outboxId });
      await this.end.settle(jobId);
      return run;
    } catch (error) {
      const blame = isSlip(error) ? 'records' : 'circumstances';
      await this.chunks.release(chunk, blame).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async runClaimed(work: ChunkAtWork): Promise<ChunkRun> {
    const { chunk } = work;
    const reason = await this.permission.reasonToStop(chunk);
    if (reason !== undefined) return await this.closeChunk.stop(work, reason);
    if (chunk.packed === undefined) return await this.closeChunk.fail(work);
    const received = await unpackRecords(chunk.packed);
    if (chunk.attempts > MOST_ATTEMPTS) return await this.closeChunk.divide(work, received);
    for (const { line } of received) crashPoint(`import-at-line-${line}`);
    const write = await this.writeChunk.prepare(chunk, received);
    crashPoint('import-before-transaction');
    const run = await this.closeChunk.finish(work, received, write);
    crashPoint('import-after-commit');
    return run;
  }
}

/**
 * What our own code throws when it meets what nobody thought of: trying again cannot help, so it counts like a death, and
 * the record that it comes from is found and put aside (security F31).
 */
function isSlip(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
