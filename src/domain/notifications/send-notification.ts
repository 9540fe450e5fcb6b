import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type AuditEvent, EventsStore } from '../events/events.store.js';
import { OutboxStore } from '../outbox/outbox.store.js';
import { backOffMs } from '../shared/back-off.js';
import { crashPoint } from '../shared/crash-point.js';
import type { NotificationId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { SmsPrefixes } from './abuse/sms-prefixes.js';
import type { Accepted, ChannelError } from './channels.js';
import { needsContent } from './compose-mail.js';
import { HandOver, HOLD_MS } from './hand-over.js';
import { ProviderGates } from './health/provider-gates.js';
import {
  type Abandoned,
  type ClaimedNotification,
  type ClaimResult,
  type NotificationChannel,
  NotificationsStore,
  type Postponed,
} from './notifications.store.js';

/** Counted in Postgres, so that lost or doubled jobs change nothing about it. With the back-off this is ten hours. */
export const MAX_ATTEMPTS = 30;
/** An SMS costs money, and whoever waits for it asks for another (security F26). */
const MAX_FAILURES: Readonly<Record<NotificationChannel, number>> = { email: MAX_ATTEMPTS, sms: 3 };
/** Of hand-overs that the provider may have accepted: one more would be one too many (security F25, F26). */
const MAX_HAND_OVERS: Readonly<Record<NotificationChannel, number>> = { email: 2, sms: 1 };
/** Once the provider has the message, not writing that down means sending it twice: so try for a while. */
const RETRY_MARK_AFTER_MS = [200, 1_000, 3_000];

/** Another worker has it, or it is gone: the next look tells which. */
const LOST = { kind: 'busy', retryInMs: 1_000 } as const;

const EVERY_CHANNEL: readonly NotificationChannel[] = ['email', 'sms'];

export type SendResult =
  | { readonly kind: 'sent' }
  /** It will never be sent. `failed` tells a dead letter from one that nobody needs any more. */
  | { readonly kind: 'abandoned'; readonly reason: string; readonly failed: boolean }
  /** The next attempt is owed already: by the same job where it is `held`, else by one of its own. */
  | { readonly kind: 'retrying'; readonly reason: string; readonly retryInMs: number; readonly held: boolean }
  | { readonly kind: 'finished' }
  | { readonly kind: 'no-channel' }
  /** Its providers take nothing for so long. */
  | { readonly kind: 'held'; readonly retryInMs: number }
  | { readonly kind: 'busy'; readonly retryInMs: number };

/**
 * Sends one notification at most once for each time the provider takes it (users-want P12).
 *
 * Claim first, in its own transaction: duplicates of the job find the row taken. Then everything is read again
 * from Postgres, because a user may be gone or a code replaced since the job was made. Then the send. Then state,
 * event and outbox row change in one transaction under the claim's fence. What lies between the hand-over and that
 * transaction can double a mail: the connection or the worker may be gone before the provider's answer is written
 * down. A hand-over is therefore counted before it begins, and of a mail there is one repetition at most, with the
 * same Message-ID and the same code; of an SMS none. A worker that dies earlier leaves no count, so that no message
 * is lost with it.
 *
 * When the next attempt is due is written into Postgres too, beside the outbox row that owes it: a queue that
 * forgets everything neither hastens nor forgets it (security F02). The job that failed waits for it in the queue, where
 * it shows its attempts and the last error.
 */
@Injectable()
export class SendNotification {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: NotificationsStore,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
    private readonly gates: ProviderGates,
    private readonly handOver: HandOver,
    private readonly prefixes: SmsPrefixes,
  ) {}

  /**
   * @param outboxId the row that this work was published from, as the job says: not trusted
   * @param urgent   somebody waits for it
   */
  async run(id: NotificationId, outboxId: string, urgent = true): Promise<SendResult> {
    crashPoint('notification-before-claim');
    const result = await this.claim(id, urgent);
    if (result.kind === 'finished') {
      await this.outbox.discard(outboxId, 'notifications', { notificationId: id });
      return { kind: 'finished' };
    }
    if (result.kind !== 'claimed') return result;
    crashPoint('notification-after-claim');
    const claim = result.notification;
    const end = endOf(claim);
    if (end !== undefined) return await this.abandon(claim, end);
    const outcome = await this.attempt(claim, urgent);
    if (outcome.kind === 'lost') return LOST;
    if (outcome.kind === 'held') {
      await this.notifications.giveBack(claim, outcome.reason, outcome.with);
      return { kind: 'held', retryInMs: outcome.waitMs };
    }
    if (outcome.kind === 'failed') return await this.afterFailure(claim, outcome.error);
    crashPoint('notification-after-send');
    const marked = await this.insist(() => this.finishSent(claim, outcome.accepted));
    crashPoint('notification-after-mark');
    return { kind: marked ? 'sent' : 'finished' };
  }

  private async claim(
    id: NotificationId,
    urgent: boolean,
  ): Promise<Exclude<ClaimResult, { kind: 'no-channel' }> | SendResult> {
    const { open, waitMs } = await this.gates.openChannels(urgent);
    const result = await this.notifications.claim(id, open, HOLD_MS);
    if (result.kind !== 'no-channel') return result;
    if (result.expired) {
      // nothing will be sent, so that no channel is needed for it
      const ended = await this.notifications.claim(id, EVERY_CHANNEL, HOLD_MS);
      if (ended.kind !== 'no-channel') return ended;
    }
    const wait = waitMs[result.channel];
    if (wait === undefined) return { kind: 'no-channel' };
    return { kind: 'held', retryInMs: Math.min(wait, result.expiresInMs ?? wait) };
  }

  private async attempt(claim: ClaimedNotification, urgent: boolean): ReturnType<HandOver['run']> {
    try {
      return await this.handOver.run(claim, urgent);
    } catch (error) {
      // before the hand-over, so that the next attempt doubles nothing
      await this.postpone(claim, {
        reason: 'internal',
        handOvers: claim.handOvers,
        failures: claim.failures + 1,
        delayMs: backOffMs(claim.failures + 1),
      });
      throw error;
    }
  }

  private async afterFailure(claim: ClaimedNotification, error: ChannelError): Promise<SendResult> {
    const { reason, failure, retryAfterMs } = error;
    const ambiguous = failure === 'ambiguous';
    const dead = { deadLetter: true, ambiguous, with: error.with };
    if (error.scope === 'prefix' && claim.phone !== null) await this.prefixes.flag(claim.phone, reason);
    if (failure === 'terminal') return await this.abandon(claim, { reason, ...dead });
    const handOvers = claim.handOvers + (ambiguous ? 1 : 0);
    if (handOvers >= MAX_HAND_OVERS[claim.channel]) {
      return await this.abandon(claim, { reason, ...dead, ambiguous: true });
    }
    // a provider that only asks to wait has not failed; but a mail may be put off so often only
    const putOff = retryAfterMs !== undefined && claim.channel === 'sms';
    const failures = claim.failures + (putOff ? 0 : 1);
    if (failures >= MAX_FAILURES[claim.channel]) {
      return await this.abandon(claim, { reason: exhausted(reason), ...dead });
    }
    const delayMs = retryAfterMs ?? backOffMs(failures);
    const postponed = await this.postpone(claim, {
      reason,
      with: error.with,
      handOvers,
      failures,
      delayMs,
    });
    return postponed === undefined ? LOST : { kind: 'retrying', reason, ...postponed };
  }

  /** The next attempt and the job that will make it, in one transaction. */
  private postpone(
    claim: ClaimedNotification,
    postponed: Postponed,
  ): Promise<{ readonly retryInMs: number; readonly held: boolean } | undefined> {
    return this.unitOfWork.run(async (tx) => {
      const delayMs = await this.notifications.postpone(tx, claim, postponed);
      if (delayMs === undefined) return undefined;
      const next = claim.outboxId === null ? 'owed' : await this.outbox.postpone(tx, claim.outboxId, delayMs);
      return { retryInMs: delayMs, held: next === 'held' };
    });
  }

  /** State, event and outbox row in one transaction; nothing at all when another worker holds the claim by now. */
  private async abandon(claim: ClaimedNotification, end: Abandoned): Promise<SendResult> {
    const { reason, deadLetter: failed } = end;
    const marked = await this.unitOfWork.run(async (tx) => {
      if (!(await this.notifications.markAbandoned(tx, claim, end))) return false;
      await this.events.append(tx, eventOf(claim, 'notification.abandoned', { reason }));
      if (claim.outboxId !== null) await this.outbox.finish(tx, claim.outboxId);
      return true;
    });
    return marked ? { kind: 'abandoned', reason, failed } : { kind: 'finished' };
  }

  private finishSent(claim: ClaimedNotification, accepted: Accepted): Promise<boolean> {
    return this.notifications.finishSent(claim, accepted, eventOf(claim, 'notification.sent'));
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

/** Why this is not sent any more, checked at the last moment (security F28, F46). */
function endOf(claim: ClaimedNotification): Abandoned | undefined {
  const unwanted = { deadLetter: false, ambiguous: claim.handOvers > 0 };
  if (!claim.userActive) return { reason: 'user_inactive', ...unwanted };
  if (claim.codeEnded) return { reason: 'code_ended', ...unwanted };
  if (claim.expired) return { reason: 'code_expired', ...unwanted };
  const dead = { deadLetter: true, ambiguous: claim.handOvers > 0 };
  if (claim.code === undefined && claim.codeProviderId === null && needsContent(claim.template)) {
    return { reason: 'content_unreadable', ...dead };
  }
  if (claim.attempts > MAX_ATTEMPTS) return { reason: exhausted(claim.lastError), ...dead };
  if (claim.handOvers >= MAX_HAND_OVERS[claim.channel]) return { reason: 'ambiguous', ...dead };
  return undefined;
}

function eventOf(
  claim: ClaimedNotification,
  type: 'notification.sent' | 'notification.abandoned',
  more: { readonly reason?: string } = {},
): AuditEvent {
  const { orgId, id, fence, userId, channel, template, attempts } = claim;
  return {
    orgId,
    aggregateType: 'notification',
    aggregateId: id,
    sequence: fence,
    type,
    actorId: null,
    data: { userId, channel, template, attempts, ...more },
  };
}

function exhausted(lastReason: string | null): string {
  return `attempts_exhausted:${lastReason ?? 'unknown'}`;
}
