import type { OrgId, WebhookDeadLetterId, WebhookId } from '../shared/ids.js';

/**
 * The webhooks module: events go to whoever has subscribed. The log of events is the outbox: a webhook is a place in it, its
 * cursor, and what lies beyond is delivered one by one, in the order of the log. Whoever delivers holds a claim with a fence
 * (`deliver-events.ts`). States: active ⇄ inactive.
 *
 * One of an organization gets what `events/_search` shows of that organization; one of the instance gets everything.
 */
export type WebhookState = 'active' | 'inactive';

/** What a webhook is to be. */
export interface WebhookPlan {
  readonly name: string;
  readonly url: string;
  /** Types of events, beginnings of them (`user.*`), or `*`. */
  readonly eventTypes: readonly string[];
}

export interface Webhook extends WebhookPlan {
  readonly id: WebhookId;
  /** Null for one of the instance. */
  readonly orgId: OrgId | null;
}

/** How it is going, as the last attempts left it. */
export interface WebhookHealth {
  /** In a row; 0 after a delivery. */
  readonly failures: number;
  /** Of the last one that failed, also when others were delivered since. */
  readonly lastError: string | null;
  readonly lastDeliveredAt: Date | null;
  readonly nextAttemptAt: Date;
}

/** What waits, which is looked up. */
export interface WebhookBacklog {
  /** When the oldest event happened that is not delivered yet. */
  readonly oldestAt: Date | undefined;
  readonly lagSeconds: number;
  /** Counted up to `MOST_COUNTED`. */
  readonly deadLetters: number;
  readonly hasMoreDeadLetters: boolean;
}

/** dead → queued, when somebody wants it sent again → gone, or dead again. */
export type DeadLetterState = 'dead' | 'queued';

/** An event that could not be delivered. */
export interface DeadLetter {
  readonly id: WebhookDeadLetterId;
  readonly eventId: string;
  readonly eventAt: Date;
  readonly eventType: string;
  readonly state: DeadLetterState;
  readonly reason: string;
  readonly attempts: number;
  readonly createdAt: Date;
}
