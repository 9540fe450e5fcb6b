import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { leaveToNewerWorker } from './put-off.js';
import { RecordHeartbeat } from './record-heartbeat.js';

@Processor('keys', { concurrency: 1 })
export class KeysProcessor extends WorkerHost<QueueWorker> {
  constructor(private readonly heartbeat: RecordHeartbeat) {
    super();
  }

  override async process(job: Job, token?: string): Promise<void> {
    if (job.name === heartbeatJob.name) return await this.heartbeat.run('keys');
    return await leaveToNewerWorker(job, token);
  }
}
