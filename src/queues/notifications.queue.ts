import { z } from 'zod';
import { MAX_LOGOUT_ATTEMPTS } from '../domain/logout/deliver-logout.js';
import { DELIVER_LOGOUT } from '../domain/logout/logout-notices.store.js';
import { SEND_NOTIFICATION } from '../domain/notifications/enqueue-notification.js';
import { MAX_ATTEMPTS } from '../domain/notifications/send-notification.js';
import { KEEP_FINISHED, outboxId, RETRY_WITH_CEILING, subjectId, type JobContract } from './job-contract.js';

/**
 * Makes the attempts to send an e-mail or SMS. When the next is due stands in Postgres; the job waits for it as delayed,
 * with its attempts and the last error. Once the notification is given up for good the job stays as failed.
 */
export const sendNotificationJob: JobContract<{ notificationId: string; outboxId: string }> = {
  queue: 'notifications',
  name: SEND_NOTIFICATION,
  version: 1,
  payload: z.object({
    notificationId: subjectId,
    outboxId,
  }),
  options: { ...KEEP_FINISHED, attempts: MAX_ATTEMPTS, backoff: RETRY_WITH_CEILING },
};

/** Notifies one application that a session has ended. Attempts last about three hours; then it is abandoned, as above. */
export const deliverLogoutJob: JobContract<{ logoutNoticeId: string; outboxId: string }> = {
  queue: 'notifications',
  name: DELIVER_LOGOUT,
  version: 1,
  payload: z.object({
    logoutNoticeId: subjectId,
    outboxId,
  }),
  options: { ...KEEP_FINISHED, attempts: MAX_LOGOUT_ATTEMPTS, backoff: RETRY_WITH_CEILING },
};
