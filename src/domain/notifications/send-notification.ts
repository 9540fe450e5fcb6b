import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { OutboxStore } from '../outbox/outbox.store.js';
import { crashPoint } from '../shared/crash-point.js';
import type { NotificationId } from '../shared/ids.js';
import { type Tx, UnitOfWork } from '../shared/unit-of-work.js';
import { ChannelError, MailChannel } from './channels.js';
import { needsContent } from './compose-mail.js';
import { ComposeMessages } from './compose-messages.js';
import { type ClaimedNotification, NotificationsStore } from './notifications.store.js';

/** Counted in Postgres, so that lost or doubled jobs change nothing about it. */
export const MAX_ATTEMPTS = 30;
/** The provider may have accepted both already; a third would be one too many (security F25). */
const MAX_HAND_OVERS = 2;
/** Longer than a send can take, so that a claim lapses only when its worker is gone or frozen. */
const HOLD_MS = 40_000;
/** Once the provider has the message, not writing that down means sending it twice: so try for a while. */
const RETRY_MARK_AFTER_MS = [200, 1_000, 3_000];

export type SendResult =
  | { readonly kind: 'sent' }
  /** It will never be sent. `failed` tells a dead letter from one that nobody needs any more. */
  | { readonly kind: 'abandoned'; readonly reason: string; readonly failed: boolean }
  | { readonly kind: 'finished' }
  | { readonly kind: 'no-channel' }
  | { readonly kind: 'busy'; readonly retryInMs: number };

/**
 * Sends one notification at most once for each time the provider takes it (users-want P12).
 *
 * Claim first, in its own transaction: duplicates of the job find the row taken. Then everything is read again
 * from Postgres, because a user may be gone or a code replaced since the job was made. Then the send. Then state,
 * event and outbox row change in one transaction under the claim's fence. What lies between the hand-over and that
 * transaction can double a mail: the connection or the worker may be gone before the provider's answer is written
 * down. A hand-over is therefore counted before it begins, and there is one repetition at most, with the same
 * Message-ID and the same code. A worker that dies earlier leaves no count, so that no mail is lost with it.
 */
@Injectable()
export class SendNotification {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: NotificationsStore,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
    private readonly mail: MailChannel,
    private readonly compose: ComposeMessages,
  ) {}

  /**
   * @param outboxId the row that this work was published from, as the job says: not trusted
   * @throws ChannelError when the provider failed and a retry may help; the claim is given back
   */
  async run(id: NotificationId, outboxId: string): Promise<SendResult> {
    crashPoint('notification-before-claim');
    const result = await this.notifications.claim(id, this.mail.configured ? ['email'] : [], HOLD_MS);
    if (result.kind === 'finished') {
      await this.outbox.discard(outboxId, 'notifications', { notificationId: id });
      return { kind: 'finished' };
    }
    if (result.kind !== 'claimed') return result;
    crashPoint('notification-after-claim');
    const claim = result.notification;
    const { code } = claim;
    const obstacle = obstacleOf(claim);
    if (obstacle !== undefined) return await this.abandon(claim, obstacle, false);
    if (code === undefined && needsContent(claim.template)) {
      return await this.abandon(claim, 'content_unreadable', true);
    }
    if (claim.attempts > MAX_ATTEMPTS) return await this.abandon(claim, exhausted(claim.lastError), true);
    if (claim.handOvers >= MAX_HAND_OVERS) return await this.abandon(claim, 'ambiguous', true);
    try {
      const message = await this.compose.mail(claim, code);
      if (!(await this.notifications.markHandedOver(claim))) return { kind: 'finished' };
      await this.mail.send(message);
    } catch (error) {
      return await this.afterFailure(claim, error);
    }
    crashPoint('notification-after-send');
    const marked = await this.insist(() =>
      this.finish(claim, 'notification.sent', (tx) => this.notifications.markSent(tx, claim)),
    );
    crashPoint('notification-after-mark');
    return { kind: marked ? 'sent' : 'finished' };
  }

  private async afterFailure(claim: ClaimedNotification, error: unknown): Promise<SendResult> {
    if (!(error instanceof ChannelError)) {
      // a channel throws nothing else: this came before the hand-over
      await this.notifications.release(claim, 'internal', claim.handOvers);
      throw error;
    }
    if (error.failure === 'terminal') return await this.abandon(claim, error.reason, true);
    const handOvers = claim.handOvers + (error.failure === 'ambiguous' ? 1 : 0);
    if (handOvers >= MAX_HAND_OVERS) return await this.abandon(claim, error.reason, true);
    if (claim.attempts >= MAX_ATTEMPTS) return await this.abandon(claim, exhausted(error.reason), true);
    await this.notifications.release(claim, error.reason, handOvers);
    throw error;
  }

  private async abandon(claim: ClaimedNotification, reason: string, failed: boolean): Promise<SendResult> {
    const marked = await this.finish(
      claim,
      'notification.abandoned',
      (tx) => this.notifications.markAbandoned(tx, claim, reason),
      reason,
    );
    return marked ? { kind: 'abandoned', reason, failed } : { kind: 'finished' };
  }

  /** State, event and outbox row in one transaction; nothing at all when another worker holds the claim by now. */
  private finish(
    claim: ClaimedNotification,
    type: 'notification.sent' | 'notification.abandoned',
    mark: (tx: Tx) => Promise<boolean>,
    reason?: string,
  ): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      if (!(await mark(tx))) return false;
      await this.events.append(tx, {
        orgId: claim.orgId,
        aggregateType: 'notification',
        aggregateId: claim.id,
        sequence: claim.fence,
        type,
        actorId: null,
        data: {
          userId: claim.userId,
          channel: claim.channel,
          template: claim.template,
          attempts: claim.attempts,
          ...(reason === undefined ? {} : { reason }),
        },
      });
      if (claim.outboxId !== null) await this.outbox.finish(tx, claim.outboxId);
      return true;
    });
  }

  private async insist<T>(work: () => Promise<T>): Promise<T> {
    for (const delayMs of RETRY_MARK_AFTER_MS) {
      try {
        return await work();
      } catch {
        await sleep(delayMs);
      }
    }
    return await work();
  }
}

/** Why nobody should get this message any more, checked at the last moment (security F28, F46). */
function obstacleOf(claim: ClaimedNotification): string | undefined {
  if (!claim.userActive) return 'user_inactive';
  if (claim.codeEnded) return 'code_ended';
  if (claim.expired) return 'code_expired';
  return undefined;
}

function exhausted(lastReason: string | null): string {
  return `attempts_exhausted:${lastReason ?? 'unknown'}`;
}
