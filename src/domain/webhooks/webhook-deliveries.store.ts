import type { EventPlace, LoggedEvent } from '../events/events.store.js';
import type { WebhookDeadLetterId } from '../shared/ids.js';
import type { Webhook } from './webhook.js';

/** How far a webhook has got in the log: the next event is beyond it. */
export interface WebhookCursor extends EventPlace {
  /** The greatest position of all that were passed, which need not be the last one's. */
  readonly highest: string;
}

/** What was passed before the cursor went back: events until then with no greater position. */
export interface PassedBefore {
  readonly until: string;
  readonly above: string;
}

/** A webhook that one worker holds, with everything its deliveries need. */
export interface ClaimedWebhook extends Pick<Webhook, 'id' | 'orgId' | 'url' | 'eventTypes'> {
  /** Raised by each claim: whoever held it before writes nothing any more. */
  readonly fence: string;
  readonly cursor: WebhookCursor;
  readonly passedBefore: PassedBefore | undefined;
  /** Of the next event. */
  readonly attempts: number;
  /** Those that sign right now, the newest first. */
  readonly secrets: readonly string[];
  readonly hasQueuedLetters: boolean;
}

/** A dead letter that somebody wants sent again. */
export interface QueuedLetter {
  readonly id: WebhookDeadLetterId;
  readonly place: EventPlace;
  readonly attempts: number;
}

export interface FailedAttempt {
  /** The last event that was passed over before the one that failed. */
  readonly cursor: WebhookCursor;
  readonly reason: string;
  readonly attempts: number;
  readonly delayMs: number;
}

/**
 * The state of deliveries. Every write is one conditional statement under the claim's fence, and says whether that still held:
 * of any number of workers one delivers, in the order of the log.
 */
export abstract class WebhookDeliveriesStore {
  /**
   * Active ones for which there is something to deliver, each for `holdMs`; what somebody else holds is skipped. Of one
   * organization's few are held at once, so that its slow servers do not keep others waiting.
   */
  abstract claimDue(limit: number, holdMs: number): Promise<readonly ClaimedWebhook[]>;

  /** Holds it on. @param delivered whether the event there was taken, or passed over */
  abstract advance(
    claim: ClaimedWebhook,
    to: WebhookCursor,
    delivered: boolean,
    holdMs: number,
  ): Promise<boolean>;

  /**
   * Where an event stands before the cursor that nobody has passed: the clock that dates events went back after the cursor had
   * moved. The cursor goes back to it then. Only those within a minute of the cursor are found, so that it costs little.
   *
   * Asked after a search, so that no event of that search can have a late one before it that was not seen.
   *
   * @returns the new cursor; undefined if there is no such event, as nearly always, or the claim has ended
   */
  abstract rewind(
    claim: ClaimedWebhook,
  ): Promise<Pick<ClaimedWebhook, 'cursor' | 'passedBefore'> | undefined>;

  /** Gives it back after an attempt that failed. */
  abstract postpone(claim: ClaimedWebhook, failed: FailedAttempt): Promise<boolean>;

  /** The event becomes a dead letter and the cursor, which is at it, passes it, in one statement. */
  abstract bury(
    claim: ClaimedWebhook,
    event: LoggedEvent,
    failed: Omit<FailedAttempt, 'delayMs'>,
    holdMs: number,
  ): Promise<boolean>;

  /** Gives it back, for whoever is next, once it has rested. */
  abstract release(claim: ClaimedWebhook, restMs: number): Promise<void>;

  /** The oldest. */
  abstract findQueuedLetter(claim: ClaimedWebhook): Promise<QueuedLetter | undefined>;

  /** It was delivered, or its event is gone from the log. */
  abstract removeLetter(claim: ClaimedWebhook, letter: QueuedLetter, holdMs: number): Promise<boolean>;

  /** It is dead again, and the webhook is left alone for a while. */
  abstract returnLetter(
    claim: ClaimedWebhook,
    letter: QueuedLetter,
    failed: Pick<FailedAttempt, 'reason' | 'delayMs'>,
  ): Promise<boolean>;

  /** For whoever watches: of all active ones the longest wait, and all dead letters (counted up to 10,000). */
  abstract measure(): Promise<{ readonly lagSeconds: number; readonly deadLetters: number }>;
}
