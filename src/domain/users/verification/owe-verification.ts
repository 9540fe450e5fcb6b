import { Injectable } from '@nestjs/common';
import { type NotificationChannel, NotificationsStore } from '../../notifications/notifications.store.js';
import { OutboxStore } from '../../outbox/outbox.store.js';
import { Sealer } from '../../secrets/sealer.js';
import type { NotificationId, OrgId, UserId } from '../../shared/ids.js';
import { randomCode, randomToken } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { CODE_LIFETIME_MS, macOfCode } from './verification-code.js';
import { VerificationCodesStore } from './verification-codes.store.js';

export interface OwedVerification {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly purpose: 'initialise' | 'verify_email' | 'verify_phone';
  /** E-mail address or E.164 number. */
  readonly target: string;
}

const CHANNELS: Readonly<Record<OwedVerification['purpose'], NotificationChannel>> = {
  initialise: 'email',
  verify_email: 'email',
  verify_phone: 'sms',
};

/**
 * Owes somebody a message with a fresh code: the code, the notification and its job, in the caller's transaction.
 * The code leaves this function in clear only towards the notification, which seals it.
 */
@Injectable()
export class OweVerification {
  constructor(
    private readonly sealer: Sealer,
    private readonly codes: VerificationCodesStore,
    private readonly notifications: NotificationsStore,
    private readonly outbox: OutboxStore,
  ) {}

  async execute(tx: Tx, owed: OwedVerification): Promise<void> {
    const { orgId, userId, purpose } = owed;
    const code = randomCode();
    const codeId = randomToken(16);
    const expiresAt = await this.codes.replace(tx, {
      ...owed,
      id: codeId,
      codeHash: macOfCode(this.sealer, owed, code),
      lifetimeMs: CODE_LIFETIME_MS[purpose],
    });
    const id = randomToken(16) as NotificationId;
    const channel = CHANNELS[purpose];
    // nothing sends SMS yet: the row waits for whoever will, and no job goes round in vain meanwhile
    const waits = channel === 'sms';
    const outboxId = waits
      ? null
      : await this.outbox.add(tx, {
          queue: 'notifications',
          jobName: 'send-notification',
          payload: { notificationId: id },
          lane: 'normal',
        });
    await this.notifications.add(tx, {
      id,
      orgId,
      userId,
      channel,
      template: purpose,
      codeId,
      code,
      expiresAt,
      state: waits ? 'waiting' : 'pending',
      outboxId,
    });
  }
}
