/** How many wrong passwords a user's account takes, and how long it then refuses every password. */
export interface AttemptPolicy {
  /** Failures in a row that have no consequence. */
  readonly freeFailures: number;
  /** Wait after the last free failure; it doubles with each further one. */
  readonly firstWaitSeconds: number;
  /** From this many failures on each one locks the password step. */
  readonly lockAfterFailures: number;
  readonly lockSeconds: number;
  /** Failures are forgotten when none came for this long; longer than a lock, or a lock would end as a clean slate. */
  readonly forgetAfterSeconds: number;
}

/**
 * Five mistakes are free, so that nobody who tries their three passwords notices anything. The next ones wait 2, 4, 8,
 * 16 and 32 seconds, about the time it takes to type, and the tenth locks for a quarter of an hour. So a guesser gets
 * ten tries in the first minute and four an hour afterwards, at most 106 in the first day (NIST SP 800-63B §5.2.2 asks
 * for a bound of that order), while somebody who locks a stranger out on purpose must come back every quarter of an
 * hour to keep it so.
 */
export const defaultAttemptPolicy: AttemptPolicy = {
  freeFailures: 5,
  firstWaitSeconds: 2,
  lockAfterFailures: 10,
  lockSeconds: 900,
  forgetAfterSeconds: 86_400,
};
