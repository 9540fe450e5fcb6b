import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { SendNotification } from '../src/domain/notifications/send-notification.js';
import type { NotificationId } from '../src/domain/shared/ids.js';
import { Log } from '../src/domain/shared/log.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { Metrics } from '../src/ops/metrics.js';
import { readPayload } from '../src/queues/job-contract.js';
import { sendNotificationJob } from '../src/queues/notifications.queue.js';
import { deferToNewerWorker, delayJob } from './delay-job.js';
import { countOutcome, endDelivery } from './deliver-job.js';

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
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const id = payload.notificationId as NotificationId;
    const result = await countOutcome(this.metrics.notifications, 'error', () =>
      this.send.run(id, payload.outboxId, urgent),
    );
    if (result.kind === 'held') {
      const longest = LONGEST_HOLD_MS[urgent ? 'urgent' : 'patient'];
      return await delayJob(job, token, spread(result.retryInMs, longest));
    }
    if (result.kind === 'unknown-template') return await deferToNewerWorker(job, token);
    if (result.kind === 'no-channel') {
      this.warnOfMissingChannel();
      return await delayJob(job, token, NO_CHANNEL_DELAY_MS);
    }
    return await endDelivery(job, token, result, (reason) =>
      this.log.warn('notification abandoned', { id, reason }),
    );
  }
}

/** What waits for one moment should not come back in one moment. */
function spread(waitMs: number, most: number): number {
  return Math.min(waitMs, most) * (1 + Math.random() / 4);
}
