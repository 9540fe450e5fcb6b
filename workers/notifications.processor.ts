import { Processor, WorkerHost } from '@nestjs/bullmq';
import { type Job, UnrecoverableError } from 'bullmq';
import { DeliverLogout, type DeliverResult } from '../src/domain/logout/deliver-logout.js';
import { ChannelError } from '../src/domain/notifications/channels.js';
import { type SendResult, SendNotification } from '../src/domain/notifications/send-notification.js';
import type { LogoutNoticeId, NotificationId } from '../src/domain/shared/ids.js';
import { Log } from '../src/domain/shared/log.js';
import { Metrics } from '../src/ops/metrics.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { readPayload } from '../src/queues/job-contract.js';
import { deliverLogoutJob, sendNotificationJob } from '../src/queues/notifications.queue.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { leaveToNewerWorker, putOff } from './put-off.js';
import { RecordHeartbeat } from './record-heartbeat.js';

/** As many as the mail pool has connections (smtp-mail-channel.ts), so that no message waits inside of it. */
export const NOTIFICATIONS_AT_ONCE = 8;
const NO_CHANNEL_DELAY_MS = 15_000;

@Processor('notifications', { concurrency: NOTIFICATIONS_AT_ONCE })
export class NotificationsProcessor extends WorkerHost<QueueWorker> {
  private readonly warnOfMissingChannel: () => void;

  constructor(
    private readonly send: SendNotification,
    private readonly deliver: DeliverLogout,
    private readonly heartbeat: RecordHeartbeat,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    super();
    this.warnOfMissingChannel = oncePer(300_000, () =>
      log.warn('notifications wait: no provider is configured for them (SMTP_URL)'),
    );
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    switch (job.name) {
      case heartbeatJob.name:
        await this.heartbeat.run('notifications');
        return undefined;
      case sendNotificationJob.name:
        return await this.sendNotification(job, token);
      case deliverLogoutJob.name:
        return await this.deliverLogout(job, token);
      default:
        return await leaveToNewerWorker(job, token);
    }
  }

  /** @returns the outcome, for the dashboard; throws what the queue should retry or keep as failed */
  private async sendNotification(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(sendNotificationJob, job);
    if (payload === undefined) return await leaveToNewerWorker(job, token);
    const result = await this.attempt(payload.notificationId as NotificationId, payload.outboxId);
    this.metrics.notifications.inc({ outcome: result.kind });
    if (result.kind === 'busy') return await putOff(job, token, result.retryInMs);
    if (result.kind === 'no-channel') {
      this.warnOfMissingChannel();
      return await putOff(job, token, NO_CHANNEL_DELAY_MS);
    }
    if (result.kind !== 'abandoned') return result.kind;
    this.log.warn('notification abandoned', { id: payload.notificationId, reason: result.reason });
    if (result.failed) throw new UnrecoverableError(`abandoned: ${result.reason}`);
    return `abandoned: ${result.reason}`;
  }

  private async attempt(id: NotificationId, outboxId: string): Promise<SendResult> {
    try {
      return await this.send.run(id, outboxId);
    } catch (error) {
      this.metrics.notifications.inc({ outcome: 'retried' });
      if (error instanceof ChannelError) this.log.info('notification failed', { id, reason: error.reason });
      throw error;
    }
  }

  /** As above, for a logout notice. */
  private async deliverLogout(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(deliverLogoutJob, job);
    if (payload === undefined) return await leaveToNewerWorker(job, token);
    const id = payload.logoutNoticeId as LogoutNoticeId;
    const result = await this.attemptDelivery(id, payload.outboxId);
    this.metrics.logoutNotices.inc({ outcome: result.kind });
    if (result.kind === 'busy') return await putOff(job, token, result.retryInMs);
    if (result.kind !== 'abandoned') return result.kind;
    this.log.warn('logout notice abandoned', { id, reason: result.reason });
    if (result.failed) throw new UnrecoverableError(`abandoned: ${result.reason}`);
    return `abandoned: ${result.reason}`;
  }

  private async attemptDelivery(id: LogoutNoticeId, outboxId: string): Promise<DeliverResult> {
    try {
      return await this.deliver.run(id, outboxId);
    } catch (error) {
      this.metrics.logoutNotices.inc({ outcome: 'retried' });
      if (error instanceof ChannelError) this.log.info('logout notice failed', { id, reason: error.reason });
      throw error;
    }
  }
}
