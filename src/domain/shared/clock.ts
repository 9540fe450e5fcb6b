/**
 * The process's view of the time. Whatever decides about validity in the database asks SQL's `app_now()`
 * instead; tests shift both by one offset.
 */
export abstract class Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  abstract nowMs(): number;

  /** Whole seconds since 1970-01-01T00:00:00Z, as JWT's NumericDate (RFC 7519 §2). */
  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }
}

/**
 * The clock that all replicas share, as far as this process knows it: two whose hosts disagree issue and refuse tokens
 * alike (security F29). In between it advances by the process's own monotonic clock, so a host's clock that is set
 * forward or back changes nothing.
 */
export class SharedClock extends Clock {
  /** The host's, until somebody has asked for the shared one. */
  private aheadMs = Date.now() - performance.now();

  override nowMs(): number {
    return Math.floor(performance.now() + this.aheadMs);
  }

  /** @param aheadMs what the shared clock says, less performance.now() */
  set(aheadMs: number): void {
    this.aheadMs = aheadMs;
  }
}
