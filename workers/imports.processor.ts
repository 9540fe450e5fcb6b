import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { RunBulkAction } from '../src/domain/bulk-actions/run-bulk-action.js';
import { ImportPace } from '../src/domain/imports/chunks/import-pace.js';
import type { BulkActionId } from '../src/domain/shared/ids.js';
import { runBulkActionJob } from '../src/queues/bulk-actions.queue.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import {
  followImportJob,
  importChunkJob,
  notifyImportChunkJob,
  undoImportChunkJob,
} from '../src/queues/imports.queue.js';
import { readPayload } from '../src/queues/job-contract.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { deferToNewerWorker } from './delay-job.js';
import { FollowImportJobs } from './follow-import-jobs.js';
import { ImportChunkJobs } from './import-chunk-jobs.js';
import { PostImportJobs } from './post-import-jobs.js';
import { RecordHeartbeat } from './record-heartbeat.js';

/** One chunk is read while the database writes the other. */
export const IMPORTS_AT_ONCE = 2;

@Processor('imports', { concurrency: IMPORTS_AT_ONCE })
export class ImportsProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly chunks: ImportChunkJobs,
    private readonly follow: FollowImportJobs,
    private readonly postImport: PostImportJobs,
    private readonly bulkActions: RunBulkAction,
    private readonly pace: ImportPace,
    private readonly heartbeat: RecordHeartbeat,
  ) {
    super();
    chunks.showShareOfTime();
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    switch (job.name) {
      case heartbeatJob.name:
        await this.heartbeat.run('imports');
        return undefined;
      case importChunkJob.name:
        return await this.chunks.run(job, token);
      case followImportJob.name:
        return await this.follow.run(job, token);
      case undoImportChunkJob.name:
        return await this.postImport.undo(job, token);
      case notifyImportChunkJob.name:
        return await this.postImport.notify(job, token);
      case runBulkActionJob.name:
        return await this.runBulkAction(job, token);
      default:
        return await deferToNewerWorker(job, token);
    }
  }

  private async runBulkAction(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(runBulkActionJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    return await this.pace.run(() =>
      this.bulkActions.step(payload.bulkActionId as BulkActionId, payload.outboxId),
    );
  }
}
