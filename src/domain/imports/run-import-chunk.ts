import { Injectable } from '@nestjs/common';
import { OutboxStore, type Debt } from '../outbox/outbox.store.js';
import { crashPoint } from '../shared/crash-point.js';
import type { ImportJobId } from '../shared/ids.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { packOutcomes, packRecords, unpackRecords } from './chunk-text.js';
import { EndImport, ImportSettings } from './end-import.js';
import { actingOf, ImportChunksStore, type ClaimedChunk } from './import-chunks.store.js';
import { reasonToStop } from './import-eligibility.js';
import type { ImportCounts, ImportFailure, ImportStop } from './import-job.js';
import { ImportPermission } from './import-permission.js';
import { ImportsStore } from './imports.store.js';
import { chunkDebt, QueueImports } from './queue-imports.js';
import type { ReceivedRecord } from './received-record.js';
import type { RecordOutcome } from './record-outcome.js';
import { PASSES } from './records/passes.js';
import { SharedExclusiveLock } from './shared-exclusive-lock.js';
import { WriteChunk } from './write-chunk.js';

export type ChunkRun =
  | { readonly kind: 'done'; readonly counts: ImportCounts }
  /** Workers died over it: it is in smaller parts now. */
  | { readonly kind: 'split' }
  | { readonly kind: 'stopped'; readonly reason: ImportFailure | ImportStop }
  | { readonly kind: 'held-back' }
  | { readonly kind: 'finished' }
  /** It was another worker's before this one was through: nothing of what this one did counts. */
  | { readonly kind: 'superseded' }
  | { readonly kind: 'busy'; readonly retryInMs: number };

/** A dead worker's chunk is another's after so long; a living one's claim is renewed four times as often. */
const CLAIM_MS = 20_000;
/** Deaths over one chunk before it is looked at in parts. */
const MOST_ATTEMPTS = 3;

/**
 * Runs one chunk: everything in one transaction that also drops the records, keeps the outcomes, counts them, ends the
 * debt of the outbox and queues the next chunk. So a chunk happened or it did not, whenever a worker dies
 * (security F14).
 */
@Injectable()
export class RunImportChunk {
  private readonly lock = new SharedExclusiveLock();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chunks: ImportChunksStore,
    private readonly imports: ImportsStore,
    private readonly writeChunk: WriteChunk,
    private readonly permission: ImportPermission,
    private readonly queue: QueueImports,
    private readonly outbox: OutboxStore,
    private readonly end: EndImport,
    private readonly settings: ImportSettings,
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
      await this.outbox.discard(chunkDebt(jobId, number, outboxId));
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
      const run = await this.runClaimed(chunk, outboxId);
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

  private async runClaimed(chunk: ClaimedChunk, outboxId: string): Promise<ChunkRun> {
    const reason = await this.reasonToStop(chunk);
    if (reason !== undefined) {
      return await this.leave(chunk, outboxId, reason, async (tx) => {
        const job = await this.imports.stop(tx, chunk.jobId, reason, this.settings.retentionMs);
        if (job !== undefined) await this.end.record(tx, job, 'import.cancelled', { reason });
      });
    }
    if (chunk.packed === undefined) return await this.fail(chunk, outboxId);
    const received = await unpackRecords(chunk.packed);
    if (chunk.attempts > MOST_ATTEMPTS) return await this.divide(chunk, outboxId, received);
    for (const { line } of received) crashPoint(`import-at-line-${line}`);
    const write = await this.writeChunk.prepare(chunk, received);
    crashPoint('import-before-transaction');
    const counts = await this.unitOfWork.run(async (tx) => {
      const now = await this.chunks.lockForUpdate(tx, chunk);
      if (now === undefined) return undefined;
      const outcomes = await write(tx, now);
      crashPoint('import-in-transaction');
      return await this.finish(tx, chunk, outboxId, received, outcomes);
    });
    crashPoint('import-after-commit');
    return counts === undefined ? { kind: 'superseded' } : { kind: 'done', counts };
  }

