import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { FollowImport } from '../src/domain/import-jobs/follow-import.js';
import type { ImportJob } from '../src/domain/import-jobs/import-job.js';
import { NotifyImport } from '../src/domain/import-jobs/notify-import.js';
import { RunImportChunk } from '../src/domain/import-jobs/run-import-chunk.js';
import { UndoImport } from '../src/domain/import-jobs/undo-import.js';
import type { ImportJobId } from '../src/domain/shared/ids.js';
import { Log } from '../src/domain/shared/log.js';
import { Metrics } from '../src/ops/metrics.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import {
  followImportJob,
  type ImportChunkPayload,
  importChunkJob,
  notifyImportChunkJob,
  undoImportChunkJob,
} from '../src/queues/imports.queue.js';
import { type JobContract, readPayload } from '../src/queues/job-contract.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { leaveToNewerWorker, putOff } from './put-off.js';
import { RecordHeartbeat } from './record-heartbeat.js';

/** One chunk is read while the database writes the other. */
export const IMPORTS_AT_ONCE = 2;

/** What the dashboard shows of an import: numbers and a state, nothing of anybody (security S168). */
interface ShownProgress {
  readonly state: string;
  readonly percent: number;
  readonly records: number;
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
  readonly recordsPerSecond: number;
}

@Processor('imports', { concurrency: IMPORTS_AT_ONCE })
export class ImportsProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly chunks: RunImportChunk,
    private readonly follow: FollowImport,
    private readonly undo: UndoImport,
    private readonly notify: NotifyImport,
    private readonly heartbeat: RecordHeartbeat,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    super();
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    switch (job.name) {
      case heartbeatJob.name:
        await this.heartbeat.run('imports');
        return undefined;
      case importChunkJob.name:
        return await this.runChunk(job, token);
      case followImportJob.name:
        return await this.followImport(job, token);
      case undoImportChunkJob.name:
        return await this.step(undoImportChunkJob, job, token, async ({ id, outboxId }) => {
          const step = await this.undo.step(id, outboxId);
          return typeof step === 'object' ? `${step.removed} removed, ${step.kept} kept` : step;
        });
      case notifyImportChunkJob.name:
        return await this.step(notifyImportChunkJob, job, token, async ({ id, outboxId }) => {
          const step = await this.notify.step(id, outboxId);
          return typeof step === 'object' ? `${step.messages} messages` : step;
        });
      default:
        return await leaveToNewerWorker(job, token);
    }
  }

  /** @returns the outcome, for the dashboard */
  private async runChunk(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(importChunkJob, job);
    if (payload === undefined) return await leaveToNewerWorker(job, token);
    const stopwatch = this.metrics.importChunkDuration.startTimer();
    const run = await this.chunks.run(payload.jobId as ImportJobId, payload.number, payload.outboxId);
    this.metrics.importChunks.inc({ outcome: run.kind });
    if (run.kind === 'busy') return await putOff(job, token, run.retryInMs);
    if (run.kind === 'stopped') {
      this.log.warn('import stopped', { id: payload.jobId, reason: run.reason });
      return `stopped: ${run.reason}`;
    }
    if (run.kind === 'split') {
      this.log.warn('an import chunk killed its workers: it is divided', {
        id: payload.jobId,
        chunk: payload.number,
      });
    }
    if (run.kind !== 'done') return run.kind;
    stopwatch();
    const { weak, ...counts } = run.counts;
    for (const [outcome, count] of Object.entries(counts)) this.metrics.importRecords.inc({ outcome }, count);
    return `${counts.created} created, ${counts.updated} updated, ${counts.skipped} skipped, ${counts.failed} failed, ${weak} weak`;
  }

  private async followImport(job: Job, token: string | undefined): Promise<string | undefined> {
    const payload = readPayload(followImportJob, job);
    if (payload === undefined) return await leaveToNewerWorker(job, token);
    const { job: found, nextInMs } = await this.follow.look(payload.jobId as ImportJobId, payload.outboxId);
    if (found === undefined) return 'gone';
    await this.show(job, found);
    if (nextInMs !== undefined) return await putOff(job, token, nextInMs);
    return found.reason === undefined ? found.state : `${found.state}: ${found.reason}`;
  }

  private async show(job: Job, found: ImportJob): Promise<void> {
    const before = job.progress as Partial<ShownProgress> | number | undefined;
    const known = typeof before === 'object' ? before : {};
    const progress = progressOf(found);
    const tenth = Math.floor(progress.percent / 10);
    if (known.state !== progress.state) await job.log(`${progress.state}, ${sentence(progress)}`);
    else if (tenth > Math.floor((known.percent ?? 0) / 10)) await job.log(sentence(progress));
    await job.updateProgress({ ...progress });
  }

  private async step(
    contract: JobContract<ImportChunkPayload>,
    job: Job,
    token: string | undefined,
    work: (step: { id: ImportJobId; outboxId: string }) => Promise<string | undefined>,
  ): Promise<string> {
    const payload = readPayload(contract, job);
    if (payload === undefined) return await leaveToNewerWorker(job, token);
    return (await work({ id: payload.jobId as ImportJobId, outboxId: payload.outboxId })) ?? 'finished';
  }
}

function progressOf({ state, counts, total = 0, rate }: ImportJob): ShownProgress {
  const { created, updated, skipped, failed } = counts;
  const records = created + updated + skipped + failed;
  const percent = total === 0 ? 100 : Math.floor((100 * records) / total);
  return { state, percent, records, total, created, updated, skipped, failed, recordsPerSecond: rate ?? 0 };
}

function sentence({ percent, records, total, failed, recordsPerSecond }: ShownProgress): string {
  return `${percent} %: ${records} of ${total} records, ${failed} failed, ${recordsPerSecond} a second`;
}
