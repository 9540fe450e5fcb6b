import { Injectable } from '@nestjs/common';
import { OutboxStore, type JobLane } from '../outbox/outbox.store.js';
import type { NotificationId } from '../shared/ids.js';
import { randomId } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { NotificationTemplate } from './notification-template.js';
import { NotificationsStore, type NewNotification, type NotificationChannel } from './notifications.store.js';

export const SEND_NOTIFICATION = 'send-notification';

/** The default. Messages that a user waits for at a page take precedence over all others (security F41). */
export const LANES: Readonly<Record<NotificationTemplate, JobLane>> = {
  initialise: 'normal',
  verify_email: 'normal',
  verify_phone: 'normal',
  second_factor_email: 'priority',
  second_factor_sms: 'priority',
  reset_password: 'priority',
  password_changed: 'priority',
  register: 'priority',
  account_exists: 'priority',
  email_changed: 'priority',
  phone_changed: 'priority',
  reset_choice: 'priority',
  passkey_added: 'priority',
  passkey_removed: 'priority',
  factor_added: 'priority',
  factor_removed: 'priority',
  recovery_codes_made: 'priority',
  recovery_code_used: 'priority',
  factors_reset: 'priority',
  account_deleted: 'priority',
  template_test: 'priority',
};

const CHANNELS: Readonly<Record<NotificationTemplate, NotificationChannel>> = {
  initialise: 'email',
  verify_email: 'email',
  verify_phone: 'sms',
  second_factor_email: 'email',
  second_factor_sms: 'sms',
  reset_password: 'email',
  password_changed: 'email',
  register: 'email',
  account_exists: 'email',
  email_changed: 'email',
  phone_changed: 'email',
  reset_choice: 'email',
  passkey_added: 'email',
  passkey_removed: 'email',
  factor_added: 'email',
  factor_removed: 'email',
  recovery_codes_made: 'email',
  recovery_code_used: 'email',
  factors_reset: 'email',
  account_deleted: 'email',
  template_test: 'email',
};

interface NotificationToEnqueue extends Omit<NewNotification, 'id' | 'channel' | 'outboxId'> {
  /** In place of the template's own. */
  readonly lane?: JobLane | undefined;
}

/** Enqueues a message to somebody: the notification and its job, in the caller's transaction. */
@Injectable()
export class EnqueueNotification {
  constructor(
    private readonly notifications: NotificationsStore,
    private readonly outbox: OutboxStore,
  ) {}

  /** The same for a notice: it contains no code, so it does not expire. */
  async notify(tx: Tx, notice: Pick<NotificationToEnqueue, 'orgId' | 'userId' | 'template'>): Promise<void> {
    await this.execute(tx, { ...notice, codeId: null, code: null, expiresAt: null });
  }

  async execute(tx: Tx, { lane, ...notification }: NotificationToEnqueue): Promise<void> {
    const id = randomId() as NotificationId;
    const outboxId = await this.outbox.add(tx, {
      queue: 'notifications',
      jobName: SEND_NOTIFICATION,
      payload: { notificationId: id },
      lane: lane ?? LANES[notification.template],
    });
    await this.notifications.add(tx, {
      ...notification,
      id,
      channel: CHANNELS[notification.template],
      outboxId,
    });
  }
}
