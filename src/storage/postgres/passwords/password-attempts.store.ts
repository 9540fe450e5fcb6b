import { Injectable } from '@nestjs/common';
import type { AttemptPolicy } from '../../../domain/passwords/attempt-policy.js';
import {
  PasswordAttemptsStore,
  type CountedAttempt,
} from '../../../domain/passwords/password-attempts.store.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';

const FAILURES = '(a.attempts - a.forgiven)';
const FORGOTTEN = 'app_now() >= a.last_at + make_interval(secs => $6)';
// it follows from the count and the time of the last attempt that counted, so a refused one cannot lengthen it
const MAY_PASS = `(${FAILURES} < $2::integer
  OR app_now() >= a.last_at + make_interval(secs =>
       CASE WHEN ${FAILURES} >= $4::integer THEN $5::float8
            ELSE least($3::float8 * 2 ^ least(${FAILURES} - $2::integer, 30), $5::float8) END))`;

// the conflict locks the row, so the condition sees every attempt that was counted before, on whatever replica
const TAKE = {
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

const MUST_WAIT = {
  name: 'password-attempts-must-wait',
  text: `
    SELECT NOT ${MAY_PASS}
           AND (a.wrong = ${FAILURES} OR app_now() >= a.last_at + make_interval(secs => $6)) AS must_wait
    FROM password_attempts a WHERE a.user_id = $1`,
};

// which of the later attempts were wrong is not kept: as many as there are, at most
const FORGIVE = {
  name: 'password-attempts-forgive',
  text: `
    UPDATE password_attempts a SET forgiven = $2, wrong = least(a.wrong, a.attempts - $2)
    WHERE a.user_id = $1 AND a.forgiven < $2 AND a.attempts >= $2`,
};

const FAIL = {
  name: 'password-attempts-fail',
  text: `
    WITH failed AS (
      UPDATE password_attempts a SET wrong = a.wrong + 1
      WHERE a.user_id = $1 AND a.forgiven < $2 AND a.attempts >= $2 AND a.wrong < ${FAILURES}
      RETURNING a.user_id
    )
    INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, data)
    SELECT u.org_id, 'user', u.id, u.sequence, 'user.password_locked', jsonb_build_object('failures', $3::integer)
    FROM failed JOIN users u ON u.id = failed.user_id
    WHERE $4::boolean`,
};

const GIVE_BACK = {
  name: 'password-attempts-give-back',
  text: `
    UPDATE password_attempts a SET forgiven = a.forgiven + 1, wrong = least(a.wrong, ${FAILURES} - 1)
    WHERE a.user_id = $1 AND a.forgiven < $2 AND a.attempts >= $2`,
};

const CLEAR = {
  name: 'password-attempts-clear',
  text: `
    UPDATE password_attempts SET forgiven = attempts, wrong = 0 WHERE org_id = $1 AND user_id = $2 AND forgiven < attempts
    RETURNING app_now() < last_at + make_interval(secs => $3) AS counted`,
};

/** The parameters of `MAY_PASS`, and the user. */
function waitOf(userId: UserId, policy: AttemptPolicy): readonly unknown[] {
  const { freeFailures, firstWaitSeconds, lockAfterFailures, lockSeconds } = policy;
  return [userId, freeFailures, firstWaitSeconds, lockAfterFailures, lockSeconds];
}

@Injectable()
export class PgPasswordAttemptsStore extends PasswordAttemptsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async take(userId: UserId, policy: AttemptPolicy): Promise<CountedAttempt | undefined> {
    const values = [...waitOf(userId, policy), policy.forgetAfterSeconds];
    const row = await this.sql.row<{ attempts: number; failures: number }>(TAKE, values);
    return row && { number: row.attempts, failures: row.failures };
  }

  override async mustWait(userId: UserId, policy: AttemptPolicy, patienceMs: number): Promise<boolean> {
    const values = [...waitOf(userId, policy), patienceMs / 1000];
    return (await this.sql.pipelined<{ must_wait: boolean }>(MUST_WAIT, values))?.must_wait !== false;
  }

  override async forgive(userId: UserId, { number }: CountedAttempt): Promise<void> {
    await this.sql.pipelined(FORGIVE, [userId, number]);
  }

  override async fail(userId: UserId, { number, failures }: CountedAttempt, locks: boolean): Promise<void> {
    await this.sql.change(FAIL, [userId, number, failures, locks]);
  }

  override async giveBack(userId: UserId, { number }: CountedAttempt): Promise<void> {
    await this.sql.change(GIVE_BACK, [userId, number]);
  }

  override async clear(tx: Tx, orgId: OrgId, userId: UserId, policy: AttemptPolicy): Promise<boolean> {
    const values = [orgId, userId, policy.forgetAfterSeconds];
    return (await this.sql.row<{ counted: boolean }>(CLEAR, values, tx))?.counted === true;
  }
}
