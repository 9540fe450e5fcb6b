import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES, type EventType } from '../events/event-types.js';
import type { AuditEvent, EventsStore } from '../events/events.store.js';
import { backOffMs } from '../shared/back-off.js';
import { crashPoint } from '../shared/crash-point.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx, UnitOfWork } from '../shared/unit-of-work.js';
import type { JobPayload, OutboxStore } from './outbox.store.js';

/**
 * What a committed change owes to somebody outside, and its delivery: messages and logout notices. A row of it goes
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
 * - `terminal`: it was refused for good
 * - `ambiguous`: the other side may have it, but nobody heard so
 */
export interface Failure {
  readonly reason: string;
  readonly failure: 'retryable' | 'terminal' | 'ambiguous';
  /** At the earliest; undefined leaves it to the back-off. */
  readonly retryAfterMs?: number | undefined;
}

/** It waits for a reason of its own, which the result tells. */
export interface PutOff<Waits> {
  readonly kind: 'put-off';
  readonly result: Waits;
}

export type Attempt<Taken, Failed extends Failure, Waits = never> =
  | { readonly kind: 'taken'; readonly taken: Taken }
  /** Another worker has the claim: nothing was handed over. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: Failed }
  /** Nobody was to be had who takes it. */
  | (PutOff<Waits> & { giveBack(): Promise<void> });

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
  /** It will never be delivered. `failed` tells a dead letter from one that nobody needs any more. */
  | { readonly kind: 'abandoned'; readonly reason: string; readonly failed: boolean }
  | ({ readonly kind: 'retrying'; readonly reason: string } & Due)
  | NotClaimed;

/** One thing to deliver: its content, its way out, and how its row is written. */
export interface Delivery<C extends Claim, Taken, Failed extends Failure, Waits = never> {
  readonly name: 'notification' | 'logout';
  readonly payload: JobPayload;
  readonly events: { readonly taken: EventType; readonly abandoned: EventType };
  /** Committed on its own, so that duplicates of the job find the row taken. */
  claim(): Promise<{ readonly kind: 'claimed'; readonly claim: C } | NotClaimed | PutOff<Waits>>;
  /** Why it is not delivered any more: asked after the claim, because much can have changed since it was owed. */
  unwanted(claim: C): Unwanted | undefined;
  limitsOf(claim: C): DeliveryLimits;
  /** @throws only what happened before a hand-over */
  attempt(claim: C): Promise<Attempt<Taken, Failed, Waits>>;
  /** What else follows from a failure. */
  heed?(claim: C, error: Failed): Promise<void>;
  /**
   * Gives the claim back.
   * @returns undefined when the fence is no longer this one
   * @throws the error, where the queue decides when the next attempt is due
   */
  retry(claim: C, next: NextAttempt<Failed>): Promise<Due | undefined>;
  /** Whom and what it is about, for the audit log. */
  subjectOf(claim: C): AuditEvent['data'];
  /** State, event and the end of the outbox row, committed together; false when the fence is no longer this one. */
  finish(claim: C, taken: Taken, event: AuditEvent): Promise<boolean>;
  /** @returns false when the fence is no longer this one: then nothing was written */
  markAbandoned(tx: Tx, claim: C, end: DeliveryEnd<Failed>): Promise<boolean>;
}

/** Once the other side has it, not writing that down means delivering it twice: so try for a while. */
const RETRY_FINISH_AFTER_MS = [200, 1_000, 3_000];
/** Another worker has it, or it is gone: the next look tells which. */
const LOST = { kind: 'busy', retryInMs: 1_000 } as const;

/**
 * One attempt to deliver: claim, read what holds now, hand over, and then state, event and outbox row in one
 * transaction under the claim's fence.
 */
