import type { RateDecision } from '../../domain/shared/rate-limiter.js';

/** How long a window is, in milliseconds. */
export const MINUTE = 60_000;
export const DAY = 86_400_000;
export type WindowLength = typeof MINUTE | typeof DAY;

/** Requests counted in the minute, or day, that runs and in the one before. */
export interface WindowCounts {
  readonly current: number;
  readonly previous: number;
}

export function windowOf(nowMs: number, length: WindowLength = MINUTE): number {
  return Math.floor(nowMs / length);
}

/**
 * Decides by two counters as if requests of the last minute had come evenly: the running minute counts in full,
 * the one before by the share of it that still lies within sixty seconds. So no burst of twice the limit fits
 * around the turn of a minute, and none of a day.
 *
 * @param wanted how many further requests must fit: 0 when the request in question is counted already, more than 1 when others
 *   are under way that may be counted yet
 */
export function decide(
  counts: WindowCounts,
  most: number,
  nowMs: number,
  wanted: number,
  length: WindowLength = MINUTE,
): RateDecision {
  const elapsed = (nowMs % length) / length;
  const load = counts.current + counts.previous * (1 - elapsed);
  if (load + wanted <= most) return { allowed: true, retryAfterSeconds: 0 };
  // as soon as the others have ended, if they are not counted
  if (wanted > 1 && load + 1 <= most) return { allowed: false, retryAfterSeconds: 1 };
  return {
    allowed: false,
    retryAfterSeconds: Math.max(1, Math.ceil((wait(counts, most, elapsed) * length) / 1000)),
  };
}

/** Windows until one more request fits, if none comes in between. */
function wait({ current, previous }: WindowCounts, most: number, elapsed: number): number {
  const room = most - 1 - current;
  if (room >= 0 && previous > 0) {
    // in this minute still: when the share of the one before has shrunk to what is left
    const share = Math.min(1, room / previous);
    return Math.max(0, 1 - share - elapsed);
  }
  // in the next minute, in which the running one is the one before
  const share = current === 0 ? 0 : Math.min(1, Math.max(0, most - 1) / current);
  return 1 - elapsed + 1 - share;
}
