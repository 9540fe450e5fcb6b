import { Injectable } from '@nestjs/common';
import { EventsStore, type EventPlace, type LoggedEvent } from '../events/events.store.js';
import { shownEvent } from '../events/shown-event.js';
import { ChannelError } from '../notifications/channels.js';
import { backOffMs } from '../shared/back-off.js';
import { Clock } from '../shared/clock.js';
import { crashPoint } from '../shared/crash-point.js';
import type { WebhookId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { wants } from './event-patterns.js';
import {
  WebhookDeliveriesStore,
  type ClaimedWebhook,
  type FailedAttempt,
  type PassedBefore,
  type WebhookCursor,
} from './webhook-deliveries.store.js';
import { reasonToldTo, WebhookEndpoint, type WebhookAnswer } from './webhook-endpoint.js';
import { WebhookMeter } from './webhook-meter.js';
import { signedHeaders } from './webhook-signature.js';

/** Three to four and a half hours with the back-off, which ends at half an hour. */
export const MAX_WEBHOOK_ATTEMPTS = 20;
/** Of one attempt. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** A claim lapses only when its worker is gone or frozen: it is renewed after each attempt. */
const HOLD_MS = 40_000;
/** Then it is another one's turn. */
const RUN_MS = 15_000;
/** Of a turn, while there are dead letters to be sent again: those get the rest. */
const EVENTS_MS = 10_000;
/** What there is may not be read yet, since an earlier transaction is still open: it is not looked for all the time. */
const UNSETTLED_MS = 2_000;
/** A secret that cannot be opened is somebody's repair, and not a matter of seconds. */
const UNREADABLE_MS = 60_000;
const EVENTS_AT_ONCE = 200;
const LONGEST_RETRY_AFTER_MS = 30 * 60_000;
/** However many events are given up, the audit log has one alarm per hour. */
const ALARM_PAUSE_SECONDS = 3_600;

/** One turn of one webhook. */
interface Turn {
  readonly claim: ClaimedWebhook;
  readonly stopping: AbortSignal;
  readonly until: number;
  /** The last event that was delivered or passed over. */
  cursor: WebhookCursor;
  passedBefore: PassedBefore | undefined;
  /** Of the event after that one. */
  attempts: number;
  /** When the claim was last renewed: whoever was frozen since then sends nothing. */
  heldSince: number;
  /** Events that were read. */
  looked: number;
}

/** `on`: there is more; `done`: there is not; `over`: the claim is somebody else's, or was given back already. */
type Step = 'on' | 'done' | 'over';

/**
 * Delivers the events beyond the cursor of a webhook, one by one and in the order of the log: the next goes out when the one
 * before was taken. The cursor moves after the answer, so that a worker that dies in between means one repetition and never a
 * gap. Where the database's clock went back, the cursor does, too, and what was delivered is passed over. No event is written for
 * a delivery, or it would be delivered, too.
 *
 * It is no delivery of the outbox (outbox/claim-and-deliver.ts): what is claimed here is a webhook with all that waits for it, and
 * not a row for each event, which the request that causes one would have to write.
 */
@Injectable()
export class DeliverEvents {
  constructor(
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly events: EventsStore,
    private readonly endpoint: WebhookEndpoint,
    private readonly meter: WebhookMeter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** For `run`, each by itself. */
  async claimDue(limit: number): Promise<readonly ClaimedWebhook[]> {
    const claims = await this.deliveries.claimDue(limit, HOLD_MS);
    if (claims.length > 0) crashPoint('webhook-after-claim');
    return claims;
  }

  /**
   * As much as there is, for a while.
   * @param stopping between two deliveries; the one that is under way is ended
   */
  async run(claim: ClaimedWebhook, stopping: AbortSignal): Promise<void> {
    const now = performance.now();
    const { cursor, passedBefore, attempts } = claim;
    if (claim.secrets.length === 0) return await this.restUnreadable(claim);
    const until = now + RUN_MS;
    const turn: Turn = {
      claim,
      stopping,
      until,
      cursor,
      passedBefore,
      attempts,
      heldSince: now,
      looked: 0,
    };
    // events first: letters are out of order anyway, and many of them must not keep what happens now waiting
    const eventsUntil = claim.hasQueuedLetters ? now + EVENTS_MS : turn.until;
    let step: Step = 'on';
    while (step === 'on' && goesOn(turn) && performance.now() < eventsUntil)
      step = await this.sendBatch(turn);
    if (step !== 'over' && claim.hasQueuedLetters) step = await this.sendLetters(turn);
    const hasRested = turn.looked === 0 && !claim.hasQueuedLetters;
    if (step !== 'over') await this.deliveries.release(claim, hasRested ? UNSETTLED_MS : 0);
  }

  /** Others that were claimed with it continue. */
  private async restUnreadable(claim: ClaimedWebhook): Promise<void> {
    this.log.error('the secret of a webhook cannot be opened', undefined, { webhook: claim.id });
    const { cursor, attempts } = claim;
    const failed = { cursor, attempts, reason: 'secret_unreadable', delayMs: UNREADABLE_MS };
    await this.deliveries.postpone(claim, failed);
  }

  /** Dead letters that somebody wants sent again. */
  private async sendLetters(turn: Turn): Promise<Step> {
    const { claim } = turn;
    while (goesOn(turn)) {
      const letter = await this.deliveries.findQueuedLetter(claim);
      if (letter === undefined) return 'done';
      const event = await this.events.find(letter.place);
      const failure = event && (await this.attempt(turn, event));
      if (failure !== undefined) {
        const delayMs = delayAfter(failure, 1);
        await this.deliveries.returnLetter(claim, letter, {
          reason: reasonToldTo(claim.orgId, failure),
          delayMs,
        });
        return 'over';
      }
      // one that the log holds no more is gone for good
      if (!(await this.deliveries.removeLetter(claim, letter, HOLD_MS))) return 'over';
      turn.heldSince = performance.now();
    }
    return 'done';
  }

  private async sendBatch(turn: Turn): Promise<Step> {
    const { orgId, eventTypes } = turn.claim;
    const asked = { after: turn.cursor, ascending: true, limit: EVENTS_AT_ONCE };
    const { events } = await this.events.search(orgId === null ? {} : { orgId }, asked);
    turn.looked += events.length;
    const back = await this.deliveries.rewind(turn.claim);
    if (back !== undefined) {
      Object.assign(turn, back, { attempts: 0 });
      return 'on';
    }
    let passed = turn.cursor;
    for (const event of events) {
      if (!goesOn(turn)) break;
      const isNew = !wasPassed(turn.passedBefore, event.place);
      if (isNew && wants(eventTypes, event.type) && !(await this.deliver(turn, event, passed))) return 'over';
      passed = passing(passed, event.place);
    }
    if (passed !== turn.cursor && !(await this.advance(turn, passed, false))) return 'over';
    return events.length < EVENTS_AT_ONCE ? 'done' : 'on';
  }

  /** @returns whether the turn continues: the event was accepted or given up, and the claim still held */
  private async deliver(turn: Turn, event: LoggedEvent, passed: WebhookCursor): Promise<boolean> {
    const failure = await this.attempt(turn, event);
    const cursor = passing(passed, event.place);
    if (failure === undefined) return await this.advance(turn, cursor, true);
    const reason = reasonToldTo(turn.claim.orgId, failure);
    const attempts = turn.attempts + 1;
    if (attempts >= MAX_WEBHOOK_ATTEMPTS) return await this.bury(turn, event, { cursor, reason, attempts });
    const delayMs = delayAfter(failure, attempts);
    await this.deliveries.postpone(turn.claim, { cursor: passed, reason, attempts, delayMs });
    return false;
  }

  /** @returns what failed; undefined when it was taken */
  private async attempt(
    { claim: { id, url, secrets } }: Turn,
    event: LoggedEvent,
  ): Promise<ChannelError | undefined> {
    const body = JSON.stringify(deliveryOf(id, event));
    const message = { id: deliveryId(id, event.place), atSeconds: this.clock.nowSeconds(), body };
    const failure = await failureOf(
      this.endpoint.post(url, signedHeaders(message, secrets), body, WEBHOOK_TIMEOUT_MS),
    );
    crashPoint('webhook-after-answer');
    this.meter.count(failure === undefined ? 'delivered' : 'failed');
    return failure;
  }

  private async advance(turn: Turn, to: WebhookCursor, delivered: boolean): Promise<boolean> {
    if (!(await this.deliveries.advance(turn.claim, to, delivered, HOLD_MS))) return false;
    turn.cursor = to;
    if (delivered) turn.attempts = 0;
    turn.heldSince = performance.now();
    return true;
  }

  private async bury(
    turn: Turn,
    event: LoggedEvent,
    failed: Omit<FailedAttempt, 'delayMs'>,
  ): Promise<boolean> {
    const { claim } = turn;
    if (!(await this.deliveries.bury(claim, event, failed, HOLD_MS))) return false;
    turn.cursor = failed.cursor;
    turn.attempts = 0;
    turn.heldSince = performance.now();
    this.meter.count('dead');
    this.log.warn('an event was given up', { webhook: claim.id, reason: failed.reason });
    const about = { aggregateType: 'webhook', aggregateId: claim.id, orgId: claim.orgId } as const;
    await this.events.raiseAlarmAbout(about, ALARM_PAUSE_SECONDS, { attempts: failed.attempts });
    return true;
  }
}

function passing({ highest }: WebhookCursor, { at, position }: EventPlace): WebhookCursor {
  return { at, position, highest: BigInt(position) > BigInt(highest) ? position : highest };
}

function wasPassed(before: PassedBefore | undefined, { at, position }: EventPlace): boolean {
  if (before === undefined) return false;
  return BigInt(at) <= BigInt(before.until) && BigInt(position) <= BigInt(before.above);
}

/** Also: whether there is time for one more attempt before somebody else may take it over. */
function goesOn({ stopping, until, heldSince }: Turn): boolean {
  const now = performance.now();
  return !stopping.aborted && now < until && now - heldSince < HOLD_MS - 2 * WEBHOOK_TIMEOUT_MS;
}

/** @throws what is no failure of the other side */
async function failureOf(answer: Promise<WebhookAnswer>): Promise<ChannelError | undefined> {
  try {
    const { status, retryAfterMs } = await answer;
    if (status >= 200 && status < 300) return undefined;
    return new ChannelError(`http_${status}`, 'retryable', retryAfterMs);
  } catch (error) {
    if (error instanceof ChannelError) return error;
    throw error;
  }
}

function delayAfter({ retryAfterMs = 0 }: ChannelError, attempts: number): number {
  return Math.max(backOffMs(attempts), Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
}

/** The same at each attempt, and no other's: positions alone come again after a restore. */
export function deliveryId(webhookId: WebhookId, { at, position }: EventPlace): string {
  return `${webhookId}_${at}_${position}`;
}

/** What is sent: the event as `events/_search` shows it. */
function deliveryOf(webhookId: WebhookId, event: LoggedEvent): object {
  return {
    type: event.type,
    timestamp: event.createdAt,
    deliveryId: deliveryId(webhookId, event.place),
    webhookId,
    data: shownEvent(event),
  };
}
