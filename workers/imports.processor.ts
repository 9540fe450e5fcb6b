import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { leaveToNewerWorker } from './put-off.js';
import { RecordHeartbeat } from './record-heartbeat.js';

@Processor('imports', { concurrency: 1 })
export class ImportsProcessor extends WorkerHost<QueueWorker> {
  constructor(private readonly heartbeat: RecordHeartbeat) {
    super();
  }

  override async process(job: Job, token?: string): Promise<void> {
    if (job.name === heartbeatJob.name) return await this.heartbeat.run('imports');
    return await leaveToNewerWorker(job, token);
  }
}
