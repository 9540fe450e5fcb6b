import { backOffMs } from '../domain/shared/back-off.js';

/**
 * How long a failed job waits. An error that knows better (`retryAfterMs`, from whoever was asked) sets the least.
 *
 * @param attemptsMade 1 after the first failure
 */
export function retryDelay(
  attemptsMade: number,
  error?: unknown,
  random: () => number = Math.random,
): number {
  return Math.max(backOffMs(attemptsMade, random), leastDelay(error));
}

function leastDelay(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('retryAfterMs' in error)) return 0;
  return typeof error.retryAfterMs === 'number' ? error.retryAfterMs : 0;
}
