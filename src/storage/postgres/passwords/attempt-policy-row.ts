import {
  defaultAttemptPolicy,
  type AttemptPolicy,
} from '../../../domain/passwords/attempts/attempt-policy.js';

/** What statements read of `lockout_policies`. */
export type LockoutRow = {
  max_attempts: number;
  free_attempts: number;
  first_wait_seconds: number;
  lock_seconds: number;
};

export function toAttemptPolicy(row: LockoutRow): AttemptPolicy {
  return {
    freeFailures: row.free_attempts,
    firstWaitSeconds: row.first_wait_seconds,
    lockAfterFailures: row.max_attempts,
    lockSeconds: row.lock_seconds,
    forgetAfterSeconds: defaultAttemptPolicy.forgetAfterSeconds,
  };
}
