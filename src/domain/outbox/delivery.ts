import type { EventType } from '../events/event-types.js';
import type { AuditEvent } from '../events/events.store.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { EnqueuedWork } from './outbox.store.js';

/**
 * What a committed change enqueues to somebody outside, and its delivery: messages and logout notices. A row of it goes
 * pending → sending → done | abandoned, and back to pending or retrying after an attempt that failed. `sending` carries
 * a fencing number and a deadline: a worker that lost its claim can no longer write the outcome.
 */
export interface Claim {
  readonly id: string;
  /** Raised by each claim. */
  readonly fence: string;
  /** This claim included. */
  readonly attempts: number;
  /** Attempts that failed; absent where each attempt before this one did. */
  readonly failures?: number;
  /** How often it was handed over to somebody who may have taken it; absent where a repetition does no harm. */
  readonly handOvers?: number;
  /** Reason of the last failed attempt. */
  readonly lastError: string | null;
  readonly outboxId: string | null;
  readonly orgId: OrgId;
}

export type NotClaimed =
  /** Done or given up already, or not there. */
  | { readonly kind: 'finished' }
  /** Another worker holds it, or its next attempt is not due, until then. */
  | { readonly kind: 'busy'; readonly retryInMs: number };

/**
 * Why an attempt failed:
 * - `retryable`: another may succeed
 * - `terminal`: this, or its recipient, was refused for good
 * - `ambiguous`: the line dropped after the hand-over; the other side may have it
 */
export interface Failure {
  readonly reason: string;
  readonly failure: 'retryable' | 'terminal' | 'ambiguous';
  /** At the earliest; undefined leaves it to the back-off. */
  readonly retryAfterMs?: number | undefined;
}

/** It waits for a reason of its own, given in the result. */
export interface Delayed<Waits> {
  readonly kind: 'delayed';
  readonly result: Waits;
}

export type Attempt<Taken, Failed extends Failure, Waits = never> =
  | { readonly kind: 'taken'; readonly taken: Taken }
  /** Another worker has the claim: nothing was handed over. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: Failed }
  /** Nobody was to be had who takes it. */
  | (Delayed<Waits> & { giveBack(): Promise<void> });

/** Counted in Postgres, so that lost or doubled jobs change nothing about it. */
export interface DeliveryLimits {
  readonly attempts: number;
  readonly failures: number;
  /** Hand-overs that may have succeeded: one more would be one too many. */
  readonly handOvers: number;
  /** Whether it is a failure that the other side only asked to wait. */
  readonly waitsAreFailures: boolean;
}

export interface Unwanted {
  readonly reason: string;
  /** Somebody wanted it, as opposed to one that nobody needs any more. */
  readonly deadLetter: boolean;
}

export interface DeliveryEnd<Failed extends Failure> extends Unwanted {
  /** The other side may have it all the same. */
  readonly ambiguous: boolean;
  /** Of the attempt that ended it, if one did. */
  readonly error?: Failed;
}

/**
 * What was written of one that is not delivered any more. `taken`: the other side has said meanwhile that it has it. `lost`:
 * nothing, because the fence is no longer this one.
 */
export type Marked = 'abandoned' | 'taken' | 'lost';

/** How a claim is given back after an attempt that did not succeed. */
export interface NextAttempt<Failed extends Failure> {
  readonly reason: string;
  /** Those that may have succeeded, this attempt's included if it is one. */
  readonly handOvers: number;
  readonly failures: number;
  readonly delayMs: number;
  /** Undefined for an error of our own. */
  readonly error?: Failed;
}

/** When the next attempt is. */
export interface Due {
  readonly retryInMs: number;
  /** The same job makes it; else one of its own does. */
  readonly held: boolean;
}

export type DeliveryResult =
  | { readonly kind: 'taken' }
  /** It will never be delivered. `failed` distinguishes a dead letter from one that is no longer needed. */
  | { readonly kind: 'abandoned'; readonly reason: string; readonly failed: boolean }
  | ({ readonly kind: 'retrying'; readonly reason: string } & Due)
  | NotClaimed;

/** One thing to deliver: its content, its way out, and how its row is written. */
export interface Delivery<C extends Claim, Taken, Failed extends Failure, Waits = never> {
  readonly name: 'notification' | 'logout';
  /** As it was enqueued. */
  readonly work: Omit<EnqueuedWork, 'outboxId'>;
  readonly events: { readonly taken: EventType; readonly abandoned: EventType };
  /** Committed on its own, so that duplicates of the job find the row taken. */
  claim(): Promise<{ readonly kind: 'claimed'; readonly claim: C } | NotClaimed | Delayed<Waits>>;
  /** Why it is not delivered any more: asked after the claim, because much can have changed since it was queued. */
  unwanted(claim: C): Unwanted | undefined;
  limitsOf(claim: C): DeliveryLimits;
  /** @throws only what happened before a hand-over */
  attempt(claim: C): Promise<Attempt<Taken, Failed, Waits>>;
  /** What else follows from a failure; the failure is written down even where this throws. */
  heed?(claim: C, error: Failed): Promise<void>;
  /**
   * Gives the claim back.
   * @returns undefined when the fence is no longer this one
   * @throws the error, where the queue decides when the next attempt is due
   */
  retry(claim: C, next: NextAttempt<Failed>): Promise<Due | undefined>;
  /** Whom and what it is about, for the audit log. */
  subjectOf(claim: C): AuditEvent['data'];
  /** Why it was given up, as the audit log tells its organization; else as it is. */
  toldReason?(reason: string): string;
  /** State, event and the end of the outbox row, committed together; false when the fence is no longer this one. */
  finish(claim: C, taken: Taken, event: AuditEvent): Promise<boolean>;
  markAbandoned(tx: Tx, claim: C, end: DeliveryEnd<Failed>): Promise<Marked>;
}
