// SQL by hand: a condition of the statements that count attempts
import type { AttemptPolicy } from '../../../domain/passwords/attempts/attempt-policy.js';

/**
 * Whether the next attempt is let through, of a row `a` that counts them. It follows from the count and the time of the last
 * attempt that counted, so a refused one cannot lengthen the wait.
 *
 * @param failures SQL
 * @param policy SQL for each of its values
 */
export function mayAttempt(
  failures: string,
  policy: Readonly<Record<Exclude<keyof AttemptPolicy, 'forgetAfterSeconds'>, string>>,
): string {
  return `${failures} < ${policy.freeFailures}::integer
  OR app_now() >= a.last_at + make_interval(secs =>
       CASE WHEN ${failures} >= ${policy.lockAfterFailures}::integer THEN ${policy.lockSeconds}::float8
            ELSE least(${policy.firstWaitSeconds}::float8 * 2 ^ least(${failures} - ${policy.freeFailures}::integer, 30), ${policy.lockSeconds}::float8) END)`;
}
