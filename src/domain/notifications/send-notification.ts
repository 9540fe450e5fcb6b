import { Injectable } from '@nestjs/common';
import { ClaimAndDeliver } from '../outbox/claim-and-deliver.js';
import type {
  Attempt,
  Delayed,
  Delivery,
  DeliveryEnd,
  DeliveryLimits,
  DeliveryResult,
  NextAttempt,
  NotClaimed,
  Unwanted,
} from '../outbox/delivery.js';
import { crashPoint } from '../shared/crash-point.js';
import type { NotificationId, OrgId } from '../shared/ids.js';
import { Counters } from '../statistics/counters.js';
import { SmsPrefixes } from './abuse/sms-prefixes.js';
import type { Accepted, ChannelError } from './channels.js';
import { needsContent } from './compose-mail.js';
import { SEND_NOTIFICATION } from './enqueue-notification.js';
import { HandOver, HOLD_MS } from './hand-over.js';
import { ProviderGates } from './health/provider-gates.js';
import {
  NOTIFICATION_CHANNELS,
  NotificationsStore,
  type Abandoned,
  type ClaimedNotification,
  type NotificationChannel,
  type Postponed,
} from './notifications.store.js';

/** With the back-off this is ten hours. */
export const MAX_ATTEMPTS = 30;

const LIMITS: Readonly<Record<NotificationChannel, DeliveryLimits>> = {
  // a provider that only asks to wait has not failed; but a mail may be put off so often only
  email: { attempts: MAX_ATTEMPTS, failures: MAX_ATTEMPTS, handOvers: 2, waitsAreFailures: true },
  // it costs money, and whoever waits for it asks for another (security F25, F26)
  sms: { attempts: MAX_ATTEMPTS, failures: 3, handOvers: 1, waitsAreFailures: false },
};

type Waits =
  | { readonly kind: 'no-channel' }
  /** A newer worker can. */
  | { readonly kind: 'unknown-template' }
  /** Its providers take nothing for so long. */
  | { readonly kind: 'held'; readonly retryInMs: number };

type SendResult = Exclude<DeliveryResult, { kind: 'taken' }> | { readonly kind: 'sent' } | Waits;

type Message = Delivery<ClaimedNotification, Accepted, ChannelError, Waits>;

/**
 * Sends one notification at most once for each time the provider takes it.
 *
 * Everything is read with the claim, because a user may be gone or a code replaced since the job was made. What lies
 * between the hand-over and the transaction that writes it down can double a mail: the connection or the worker may be
 * gone before the provider's answer is known. A hand-over is therefore counted before it begins, and of a mail there is
 * one repetition at most, with the same Message-ID and the same code; of an SMS none. A worker that dies earlier leaves
 * no count, so that no message is lost with it.
 *
 * When the next attempt is due is written into Postgres too, beside the outbox row that enqueues it: a queue that
 * forgets everything neither hastens nor forgets it (security F02). The job that failed waits for it in the queue, where
 * it shows its attempts and the last error.
 */
@Injectable()
export class SendNotification {
  constructor(
    private readonly engine: ClaimAndDeliver,
    private readonly notifications: NotificationsStore,
    private readonly gates: ProviderGates,
    private readonly handOver: HandOver,
    private readonly prefixes: SmsPrefixes,
    private readonly counters: Counters,
  ) {}

  /**
   * @param outboxId the row that this work was published from, as the job says: not trusted
   * @param urgent   somebody waits for it
   */
  async run(id: NotificationId, outboxId: string, urgent = true): Promise<SendResult> {
    const message = this.message(id, urgent);
    let orgId: OrgId | undefined;
    const claim: Message['claim'] = async () => {
      const claimed = await message.claim();
      if (claimed.kind === 'claimed') orgId = claimed.claim.orgId;
      return claimed;
    };
    const result = await this.engine.run({ ...message, claim }, outboxId);
    if (orgId !== undefined) this.count(orgId, result);
    return result.kind === 'taken' ? { kind: 'sent' } : result;
  }