  private async finish(
    tx: Tx,
    chunk: ClaimedChunk,
    outboxId: string,
    received: readonly ReceivedRecord[],
    outcomes: readonly RecordOutcome[],
  ): Promise<ImportCounts> {
    const counts = countOutcomes(outcomes);
    const failed = received.filter((_, place) => outcomes[place]?.outcome === 'failed');
    await this.chunks.finish(tx, chunk, {
      counts,
      outcomes: await packOutcomes(outcomes),
      failed: failed.length === 0 ? undefined : await packRecords(failed),
    });
    await this.outbox.take(tx, debtOf(chunk, outboxId));
    await this.queue.fillWindow(tx, chunk.orgId);
    return counts;
  }

  /** The permission is read again for each chunk: whoever loses it stops what they began (security S164, F46). */
  private async reasonToStop(chunk: ClaimedChunk): Promise<ImportStop | undefined> {
    const reason = reasonToStop(chunk.eligibility);
    if (reason !== undefined) return reason;
    const isOfUsers = chunk.pass === PASSES.users || chunk.pass === PASSES.metadata;
    const needed = isOfUsers ? 'user.import' : 'iam.write';
    if (chunk.callerActive && (await this.permission.holds(actingOf(chunk), chunk, needed))) return undefined;
    // what took the permission away may have come after the claim's look: the reason is then the later one's
    const eligibility = await this.imports.findEligibility(chunk.jobId);
    return (eligibility && reasonToStop(eligibility)) ?? 'permission_lost';
  }

  /** The records do not open any more. */
  private async fail(chunk: ClaimedChunk, outboxId: string): Promise<ChunkRun> {
    const reason = 'records_lost';
    return await this.leave(chunk, outboxId, reason, async (tx) => {
      const job = await this.imports.fail(tx, chunk.jobId, reason, this.settings.retentionMs);
      if (job !== undefined) await this.end.record(tx, job, 'import.failed', { reason });
    });
  }

  private async leave(
    chunk: ClaimedChunk,
    outboxId: string,
    reason: ImportFailure | ImportStop,
    endJob: (tx: Tx) => Promise<void>,
  ): Promise<ChunkRun> {
    return await this.unitOfWork.run(async (tx): Promise<ChunkRun> => {
      if ((await this.chunks.lockForUpdate(tx, chunk)) === undefined) return { kind: 'superseded' };
      await this.chunks.drop(tx, chunk);
      await this.outbox.take(tx, debtOf(chunk, outboxId));
      await endJob(tx);
      return { kind: 'stopped', reason };
    });
  }

  /** Down to one record, which then fails by itself (security S165, F31). */
  private async divide(
    chunk: ClaimedChunk,
    outboxId: string,
    received: readonly ReceivedRecord[],
  ): Promise<ChunkRun> {
    return await this.unitOfWork.run(async (tx): Promise<ChunkRun> => {
      if ((await this.chunks.lockForUpdate(tx, chunk)) === undefined) return { kind: 'superseded' };
      const [only] = received;
      if (received.length === 1 && only !== undefined) {
        const counts = await this.finish(tx, chunk, outboxId, received, [
          {
            line: only.line,
            outcome: 'failed',
            code: 'quarantined',
            message: 'workers have died or failed over this record; it was put aside',
          },
        ]);
        return { kind: 'done', counts };
      }
      const middle = Math.ceil(received.length / 2);
      const halves = [];
      for (const part of [received.slice(0, middle), received.slice(middle)]) {
        const firstLine = part[0]?.line ?? 0;
        halves.push({ firstLine, records: part.length, packed: await packRecords(part) });
      }
      await this.chunks.split(tx, chunk, halves, MOST_ATTEMPTS - 1);
      await this.outbox.take(tx, debtOf(chunk, outboxId));
      await this.queue.fillWindow(tx, chunk.orgId);
      return { kind: 'split' };
    });
  }
}

function debtOf({ jobId, number }: ClaimedChunk, outboxId: string): Debt {
  return chunkDebt(jobId, number, outboxId);
}

function countOutcomes(outcomes: readonly RecordOutcome[]): ImportCounts {
  const counts = {
    created: 0,
    updated: 0,
    skipped: 0,
    failed: 0,
    weak: 0,
    totpSecrets: 0,
    recoveryCodes: 0,
    codeFactors: 0,
    passkeys: 0,
    foreignPasskeys: 0,
    identities: 0,
    knownIdentities: 0,
    refusedIdentities: 0,
    held: 0,
  };
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

/**
 * What our own code throws when it meets what nobody thought of: trying again cannot help, so it counts like a death, and
 * the record that it comes from is found and put aside (security F31).
 */
function isSlip(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
