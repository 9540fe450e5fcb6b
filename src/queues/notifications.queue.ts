import { z } from 'zod';
import { MAX_ATTEMPTS } from '../domain/notifications/send-notification.js';
import { type JobContract, KEEP_FINISHED, RETRY_WITH_CEILING } from './job-contract.js';

/** Sends one e-mail or SMS. Tries last about ten hours; then the notification is abandoned and the job stays as failed. */
export const sendNotificationJob: JobContract<{ notificationId: string; outboxId: string }> = {
  queue: 'notifications',
  name: 'send-notification',
  version: 1,
  payload: z.object({
    notificationId: z.string().min(1).max(200),
    outboxId: z.string().regex(/^[0-9]{1,19}$/),
  }),
  options: { ...KEEP_FINISHED, attempts: MAX_ATTEMPTS, backoff: RETRY_WITH_CEILING },
};
