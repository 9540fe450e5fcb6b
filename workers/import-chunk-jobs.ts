import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { ImportPace } from '../src/domain/imports/chunks/import-pace.js';
import { RunImportChunk, type ChunkRun } from '../src/domain/imports/chunks/run-import-chunk.js';
import type { ImportJobId } from '../src/domain/shared/ids.js';
import { Log } from '../src/domain/shared/log.js';
import { Metrics } from '../src/ops/metrics.js';
import { importChunkJob, type ImportChunkPayload } from '../src/queues/imports.queue.js';
import { readPayload } from '../src/queues/job-contract.js';
import { deferToNewerWorker, delayJob } from './delay-job.js';

/** One attempt to import a chunk, when it is its turn, and what it did in the metrics. */
@Injectable()
export class ImportChunkJobs {
  constructor(
    private readonly chunks: RunImportChunk,
    private readonly pace: ImportPace,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** In the metrics of a worker that takes chunks. */
  showShareOfTime(): void {
    const share = this.metrics.gauge(
      'identity_import_share_of_time',
      'Part of the time that chunks of imports may take in this worker; below 1 they make room for requests',
      [],
    );
    this.metrics.addReading([share], async () => () => share.set(this.pace.shareOfTime));
  }

  /** @returns the outcome, for the dashboard */
  async run(job: Job, token: string | undefined): Promise<string> {
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
}
