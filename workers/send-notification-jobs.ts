import { Injectable } from '@nestjs/common';
import { type Job, UnrecoverableError } from 'bullmq';
import { SendNotification, type SendResult } from '../src/domain/notifications/send-notification.js';
import type { NotificationId } from '../src/domain/shared/ids.js';
import { Log } from '../src/domain/shared/log.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { Metrics } from '../src/ops/metrics.js';
import { readPayload } from '../src/queues/job-contract.js';
import { AttemptFailed } from '../src/queues/retry-delay.js';
import { sendNotificationJob } from '../src/queues/notifications.queue.js';
import { leaveToNewerWorker, putOff } from './put-off.js';

const NO_CHANNEL_DELAY_MS = 15_000;
/** A provider can be well again sooner than it was said, when somebody has changed its settings. */
const LONGEST_HOLD_MS = { urgent: 5_000, patient: 60_000 };

/** One attempt to send a message, as a job of either queue of messages. */
@Injectable()
export class SendNotificationJobs {
  private readonly warnOfMissingChannel: () => void;

  constructor(
    private readonly send: SendNotification,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    this.warnOfMissingChannel = oncePer(300_000, () =>
      log.warn('notifications wait: no provider is configured for them (SMTP_URL)'),
    );
  }

  /** @returns the outcome, for the dashboard; throws what the queue should keep as failed */
  async run(job: Job, token: string | undefined, urgent: boolean): Promise<string> {
    const payload = readPayload(sendNotificationJob, job);
    if (payload === undefined) return await leaveToNewerWorker(job, token);
    const id = payload.notificationId as NotificationId;
    const result = await this.attempt(id, payload.outboxId, urgent);
    this.metrics.notifications.inc({ outcome: result.kind });
    switch (result.kind) {
      case 'busy':
        return await putOff(job, token, result.retryInMs);
      case 'held':
        return await putOff(
          job,
          token,
          spread(result.retryInMs, LONGEST_HOLD_MS[urgent ? 'urgent' : 'patient']),
        );
      case 'no-channel':
        this.warnOfMissingChannel();
        return await putOff(job, token, NO_CHANNEL_DELAY_MS);
      case 'retrying':
        if (result.held) throw new AttemptFailed(result.reason, result.retryInMs);
        // another job makes the next attempt: of this one there is nothing to see
        job.opts.removeOnComplete = true;
        return `retrying in ${Math.ceil(result.retryInMs / 1000)} s: ${result.reason}`;
      case 'abandoned':
        this.log.warn('notification abandoned', { id, reason: result.reason });
        if (result.failed) throw new UnrecoverableError(`abandoned: ${result.reason}`);
        return `abandoned: ${result.reason}`;
      case 'sent':
      case 'finished':
        return result.kind;
    }
  }

  private async attempt(id: NotificationId, outboxId: string, urgent: boolean): Promise<SendResult> {
    try {
      return await this.send.run(id, outboxId, urgent);
    } catch (error) {
      this.metrics.notifications.inc({ outcome: 'error' });
      throw error;
    }
  }
}

/** What waits for one moment should not come back in one moment. */
function spread(waitMs: number, most: number): number {
  return Math.min(waitMs, most) * (1 + Math.random() / 4);
}
