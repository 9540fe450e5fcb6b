import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { RunBulkAction } from '../src/domain/bulk-actions/run-bulk-action.js';
import { FollowImport } from '../src/domain/imports/follow-import.js';
import type { PostImportWork } from '../src/domain/imports/import-job.js';
import { ImportPace } from '../src/domain/imports/import-pace.js';
import { NotifyImport } from '../src/domain/imports/notify-import.js';
import type { PostImportJob } from '../src/domain/imports/queue-imports.js';
import { RunImportChunk, type ChunkRun } from '../src/domain/imports/run-import-chunk.js';
import { UndoImport } from '../src/domain/imports/undo-import.js';
import type { BulkActionId, ImportJobId } from '../src/domain/shared/ids.js';
import { Log } from '../src/domain/shared/log.js';
import { Metrics } from '../src/ops/metrics.js';
import { runBulkActionJob } from '../src/queues/bulk-actions.queue.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import {
  followImportJob,
  importChunkJob,
  notifyImportChunkJob,
  undoImportChunkJob,
  type ImportChunkPayload,
} from '../src/queues/imports.queue.js';
import { readPayload, type JobContract } from '../src/queues/job-contract.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { deferToNewerWorker, delayJob } from './delay-job.js';
import { ImportWatches } from './import-watches.js';
import { RecordHeartbeat } from './record-heartbeat.js';

/** One chunk is read while the database writes the other. */
export const IMPORTS_AT_ONCE = 2;

@Processor('imports', { concurrency: IMPORTS_AT_ONCE })
export class ImportsProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly chunks: RunImportChunk,
    private readonly pace: ImportPace,
    private readonly follow: FollowImport,
    private readonly undo: UndoImport,
    private readonly notify: NotifyImport,
    private readonly bulkActions: RunBulkAction,
    private readonly watches: ImportWatches,
    private readonly heartbeat: RecordHeartbeat,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    super();
    const share = metrics.gauge(
      'identity_import_share_of_time',
      'Part of the time that chunks of imports may take in this worker; below 1 they make room for requests',
      [],
    );
    metrics.addReading([share], async () => () => share.set(pace.shareOfTime));
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
        return await this.step('undo', undoImportChunkJob, job, token, async (from) => {
          const step = await this.undo.step(from);
          return typeof step === 'object' ? `${step.removed} removed, ${step.kept} kept` : step;
        });
      case notifyImportChunkJob.name:
        return await this.step('notify', notifyImportChunkJob, job, token, async (from) => {
          const step = await this.notify.step(from);
          return typeof step === 'object' ? `${step.messages} messages` : step;
        });
      case runBulkActionJob.name: {
        const payload = readPayload(runBulkActionJob, job);
        if (payload === undefined) return await deferToNewerWorker(job, token);
        return await this.pace.run(() =>
          this.bulkActions.step(payload.bulkActionId as BulkActionId, payload.outboxId),
        );
      }
      default:
        return await deferToNewerWorker(job, token);
    }
  }

  /** @returns the outcome, for the dashboard */
  private async runChunk(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(importChunkJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const { run, seconds } = await this.pace.run(() => this.timeChunk(payload));
    this.metrics.importChunks.inc({ outcome: run.kind });
    if (run.kind === 'busy') return await delayJob(job, token, run.retryInMs);
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
    this.metrics.importChunkDuration.observe(seconds);
    const { weak, ...counts } = run.counts;
    for (const [outcome, count] of Object.entries(counts)) this.metrics.importRecords.inc({ outcome }, count);
    return `${counts.created} created, ${counts.updated} updated, ${counts.skipped} skipped, ${counts.failed} failed, ${weak} weak`;
  }

  /** Without the time that it waited for its turn. */
  private async timeChunk(payload: ImportChunkPayload): Promise<{ run: ChunkRun; seconds: number }> {
    const since = performance.now();
    const run = await this.chunks.run(payload.jobId as ImportJobId, payload.number, payload.outboxId);
    return { run, seconds: (performance.now() - since) / 1000 };
  }

  private async followImport(job: Job, token: string | undefined): Promise<string | undefined> {
    const payload = readPayload(followImportJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const jobId = payload.jobId as ImportJobId;
    if (job.attemptsStarted <= 1) await this.watches.begin({ jobId, work: 'import' });
    const { job: found, nextInMs } = await this.follow.look(jobId, payload.outboxId);
    if (found === undefined) return 'gone';
    if (nextInMs !== undefined) return await delayJob(job, token, nextInMs);
    return found.reason === undefined ? found.state : `${found.state}: ${found.reason}`;
  }

  private async step(
    work: PostImportWork,
    contract: JobContract<ImportChunkPayload>,
    job: Job,
    token: string | undefined,
    run: (from: PostImportJob) => Promise<string | undefined>,
  ): Promise<string> {
    const payload = readPayload(contract, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const jobId = payload.jobId as ImportJobId;
    if (payload.number === 0) await this.watches.begin({ jobId, work });
    return (await this.pace.run(() => run({ ...payload, jobId }))) ?? 'finished';
  }
}
