import { Injectable } from '@nestjs/common';
import type { ImportJobId, UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { ImportEvents } from './import-events.js';
import type { ImportFailure, ImportJob, ImportStop } from './import-job.js';
import { ImportsStore } from './imports.store.js';

/** Token under which the configuration provides what this module needs to know. */
export abstract class ImportSettings {
  /** Jobs and what became of their records are kept for so long after the end. */
  abstract readonly retentionMs: number;
}

/** Ends an import, done or failed: once, by whichever worker finds that no chunk is left, or that it must not continue. */
@Injectable()
export class EndImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly imports: ImportsStore,
    private readonly events: ImportEvents,
    private readonly settings: ImportSettings,
    private readonly log: Log,
  ) {}

  /**
   * In a transaction of its own, after the chunk's: of two chunks that end at the same time neither sees the other
   * end, but whoever looks last sees both.
   */
  async settle(jobId: ImportJobId): Promise<ImportJob | undefined> {
    const job = await this.unitOfWork.run(async (tx) => {
      const ended = await this.imports.settle(tx, jobId, this.settings.retentionMs);
      if (ended !== undefined) {
        const type = ended.state === 'cancelled' ? 'import.cancelled' : 'import.done';
        await this.events.append(tx, ended, type, { ...ended.counts });
      }
      return ended;
    });
    if (job !== undefined) {
      const { created, updated, skipped, failed } = job.counts;
      this.log.info('import ended', { id: jobId, state: job.state, created, updated, skipped, failed });
    }
    return job;
  }

  /** The same in the transaction that cancels it; if chunks are still running, the last of them records the end. */
  async cancel(tx: Tx, jobId: ImportJobId, actorId: UserId): Promise<void> {
    const ended = await this.imports.settle(tx, jobId, this.settings.retentionMs);
    if (ended !== undefined) await this.events.append(tx, ended, 'import.cancelled', {}, actorId);
  }

  /** It must not continue. No effect if it has already ended. */
  async stop(tx: Tx, jobId: ImportJobId, reason: ImportStop): Promise<void> {
    const job = await this.imports.stop(tx, jobId, reason, this.settings.retentionMs);
    if (job !== undefined) await this.events.append(tx, job, 'import.cancelled', { reason });
  }

  /** It cannot continue. No effect if it has already ended. */
  async fail(tx: Tx, jobId: ImportJobId, reason: ImportFailure): Promise<void> {
    await this.record(tx, await this.imports.fail(tx, jobId, reason, this.settings.retentionMs));
  }

  /**
   * Its file did not come whole. No effect on an import whose file is here: where the connection is lost, whoever
   * received it may not have heard that its last transaction is committed.
   */
  async failReading(tx: Tx, jobId: ImportJobId, reason: ImportFailure): Promise<void> {
    await this.record(tx, await this.imports.failReading(tx, jobId, reason, this.settings.retentionMs));
  }

  /** The process that was receiving its file has died. @returns false if it still renews its lease */
  async giveUp(jobId: ImportJobId): Promise<boolean> {
    return await this.unitOfWork.run(async (tx) => {
      const job = await this.imports.giveUp(tx, jobId, this.settings.retentionMs);
      await this.record(tx, job);
      return job !== undefined;
    });
  }

  private async record(tx: Tx, failed: ImportJob | undefined): Promise<void> {
    if (failed === undefined) return;
    await this.events.append(tx, failed, 'import.failed', { reason: failed.reason });
  }
}
