import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { BULK_NOTIFICATIONS } from '../src/queues/job-contract.js';
import { sendNotificationJob } from '../src/queues/notifications.queue.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { deferToNewerWorker } from './delay-job.js';
import { RecordHeartbeat } from './record-heartbeat.js';
import { SendNotificationJobs } from './send-notification-jobs.js';

/** Twice as many as a provider takes of these: while some are on their way, others are claimed and written down. */
const AT_ONCE = 12;

/** Messages that nobody waits for, with places of their own. */
@Processor(BULK_NOTIFICATIONS, { concurrency: AT_ONCE })
export class BulkNotificationsProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly send: SendNotificationJobs,
    private readonly heartbeat: RecordHeartbeat,
  ) {
    super();
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    switch (job.name) {
      case heartbeatJob.name:
        await this.heartbeat.run(BULK_NOTIFICATIONS);
        return undefined;
      case sendNotificationJob.name:
        return await this.send.run(job, token, false);
      default:
        return await deferToNewerWorker(job, token);
    }
  }
}
