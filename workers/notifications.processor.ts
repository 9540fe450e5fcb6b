import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { DeliverLogout, type DeliverResult } from '../src/domain/logout/deliver-logout.js';
import { ChannelError } from '../src/domain/notifications/channels.js';
import type { LogoutNoticeId } from '../src/domain/shared/ids.js';
import { Log } from '../src/domain/shared/log.js';
import { Metrics } from '../src/ops/metrics.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { readPayload } from '../src/queues/job-contract.js';
import { deliverLogoutJob, sendNotificationJob } from '../src/queues/notifications.queue.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { deferToNewerWorker } from './delay-job.js';
import { countOutcome, endDelivery } from './deliver-job.js';
import { RecordHeartbeat } from './record-heartbeat.js';
import { SendNotificationJobs } from './send-notification-jobs.js';

/** Notices leave some of them to messages (src/domain/logout/notice-places.ts). */
const AT_ONCE = 10;

/** Messages that somebody waits for, and notices of sessions that are over. */
@Processor('notifications', { concurrency: AT_ONCE })
export class NotificationsProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly send: SendNotificationJobs,
    private readonly deliver: DeliverLogout,
    private readonly heartbeat: RecordHeartbeat,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    super();
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    switch (job.name) {
      case heartbeatJob.name:
        await this.heartbeat.run('notifications');
        return undefined;
      case sendNotificationJob.name:
        return await this.send.run(job, token, true);
      case deliverLogoutJob.name:
        return await this.deliverLogout(job, token);
      default:
        return await deferToNewerWorker(job, token);
    }
  }

  /** @returns the outcome, for the dashboard; throws what the queue should retry or keep as failed */
  private async deliverLogout(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(deliverLogoutJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const id = payload.logoutNoticeId as LogoutNoticeId;
    const result = await countOutcome(this.metrics.logoutNotices, 'retried', () =>
      this.attemptDelivery(id, payload.outboxId),
    );
    return await endDelivery(job, token, result, (reason) =>
      this.log.warn('logout notice abandoned', { id, reason }),
    );
  }

  private async attemptDelivery(id: LogoutNoticeId, outboxId: string): Promise<DeliverResult> {
    try {
      return await this.deliver.run(id, outboxId);
    } catch (error) {
      if (error instanceof ChannelError) this.log.info('logout notice failed', { id, reason: error.reason });
      throw error;
    }
  }
}
