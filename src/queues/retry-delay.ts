import { backOffMs } from '../domain/shared/back-off.js';

/**
 * How long a failed job waits. An error that knows better (`retryAfterMs`, from whoever was asked) sets the least.
 *
 * @param attemptsMade 1 after the first failure
 * @returns whole milliseconds: the queues in Postgres hold the time as a bigint, and refuse one with a fraction
 */
export function retryDelay(
  attemptsMade: number,
  error?: unknown,
  random: () => number = Math.random,
): number {
  const ms =
    error instanceof AttemptFailed
      ? error.retryInMs
      : Math.max(backOffMs(attemptsMade, random), leastDelay(error));
  return Math.max(0, Math.ceil(ms));
}

/** An attempt that failed, with the next one due at a time that stands in Postgres. Its message is made to be shown. */
export class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';

  constructor(
    reason: string,
    readonly retryInMs: number,
  ) {
    super(reason);
  }
}

function leastDelay(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('retryAfterMs' in error)) return 0;
  return typeof error.retryAfterMs === 'number' ? error.retryAfterMs : 0;
}
