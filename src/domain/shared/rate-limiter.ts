export interface RateDecision {
  readonly allowed: boolean;
  /** Whole seconds until a further request can be allowed; 0 when it is allowed now. */
  readonly retryAfterSeconds: number;
}

/** Counters per address, shared by replicas where they can be, counted locally where not. Never keeps a caller waiting. */
export abstract class RateLimiter {
  /**
   * Counts one request of `source` under `rule` in a one-minute window. `perMinute` 0 allows everything.
   *
   * @param source an IP address in any spelling (addresses of one IPv6 /64 are one source), or any other text
   */
  abstract hit(rule: string, source: string, perMinute: number): Promise<RateDecision>;

  /** The same within a day; 0 allows everything. No rule is counted both by the minute and by the day. */
  abstract hitOfDay(rule: string, source: string, perDay: number): Promise<RateDecision>;

  /** Looks without counting, before something is counted that others share. */
  abstract checkOfDay(rule: string, source: string, perDay: number): Promise<RateDecision>;

  /**
   * Looks without counting: for rules that count failures only.
   *
   * @param underWay how many others have begun and may be counted yet: there must be room for all of them, too
   */
  abstract check(rule: string, source: string, perMinute: number, underWay?: number): Promise<RateDecision>;

  /**
   * Counts one request like `hit`, and decides at once by what is known here: for requests that are cheaper than asking
   * about each. Replicas synchronize within a moment, and may let that moment's requests more through.
   */
  abstract tally(rule: string, source: string, perMinute: number): RateDecision;
}