  /** By what was written down of it: of a claim that another worker took over, that one counts. */
  private count(orgId: OrgId, result: DeliveryResult | Waits): void {
    if (result.kind === 'taken') this.counters.add(orgId, 'messagesSent');
    if (result.kind === 'abandoned' && result.failed) this.counters.add(orgId, 'messagesFailed');
  }

  private message(id: NotificationId, urgent: boolean): Message {
    return {
      name: 'notification',
      work: { queue: 'notifications', jobName: SEND_NOTIFICATION, payload: { notificationId: id } },
      events: { taken: 'notification.sent', abandoned: 'notification.abandoned' },
      claim: () => this.claim(id, urgent),
      unwanted,
      limitsOf: ({ channel }) => LIMITS[channel],
      attempt: (claim) => this.attempt(claim, urgent),
      heed: async ({ phone }, { scope, reason }) => {
        if (scope === 'prefix' && phone !== null) await this.prefixes.flag(phone, reason);
      },
      retry: (claim, next) =>
        this.engine.postpone(claim, (tx) => this.notifications.postpone(tx, claim, postponed(next))),
      subjectOf: ({ userId, channel, template }) => ({ userId, channel, template }),
      finish: (claim, accepted, event) => this.notifications.finishSent(claim, accepted, event),
      markAbandoned: (tx, claim, end) => this.notifications.markAbandoned(tx, claim, abandoned(end)),
    };
  }

  private async claim(
    id: NotificationId,
    urgent: boolean,
  ): Promise<
    { readonly kind: 'claimed'; readonly claim: ClaimedNotification } | NotClaimed | Delayed<Waits>
  > {
    const { open, waitMs } = await this.gates.openChannels(urgent);
    let result = await this.notifications.claim(id, open, HOLD_MS);
    // nothing will be sent of what has expired, so that no channel is needed for it
    if (result.kind === 'no-channel' && result.expired) {
      result = await this.notifications.claim(id, NOTIFICATION_CHANNELS, HOLD_MS);
    }
    if (result.kind === 'claimed') return { kind: 'claimed', claim: result.notification };
    if (result.kind === 'unknown-template') return { kind: 'delayed', result };
    if (result.kind !== 'no-channel') return result;
    const wait = waitMs[result.channel];
    if (wait === undefined) return { kind: 'delayed', result: { kind: 'no-channel' } };
    const retryInMs = Math.min(wait, result.expiresInMs ?? wait);
    return { kind: 'delayed', result: { kind: 'held', retryInMs } };
  }

  private async attempt(
    claim: ClaimedNotification,
    urgent: boolean,
  ): Promise<Attempt<Accepted, ChannelError, Waits>> {
    const outcome = await this.handOver.run(claim, urgent);
    if (outcome.kind === 'held') {
      return {
        kind: 'delayed',
        result: { kind: 'held', retryInMs: outcome.waitMs },
        giveBack: () => this.notifications.giveBack(claim, outcome.reason, outcome.with),
      };
    }
    if (outcome.kind !== 'accepted') return outcome;
    crashPoint('notification-after-send');
    return { kind: 'taken', taken: outcome.accepted };
  }
}

/** Why this is not sent any more, checked at the last moment (security F28, F46). */
function unwanted(claim: ClaimedNotification): Unwanted | undefined {
  if (!claim.userActive) return { reason: 'user_inactive', deadLetter: false };
  if (claim.codeEnded) return { reason: 'code_ended', deadLetter: false };
  if (claim.expired) return { reason: 'code_expired', deadLetter: false };
  if (claim.code === undefined && claim.codeProviderId === null && needsContent(claim.template)) {
    return { reason: 'content_unreadable', deadLetter: true };
  }
  return undefined;
}

function postponed({ error, ...next }: NextAttempt<ChannelError>): Postponed {
  return { ...next, with: error?.with };
}

function abandoned({ error, ...end }: DeliveryEnd<ChannelError>): Abandoned {
  return { ...end, with: error?.with };
}
