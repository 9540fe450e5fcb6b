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

export class SystemClock extends Clock {
  override nowMs(): number {
    return Date.now();
  }
}
