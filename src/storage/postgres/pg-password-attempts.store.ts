import { Injectable } from '@nestjs/common';
import type { AttemptPolicy } from '../../domain/passwords/attempt-policy.js';
import {
  type CountedAttempt,
  PasswordAttemptsStore,
} from '../../domain/passwords/password-attempts.store.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { Sql } from './sql.js';

const FAILURES = '(a.attempts - a.forgiven)';

// The conflict locks the row, so the condition sees every attempt that was counted before, on whatever replica. The
// wait follows from the count and the time of the last attempt that counted, so a refused one cannot lengthen it.
const TAKE = {
  name: 'password-attempts-take',
  text: `
    INSERT INTO password_attempts AS a (user_id, org_id, attempts, last_at)
    SELECT u.id, u.org_id, 1, app_now() FROM users u WHERE u.id = $1
    ON CONFLICT (user_id) DO UPDATE
      SET attempts = a.attempts + 1, last_at = app_now(),
          forgiven = CASE WHEN app_now() >= a.last_at + make_interval(secs => $6) THEN a.attempts ELSE a.forgiven END
      WHERE ${FAILURES} < $2::integer
         OR app_now() >= a.last_at + make_interval(secs =>
              CASE WHEN ${FAILURES} >= $4::integer THEN $5::float8
                   ELSE least($3::float8 * 2 ^ least(${FAILURES} - $2::integer, 30), $5::float8) END)
    RETURNING attempts, ${FAILURES} AS failures`,
};

const FORGIVE = {
  name: 'password-attempts-forgive',
  text: `UPDATE password_attempts SET forgiven = $2 WHERE user_id = $1 AND forgiven < $2 AND attempts >= $2`,
};

const GIVE_BACK = {
  name: 'password-attempts-give-back',
  text: `UPDATE password_attempts SET forgiven = forgiven + 1 WHERE user_id = $1 AND forgiven < $2 AND attempts >= $2`,
};

const CLEAR = {
  name: 'password-attempts-clear',
  text: `
    UPDATE password_attempts SET forgiven = attempts WHERE org_id = $1 AND user_id = $2 AND forgiven < attempts
    RETURNING app_now() < last_at + make_interval(secs => $3) AS counted`,
};

const RECORD_LOCK = {
  name: 'password-attempts-record-lock',
  text: `
    INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, data)
    SELECT u.org_id, 'user', u.id, u.sequence, 'user.password_locked', jsonb_build_object('failures', $2::integer)
    FROM users u WHERE u.id = $1`,
};

@Injectable()
export class PgPasswordAttemptsStore extends PasswordAttemptsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async take(userId: UserId, policy: AttemptPolicy): Promise<CountedAttempt | undefined> {
    const { freeFailures, firstWaitSeconds, lockAfterFailures, lockSeconds, forgetAfterSeconds } = policy;
    const values = [
      userId,
      freeFailures,
      firstWaitSeconds,
      lockAfterFailures,
      lockSeconds,
      forgetAfterSeconds,
    ];
    const row = await this.sql.row<{ attempts: number; failures: number }>(TAKE, values);
    return row && { number: row.attempts, failures: row.failures };
  }

  override async forgive(userId: UserId, { number }: CountedAttempt): Promise<void> {
    await this.sql.quick(FORGIVE, [userId, number]);
  }

  override async giveBack(userId: UserId, { number }: CountedAttempt): Promise<void> {
    await this.sql.change(GIVE_BACK, [userId, number]);
  }

  override async clear(tx: Tx, orgId: OrgId, userId: UserId, policy: AttemptPolicy): Promise<boolean> {
    const values = [orgId, userId, policy.forgetAfterSeconds];
    return (await this.sql.row<{ counted: boolean }>(CLEAR, values, tx))?.counted === true;
  }

  override async recordLock(userId: UserId, failures: number): Promise<void> {
    await this.sql.change(RECORD_LOCK, [userId, failures]);
  }
}
