import type { Clock } from '../shared/clock.js';
import type { RateLimiter } from '../shared/rate-limiter.js';

interface FetchBounds {
  /** From one fetch of an address to the next, whoever asks for what. */
  readonly pauseMs: number;
  readonly mostRemembered: number;
  readonly mostOfAnOwner: number;
}

/** Whose share of the calls a fetch takes. Undefined: nobody's, by a setting of the operator. */
export type FetchOwner = string | undefined;

/** Of documents that applications publish, within a minute and by all replicas together, each kind for itself. */
export const FETCHES_OF_A_HOST = 120;
export const FETCHES_IN_ALL = 1_200;
/** What is counted under the limit of all together. */
export const EVERYBODY = 'everybody';

/** A rule, what is counted under it, and how often within a minute, by all replicas together. */
type FetchLimit = readonly [rule: string, counted: string, perMinute: number];

interface Remembered<Outcome> {
  readonly owner: FetchOwner;
  readonly outcome: Outcome;
  /** No fetch begins before this. */
  readonly pausedUntilMs: number;
}

/**
 * What came of the calls that this process made to addresses of others, remembered by address and share: it is asked for once at a
 * time, not again before a pause is over, whatever came of it, and no owner's calls take away what is remembered for another.
 */
export class FetchedForShare<Outcome> {
  private readonly remembered = new Map<string, Remembered<Outcome>>();
  private readonly underway = new Map<string, Promise<Outcome>>();

  constructor(
    private readonly clock: Clock,
    private readonly bounds: FetchBounds,
  ) {}

  /** What came of the last fetch, however old. @param key the address, and whose share or pause it is */
  known(key: string): Outcome | undefined {
    return this.remembered.get(key)?.outcome;
  }

  /**
   * Whoever asks meanwhile waits for the same answer, and within the pause it is the one before.
   * @param fetch what came of it, also where nothing was to be had; where it throws, nothing is remembered and nothing pauses
   */
  async refresh(
    key: string,
    owner: FetchOwner,
    fetch: (before: Outcome | undefined) => Promise<Outcome>,
  ): Promise<Outcome> {
    const begun = this.underway.get(key);
    if (begun !== undefined) return await begun;
    const known = this.remembered.get(key);
    const nowMs = this.clock.nowMs();
    if (known !== undefined && known.pausedUntilMs > nowMs) return known.outcome;
    const fetching = fetch(known?.outcome);
    this.underway.set(key, fetching);
    try {
      const outcome = await fetching;
      this.remember(key, { owner, outcome, pausedUntilMs: nowMs + this.bounds.pauseMs });
      return outcome;
    } finally {
      this.underway.delete(key);
    }
  }

  /** The one that was fetched longest ago goes: of the same owner where that has many, so that it takes nobody else's away. */
  private remember(key: string, next: Remembered<Outcome>): void {
    this.remembered.delete(key);
    const its = [...this.remembered].filter(([, { owner }]) => owner === next.owner);
    const [oldest] = this.remembered.keys();
    if (its.length >= this.bounds.mostOfAnOwner) this.remembered.delete(its[0]?.[0] ?? '');
    else if (oldest !== undefined && this.remembered.size >= this.bounds.mostRemembered) {
      this.remembered.delete(oldest);
    }
    this.remembered.set(key, next);
  }
}

/**
 * Each is a call to somewhere at somebody's word: bounded by whose it is, by where it goes, and in all. What is refused by one limit
 * counts under none that follows, so that nobody takes more than their share of what all have.
 */
export async function admitsFetch(limiter: RateLimiter, limits: readonly FetchLimit[]): Promise<boolean> {
  for (const [rule, counted, perMinute] of limits) {
    if (!(await limiter.hit(rule, counted, perMinute)).allowed) return false;
  }
  return true;
}
