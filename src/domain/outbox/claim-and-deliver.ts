import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { EVENT_TYPES, type EventType } from '../events/event-types.js';
import { EventsStore, type AuditEvent } from '../events/events.store.js';
import { backOffMs } from '../shared/back-off.js';
import { crashPoint } from '../shared/crash-point.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import type {
  Attempt,
  Claim,
  Delivery,
  DeliveryEnd,
  DeliveryLimits,
  DeliveryResult,
  Due,
  Failure,
  Unwanted,
} from './delivery.js';
import { OutboxStore } from './outbox.store.js';

/** Once the other side has it, not writing that down means delivering it twice: so try for a while. */
const RETRY_FINISH_AFTER_MS = [200, 1_000, 3_000];
/** Another worker has it, or it is gone: the next read shows which. */
const LOST = { kind: 'busy', retryInMs: 1_000 } as const;

/**
 * One attempt to deliver: claim, read what holds now, hand over, and then state, event and outbox row in one
 * transaction under the claim's fence.
 */
@Injectable()
export class ClaimAndDeliver {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param outboxId the row that this work was published from, as the job says: not trusted
   * @throws what the attempt or `retry` threw, with the claim given back
   */
  async run<C extends Claim, Taken, Failed extends Failure, Waits = never>(
    delivery: Delivery<C, Taken, Failed, Waits>,
    outboxId: string,
  ): Promise<DeliveryResult | Waits> {
    crashPoint(`${delivery.name}-before-claim`);
    const result = await delivery.claim();
    if (result.kind === 'delayed') return result.result;
    if (result.kind === 'finished') await this.outbox.discard({ ...delivery.work, outboxId });
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
      await this.settle(tx, claim, event);
      return true;
    });
  }

  /**
   * The next attempt and the job that will make it, in one transaction.
   * @param write releases the claim; returns after how long the next attempt is due
   */
  postpone(claim: Claim, write: (tx: Tx) => Promise<number | undefined>): Promise<Due | undefined> {
    return this.unitOfWork.run(async (tx) => {
      const delayMs = await write(tx);
      if (delayMs === undefined) return undefined;
      const next =
        claim.outboxId === null ? 'queued' : await this.outbox.postpone(tx, claim.outboxId, delayMs);
      return { retryInMs: delayMs, held: next === 'held' };
    });
  }

  private async attempt<C extends Claim, Taken, Failed extends Failure, Waits>(
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
      case 'delayed':
        await attempt.giveBack();
        return attempt.result;
    }
  }

  /** Before the hand-over, so that the next attempt doubles nothing; bounded by the number of attempts alone. */
  private async afterError<C extends Claim, Taken, Failed extends Failure, Waits>(
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

  private async afterSuccess<C extends Claim, Taken, Failed extends Failure, Waits>(
    delivery: Delivery<C, Taken, Failed, Waits>,
    claim: C,
    taken: Taken,
  ): Promise<DeliveryResult> {
    const event = auditEvent(claim, delivery.events.taken, delivery.subjectOf(claim));
    const finished = await insist(() => delivery.finish(claim, taken, event));
    crashPoint(`${delivery.name}-after-mark`);
    return { kind: finished ? 'taken' : 'finished' };
  }

  private async afterFailure<C extends Claim, Taken, Failed extends Failure, Waits>(
    delivery: Delivery<C, Taken, Failed, Waits>,
    claim: C,
    error: Failed,
  ): Promise<DeliveryResult> {
    // the next failure of the kind brings it about as well; what became of this attempt is known only here
    await delivery.heed?.(claim, error).catch(() => undefined);
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

  private async abandon<C extends Claim, Taken, Failed extends Failure, Waits>(
    delivery: Delivery<C, Taken, Failed, Waits>,
    claim: C,
    end: DeliveryEnd<Failed>,
  ): Promise<DeliveryResult> {
    const { reason, deadLetter: failed } = end;
    const about = delivery.subjectOf(claim);
    const marked = await this.unitOfWork.run(async (tx) => {
      const ended = await delivery.markAbandoned(tx, claim, end);
      if (ended === 'lost') return ended;
      const told = delivery.toldReason?.(reason) ?? reason;
      const data = ended === 'taken' ? about : { ...about, reason: told };
      await this.settle(tx, claim, auditEvent(claim, delivery.events[ended], data));
      return ended;
    });
    if (marked === 'abandoned') return { kind: 'abandoned', reason, failed };
    return { kind: marked === 'taken' ? 'taken' : 'finished' };
  }

  private async settle(tx: Tx, { outboxId }: Claim, event: AuditEvent): Promise<void> {
    await this.events.append(tx, event);
    if (outboxId !== null) await this.outbox.finish(tx, outboxId);
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
