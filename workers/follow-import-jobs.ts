import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { FollowImport } from '../src/domain/imports/chunks/follow-import.js';
import type { ImportJobId } from '../src/domain/shared/ids.js';
import { followImportJob } from '../src/queues/imports.queue.js';
import { readPayload } from '../src/queues/job-contract.js';
import { deferToNewerWorker, delayJob } from './delay-job.js';
import { ImportWatches } from './import-watches.js';

/** One look at how an import comes on, until it has ended. */
@Injectable()
export class FollowImportJobs {
  constructor(
    private readonly follow: FollowImport,
    private readonly watches: ImportWatches,
  ) {}

  async run(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(followImportJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const jobId = payload.jobId as ImportJobId;
    if (job.attemptsStarted <= 1) await this.watches.begin({ jobId, work: 'import' });
    const { job: found, nextInMs } = await this.follow.look(jobId, payload.outboxId);
    if (found === undefined) return 'gone';
    if (nextInMs !== undefined) return await delayJob(job, token, nextInMs);
    return found.reason === undefined ? found.state : `${found.state}: ${found.reason}`;
  }
}
