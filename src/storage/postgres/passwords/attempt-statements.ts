// SQL by hand: an attempt is counted by one conditional upsert, so that concurrent attempts cannot exceed the limit
import {
  defaultAttemptPolicy,
  type AttemptPolicy,
} from '../../../domain/passwords/attempts/attempt-policy.js';
import type { UserId } from '../../../domain/shared/ids.js';
import { insertEvents } from '../events/insert-events.js';
import { decisionsOf } from '../policies/decisions.js';
import { columnOf } from '../table.js';
import { LockoutPolicyEntity } from '../tables/lockout-policy.entity.js';
import { parameters } from '../written.js';

const POLICY_MEMBERS = decisionsOf(LockoutPolicyEntity)
  .map((property) => `'${property}', l.${columnOf(LockoutPolicyEntity, property)}`)
  .join(', ');

/** The lockout policy as a column, `AttemptPolicy | null`, of a row of `lockout_policies` as `l`. */
export const ATTEMPT_POLICY_COLUMN = `
      CASE WHEN l.org_id IS NOT NULL THEN json_build_object(${POLICY_MEMBERS},
        'forgetAfterSeconds', ${defaultAttemptPolicy.forgetAfterSeconds}) END AS "attemptPolicy"`;

/**
 * SQL: whether the next attempt is allowed, for a row `a` that counts attempts. It depends on the count and on the time of the last
 * attempt that was allowed, so a refused attempt does not lengthen the wait.
 *
 * @param failures SQL
 * @param policy SQL for each of its values
 */
function mayAttempt(
  failures: string,
  policy: Readonly<Record<Exclude<keyof AttemptPolicy, 'forgetAfterSeconds'>, string>>,
): string {
  return `${failures} < ${policy.freeFailures}::integer
  OR app_now() >= a.last_at + make_interval(secs =>
       CASE WHEN ${failures} >= ${policy.lockAfterFailures}::integer THEN ${policy.lockSeconds}::float8
            ELSE least(${policy.firstWaitSeconds}::float8 * 2 ^ least(${failures} - ${policy.freeFailures}::integer, 30), ${policy.lockSeconds}::float8) END)`;
}

const FAILURES = '(a.attempts - a.forgiven)';
const FORGOTTEN = 'app_now() >= a.last_at + make_interval(secs => $6)';
const POLICY = { freeFailures: '$2', firstWaitSeconds: '$3', lockAfterFailures: '$4', lockSeconds: '$5' };
const MAY_PASS = `(${mayAttempt(FAILURES, POLICY)})`;

// ON CONFLICT locks the row, so the condition sees every attempt that was counted before, by whichever replica
export const TAKE_ATTEMPT = {
  name: 'password-attempts-take',
  text: `
    INSERT INTO password_attempts AS a (user_id, org_id, attempts, last_at)
    SELECT u.id, u.org_id, 1, app_now() FROM users u WHERE u.id = $1
    ON CONFLICT (user_id) DO UPDATE
      SET attempts = a.attempts + 1, last_at = app_now(),
          forgiven = CASE WHEN ${FORGOTTEN} THEN a.attempts ELSE a.forgiven END,
          wrong = CASE WHEN ${FORGOTTEN} THEN 0 ELSE a.wrong END
      WHERE ${MAY_PASS}
    RETURNING attempts, ${FAILURES} AS failures`,
};

export const MUST_WAIT = {
  name: 'password-attempts-must-wait',
  text: `
    SELECT NOT ${MAY_PASS}
           AND (a.wrong = ${FAILURES} OR app_now() >= a.last_at + make_interval(secs => $6)) AS must_wait
    FROM password_attempts a WHERE a.user_id = $1`,
};

// it is not stored which of the later attempts were wrong: at most as many as there were
export const FORGIVE_ATTEMPTS = {
  name: 'password-attempts-forgive',
  text: `
    UPDATE password_attempts a SET forgiven = $2, wrong = least(a.wrong, a.attempts - $2)
    WHERE a.user_id = $1 AND a.forgiven < $2 AND a.attempts >= $2`,
};

export const FAIL_ATTEMPT = {
  name: 'password-attempts-fail',
  text: `
    WITH failed AS (
      UPDATE password_attempts a SET wrong = a.wrong + 1
      WHERE a.user_id = $1 AND a.forgiven < $2 AND a.attempts >= $2 AND a.wrong < ${FAILURES}
      RETURNING a.user_id
    )
    ${insertEvents('data')}
    SELECT u.org_id, 'user', u.id, u.sequence, 'user.password_locked', jsonb_build_object('failures', $3::integer)
    FROM failed JOIN users u ON u.id = failed.user_id
    WHERE $4::boolean`,
};

export const GIVE_BACK_ATTEMPT = {
  name: 'password-attempts-give-back',
  text: `
    UPDATE password_attempts a SET forgiven = a.forgiven + 1, wrong = least(a.wrong, ${FAILURES} - 1)
    WHERE a.user_id = $1 AND a.forgiven < $2 AND a.attempts >= $2`,
};

export const CLEAR_ATTEMPTS = {
  name: 'password-attempts-clear',
  text: `
    UPDATE password_attempts SET forgiven = attempts, wrong = 0 WHERE org_id = $1 AND user_id = $2 AND forgiven < attempts
    RETURNING app_now() < last_at + make_interval(secs => $3) AS counted`,
};

/** The parameters of `MAY_PASS`, and the user. */
export function waitOf(userId: UserId, policy: AttemptPolicy): readonly unknown[] {
  const { freeFailures, firstWaitSeconds, lockAfterFailures, lockSeconds } = policy;
  return [userId, freeFailures, firstWaitSeconds, lockAfterFailures, lockSeconds];
}

export const TAKE_NAME_BY = parameters([
  'place',
  'hash',
  'freeFailures',
  'firstWaitSeconds',
  'lockAfterFailures',
  'lockSeconds',
  'forgetAfterSeconds',
]);
const name = TAKE_NAME_BY.$;
export const TAKE_NAME_ATTEMPT = {
  name: 'name-attempts-take',
  text: `
    INSERT INTO name_attempts AS a (place, name_hash, attempts, last_at) VALUES (${name.place}, ${name.hash}, 1, app_now())
    ON CONFLICT (place, name_hash) DO UPDATE
      SET attempts = CASE WHEN app_now() >= a.last_at + make_interval(secs => ${name.forgetAfterSeconds}) THEN 1 ELSE a.attempts + 1 END,
          last_at = app_now()
      WHERE ${mayAttempt('a.attempts', name)}`,
};
export const GIVE_BACK_NAME_ATTEMPT = {
  name: 'name-attempts-give-back',
  text: `UPDATE name_attempts SET attempts = attempts - 1 WHERE place = $1 AND name_hash = $2 AND attempts > 0`,
};
export const FORGET_NAME_ATTEMPTS = {
  name: 'name-attempts-forget',
  text: `DELETE FROM name_attempts WHERE place = $1 AND name_hash = $2`,
};
