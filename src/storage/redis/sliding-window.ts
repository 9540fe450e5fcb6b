import type { RateDecision } from '../../domain/shared/rate-limiter.js';

export const WINDOW_MS = 60_000;

/** Requests counted in the minute that runs and in the one before. */
export interface WindowCounts {
  readonly current: number;
  readonly previous: number;
}

export function windowOf(nowMs: number): number {
  return Math.floor(nowMs / WINDOW_MS);
}

/**
 * Decides by two counters as if requests of the last minute had come evenly: the running minute counts in full,
 * the one before by the share of it that still lies within sixty seconds. So no burst of twice the limit fits
 * around the turn of a minute.
 *
 * @param wanted how many further requests must fit: 0 when the request in question is counted already
 */
export function decide(counts: WindowCounts, perMinute: number, nowMs: number, wanted: 0 | 1): RateDecision {
  const elapsed = (nowMs % WINDOW_MS) / WINDOW_MS;
  const load = counts.current + counts.previous * (1 - elapsed) + wanted;
  if (load <= perMinute) return { allowed: true, retryAfterSeconds: 0 };
  return {
    allowed: false,
    retryAfterSeconds: Math.max(1, Math.ceil(wait(counts, perMinute, elapsed) / 1000)),
  };
}

/** Milliseconds until one more request fits, if none comes in between. */
function wait({ current, previous }: WindowCounts, perMinute: number, elapsed: number): number {
  const room = perMinute - 1 - current;
  if (room >= 0 && previous > 0) {
    // in this minute still: when the share of the one before has shrunk to what is left
    const share = Math.min(1, room / previous);
    return Math.max(0, 1 - share - elapsed) * WINDOW_MS;
  }
  // in the next minute, in which the running one is the one before
  const share = current === 0 ? 0 : Math.min(1, Math.max(0, perMinute - 1) / current);
  return (1 - elapsed + 1 - share) * WINDOW_MS;
}
