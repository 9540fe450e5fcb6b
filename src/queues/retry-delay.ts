const FIRST_MS = 1_000;
const CEILING_MS = 30 * 60_000;

/**
 * How long a failed job waits: 1 s, doubled with each attempt up to 30 min, of which a random half is taken off so
 * that jobs which failed together do not come back together. An error that knows better (`retryAfterMs`, from a
 * provider's Retry-After) sets the least.
 *
 * @param attemptsMade 1 after the first failure
 */
export function retryDelay(
  attemptsMade: number,
  error?: unknown,
  random: () => number = Math.random,
): number {
  const full = Math.min(CEILING_MS, FIRST_MS * 2 ** Math.max(0, Math.min(attemptsMade - 1, 30)));
  const delay = Math.round(full * (0.5 + random() / 2));
  return Math.max(delay, leastDelay(error));
}

function leastDelay(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('retryAfterMs' in error)) return 0;
  return typeof error.retryAfterMs === 'number' ? error.retryAfterMs : 0;
}
