import { UnrecoverableError, type Job } from 'bullmq';
import type { Counter } from 'prom-client';
import type { DeliveryResult } from '../src/domain/outbox/delivery.js';
import { AttemptFailed } from '../src/queues/retry-delay.js';
import { delayJob } from './delay-job.js';

/** @param thrown what the counter calls an attempt that threw */
export async function countOutcome<Result extends { readonly kind: string }>(
  counter: Counter<'outcome'>,
  thrown: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await attempt();
    counter.inc({ outcome: result.kind });
    return result;
  } catch (error) {
    counter.inc({ outcome: thrown });
    throw error;
  }
}

type Outcome = Exclude<DeliveryResult, { kind: 'taken' }> | { readonly kind: 'sent' | 'delivered' };

/**
 * What becomes of the job that made an attempt.
 * @returns the outcome, for the dashboard; throws what the queue should keep as failed
 */
export async function endDelivery(
  job: Job,
  token: string | undefined,
  result: Outcome,
  onAbandoned: (reason: string) => void,
): Promise<string> {
  switch (result.kind) {
    case 'busy':
      return await delayJob(job, token, result.retryInMs);
    case 'retrying':
      if (result.held) throw new AttemptFailed(result.reason, result.retryInMs);
      // another job makes the next attempt: of this one there is nothing to see
      job.opts.removeOnComplete = true;
      return `retrying in ${Math.ceil(result.retryInMs / 1000)} s: ${result.reason}`;
    case 'abandoned':
      onAbandoned(result.reason);
      if (result.failed) throw new UnrecoverableError(`abandoned: ${result.reason}`);
      return `abandoned: ${result.reason}`;
    case 'sent':
    case 'delivered':
    case 'finished':
      return result.kind;
  }
}
