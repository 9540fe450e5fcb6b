import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { ImportPace } from '../src/domain/imports/chunks/import-pace.js';
import type { PostImportWork } from '../src/domain/imports/import-job.js';
import { NotifyImport } from '../src/domain/imports/post-import/notify-import.js';
import { UndoImport } from '../src/domain/imports/post-import/undo-import.js';
import type { PostImportJob } from '../src/domain/imports/queue-imports.js';
import type { ImportJobId } from '../src/domain/shared/ids.js';
import {
  notifyImportChunkJob,
  undoImportChunkJob,
  type ImportChunkPayload,
} from '../src/queues/imports.queue.js';
import { readPayload, type JobContract } from '../src/queues/job-contract.js';
import { deferToNewerWorker } from './delay-job.js';
import { ImportWatches } from './import-watches.js';

/** What is asked for after an import: chunk by chunk it is undone, or its users are written to. */
@Injectable()
export class PostImportJobs {
  constructor(
    private readonly undoImport: UndoImport,
    private readonly notifyImport: NotifyImport,
    private readonly pace: ImportPace,
    private readonly watches: ImportWatches,
  ) {}

  async undo(job: Job, token: string | undefined): Promise<string> {
    return await this.step('undo', undoImportChunkJob, job, token, async (from) => {
      const step = await this.undoImport.step(from);
      return typeof step === 'object' ? `${step.removed} removed, ${step.kept} kept` : step;
    });
  }

  async notify(job: Job, token: string | undefined): Promise<string> {
    return await this.step('notify', notifyImportChunkJob, job, token, async (from) => {
      const step = await this.notifyImport.step(from);
      return typeof step === 'object' ? `${step.messages} messages` : step;
    });
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