export class ClaimAndDeliver<C extends Claim, Taken, Failed extends Failure, Waits = never> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param outboxId the row that this work was published from, as the job says: not trusted
   * @throws what the attempt or `retry` threw, with the claim given back
   */
  async run(delivery: Delivery<C, Taken, Failed, Waits>, outboxId: string): Promise<DeliveryResult | Waits> {
    crashPoint(`${delivery.name}-before-claim`);
    const result = await delivery.claim();
    if (result.kind === 'put-off') return result.result;
    if (result.kind === 'finished') await this.outbox.discard(outboxId, 'notifications', delivery.payload);
    if (result.kind !== 'claimed') return result;
    const { claim } = result;
    crashPoint(`${delivery.name}-after-claim`);
    const unwanted = delivery.unwanted(claim) ?? tooOften(claim, delivery.limitsOf(claim));
    if (unwanted !== undefined) {
      return await this.abandon(delivery, claim, { ...unwanted, ambiguous: handOversOf(claim) > 0 });
    }
    return await this.attempt(delivery, claim);
  }

  /** State, event and outbox row in one transaction; nothing at all when another worker holds the claim by now. */
  end(claim: Claim, event: AuditEvent, mark: (tx: Tx) => Promise<boolean>): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      if (!(await mark(tx))) return false;
      await this.events.append(tx, event);
      if (claim.outboxId !== null) await this.outbox.finish(tx, claim.outboxId);
      return true;
    });
  }

  /**
   * The next attempt and the job that will make it, in one transaction.
   * @param write gives the claim back; tells after how long the next attempt is due
   */
  postpone(claim: Claim, write: (tx: Tx) => Promise<number | undefined>): Promise<Due | undefined> {
    return this.unitOfWork.run(async (tx) => {
      const delayMs = await write(tx);
      if (delayMs === undefined) return undefined;
      const next = claim.outboxId === null ? 'owed' : await this.outbox.postpone(tx, claim.outboxId, delayMs);
      return { retryInMs: delayMs, held: next === 'held' };
    });
  }

  private async attempt(
    delivery: Delivery<C, Taken, Failed, Waits>,
    claim: C,
  ): Promise<DeliveryResult | Waits> {
    let attempt: Attempt<Taken, Failed, Waits>;
    try {
      attempt = await delivery.attempt(claim);
    } catch (error) {
      return await this.afterError(delivery, claim, error);
    }
    switch (attempt.kind) {
      case 'taken':
        return await this.afterSuccess(delivery, claim, attempt.taken);
      case 'failed':
        return await this.afterFailure(delivery, claim, attempt.error);
      case 'lost':
        return LOST;
      case 'put-off':
        await attempt.giveBack();
        return attempt.result;
    }
  }

  /** Before the hand-over, so that the next attempt doubles nothing; bounded by the number of attempts alone. */
  private async afterError(
    delivery: Delivery<C, Taken, Failed, Waits>,
    claim: C,
    error: unknown,
  ): Promise<DeliveryResult> {
    const reason = 'internal';
    const handOvers = handOversOf(claim);
    if (claim.attempts >= delivery.limitsOf(claim).attempts) {
      const end = { reason: exhausted(reason), deadLetter: true, ambiguous: handOvers > 0 };
      return await this.abandon(delivery, claim, end);
    }
    const failures = failuresOf(claim) + 1;
    await delivery.retry(claim, { reason, handOvers, failures, delayMs: backOffMs(failures) });
    throw error;
  }

  private async afterSuccess(
    delivery: Delivery<C, Taken, Failed, Waits>,
    claim: C,
    taken: Taken,
  ): Promise<DeliveryResult> {
    const event = auditEvent(claim, delivery.events.taken, delivery.subjectOf(claim));
    const finished = await insist(() => delivery.finish(claim, taken, event));
    crashPoint(`${delivery.name}-after-mark`);
    return { kind: finished ? 'taken' : 'finished' };
  }

  private async afterFailure(
    delivery: Delivery<C, Taken, Failed, Waits>,
    claim: C,
    error: Failed,
  ): Promise<DeliveryResult> {
    await delivery.heed?.(claim, error);
    const { reason, retryAfterMs } = error;
    const limits = delivery.limitsOf(claim);
    const ambiguous = error.failure === 'ambiguous';
    const end = { reason, deadLetter: true, ambiguous, error };
    if (error.failure === 'terminal') return await this.abandon(delivery, claim, end);
    const handOvers = handOversOf(claim) + (ambiguous ? 1 : 0);
    if (handOvers >= limits.handOvers)
      return await this.abandon(delivery, claim, { ...end, ambiguous: true });
    const isFailure = retryAfterMs === undefined || limits.waitsAreFailures;
    const failures = failuresOf(claim) + (isFailure ? 1 : 0);
    if (failures >= limits.failures) {
      return await this.abandon(delivery, claim, { ...end, reason: exhausted(reason) });
    }
    const delayMs = retryAfterMs ?? backOffMs(failures);
    const due = await delivery.retry(claim, { reason, handOvers, failures, delayMs, error });
    return due === undefined ? LOST : { kind: 'retrying', reason, ...due };
  }

  private async abandon(
    delivery: Delivery<C, Taken, Failed, Waits>,
    claim: C,
    end: DeliveryEnd<Failed>,
  ): Promise<DeliveryResult> {
    const { reason, deadLetter: failed } = end;
    const event = auditEvent(claim, delivery.events.abandoned, { ...delivery.subjectOf(claim), reason });
    const marked = await this.end(claim, event, (tx) => delivery.markAbandoned(tx, claim, end));
    return marked ? { kind: 'abandoned', reason, failed } : { kind: 'finished' };
  }
}

/** What a worker died of leaves a count of attempts, and of hand-overs, though no failure. */
function tooOften(claim: Claim, limits: DeliveryLimits): Unwanted | undefined {
  if (claim.attempts > limits.attempts) return { reason: exhausted(claim.lastError), deadLetter: true };
  if (handOversOf(claim) >= limits.handOvers) return { reason: 'ambiguous', deadLetter: true };
  return undefined;
}

function failuresOf({ failures, attempts }: Claim): number {
  return failures ?? attempts - 1;
}

function handOversOf({ handOvers = 0 }: Claim): number {
  return handOvers;
}

function auditEvent(claim: Claim, type: EventType, data: AuditEvent['data']): AuditEvent {
  return {
    orgId: claim.orgId,
    aggregateType: EVENT_TYPES[type][0],
    aggregateId: claim.id,
    sequence: claim.fence,
    type,
    actorId: null,
    data: { ...data, attempts: claim.attempts },
  };
}

function exhausted(lastReason: string | null): string {
  return `attempts_exhausted:${lastReason ?? 'unknown'}`;
}

async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (const delayMs of RETRY_FINISH_AFTER_MS) {
    try {
      return await work();
    } catch {
      await sleep(delayMs);
    }
  }
  return await work();
}
