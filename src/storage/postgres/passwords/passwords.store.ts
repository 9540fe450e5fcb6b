// SQL by hand: a sign-in reads and re-hashes by prepared statements, and attempts are counters on condition
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import type { AttemptPolicy } from '../../../domain/passwords/attempts/attempt-policy.js';
import {
  PasswordsStore,
  type CountedAttempt,
  type EncodedPassword,
  type NewPassword,
  type StoredPassword,
} from '../../../domain/passwords/passwords.store.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { secondFactorDue } from '../factors/usable-factors.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { UserPasswordEntity } from '../tables/user-password.entity.js';
import { ATTEMPT_POLICY_COLUMN } from './attempt-policy-column.js';
import { mayAttempt } from './may-attempt.js';

const FIND_BY_USER = {
  name: 'passwords-find-by-user',
  // with what decides how often it may be guessed: no sign-in asks twice
  text: `
    SELECT p.hash, p.change_required AS "changeRequired", p.changed_at::text AS "setAt",
      p.rehash_withheld_at IS NOT NULL AS "rehashWithheld",
      ${secondFactorDue('p.user_id', 'p.org_id')} AS "secondFactorDue", ${ATTEMPT_POLICY_COLUMN}
    FROM user_passwords p LEFT JOIN lockout_policies l ON l.org_id = p.org_id
    WHERE p.user_id = $1`,
};

const FIND_ATTEMPT_POLICY = {
  name: 'passwords-find-attempt-policy',
  text: `
    SELECT ${ATTEMPT_POLICY_COLUMN}
    FROM users u JOIN lockout_policies l ON l.org_id = u.org_id
    WHERE u.id = $1`,
};

const REPLACE_IF_UNCHANGED = {
  name: 'passwords-replace-if-unchanged',
  text: `
    UPDATE user_passwords SET hash = $3, scheme = $4, weak = $5, rehash_withheld_at = NULL
    WHERE user_id = $1 AND hash = $2`,
};

const WITHHOLD_REHASH = {
  name: 'passwords-withhold-rehash',
  text: `
    WITH withheld AS (
      UPDATE user_passwords SET rehash_withheld_at = app_now()
      WHERE user_id = $1 AND hash = $2 AND rehash_withheld_at IS NULL
      RETURNING user_id, scheme
    )
    INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, data)
    SELECT u.org_id, 'user', u.id, u.sequence, 'user.password_rehash_withheld',
      jsonb_build_object('scheme', withheld.scheme)
    FROM withheld JOIN users u ON u.id = withheld.user_id`,
};

const FAILURES = '(a.attempts - a.forgiven)';
const FORGOTTEN = 'app_now() >= a.last_at + make_interval(secs => $6)';
const POLICY = { freeFailures: '$2', firstWaitSeconds: '$3', lockAfterFailures: '$4', lockSeconds: '$5' };
const MAY_PASS = `(${mayAttempt(FAILURES, POLICY)})`;

// the conflict locks the row, so the condition sees every attempt that was counted before, on whatever replica
const TAKE_ATTEMPT = {
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
const FORGIVE_ATTEMPTS = {
  name: 'password-attempts-forgive',
  text: `
    UPDATE password_attempts a SET forgiven = $2, wrong = least(a.wrong, a.attempts - $2)
    WHERE a.user_id = $1 AND a.forgiven < $2 AND a.attempts >= $2`,
};

const FAIL_ATTEMPT = {
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

const GIVE_BACK_ATTEMPT = {
  name: 'password-attempts-give-back',
  text: `
    UPDATE password_attempts a SET forgiven = a.forgiven + 1, wrong = least(a.wrong, ${FAILURES} - 1)
    WHERE a.user_id = $1 AND a.forgiven < $2 AND a.attempts >= $2`,
};

const CLEAR_ATTEMPTS = {
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

type PasswordRow = Pick<StoredPassword, 'hash' | 'changeRequired' | 'setAt'> & {
  rehashWithheld: boolean;
  secondFactorDue: boolean;
  attemptPolicy: AttemptPolicy | null;
};

@Injectable()
export class PgPasswordsStore extends PasswordsStore {
  private readonly rows: Table<UserPasswordEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, UserPasswordEntity);
  }

  override async findByUser(userId: UserId): Promise<StoredPassword | undefined> {
    const row = await this.sql.pipelined<PasswordRow>(FIND_BY_USER, [userId]);
    if (row === undefined) return undefined;
    const { rehashWithheld, secondFactorDue, attemptPolicy, ...stored } = row;
    return {
      ...stored,
      ...(rehashWithheld && { rehashWithheld }),
      ...(secondFactorDue && { secondFactorDue }),
      ...(attemptPolicy !== null && { attemptPolicy }),
    };
  }

  override async findAttemptPolicy(userId: UserId): Promise<AttemptPolicy | undefined> {
    const row = await this.sql.pipelined<{ attemptPolicy: AttemptPolicy }>(FIND_ATTEMPT_POLICY, [userId]);
    return row?.attemptPolicy;
  }

  override async replaceIfUnchanged(
    userId: UserId,
    previousHash: string,
    { hash, scheme, weak }: EncodedPassword,
  ): Promise<boolean> {
    const values = [userId, previousHash, hash, scheme, weak];
    return (await this.sql.change(REPLACE_IF_UNCHANGED, values)) === 1;
  }

  override async withholdRehash(userId: UserId, hash: string): Promise<boolean> {
    return (await this.sql.change(WITHHOLD_REHASH, [userId, hash])) === 1;
  }

  override async replaceSetAt(tx: Tx, setAt: string, password: NewPassword): Promise<boolean> {
    const { userId, hash, scheme, weak, changeRequired } = password;
    const then = {
      userId,
      changedAt: Raw((column) => `${column} = CAST(:setAt AS timestamptz)`, { setAt }),
    };
    const next = { hash, scheme, weak, changeRequired, rehashWithheldAt: null, resetByEmailAt: null };
    const changed = await this.rows.change(tx, then, { ...next, changedAt: () => 'app_now()' });
    return changed.length === 1;
  }

  override async set(tx: Tx, password: NewPassword): Promise<void> {
    const { userId, orgId, hash, scheme, weak, changeRequired, resetByEmail } = password;
    const resetByEmailAt = resetByEmail === true ? () => 'app_now()' : null;
    const next = { orgId, hash, scheme, weak, changeRequired, rehashWithheldAt: null, resetByEmailAt };
    await this.rows.put(tx, { userId }, next, ['changedAt']);
  }

  override async takeAttempt(userId: UserId, policy: AttemptPolicy): Promise<CountedAttempt | undefined> {
    const values = [...waitOf(userId, policy), policy.forgetAfterSeconds];
    const row = await this.sql.row<{ attempts: number; failures: number }>(TAKE_ATTEMPT, values);
    return row && { number: row.attempts, failures: row.failures };
  }

  override async mustWait(userId: UserId, policy: AttemptPolicy, patienceMs: number): Promise<boolean> {
    const values = [...waitOf(userId, policy), patienceMs / 1000];
    return (await this.sql.pipelined<{ must_wait: boolean }>(MUST_WAIT, values))?.must_wait !== false;
  }

  override async forgiveAttempts(userId: UserId, { number }: CountedAttempt): Promise<void> {
    await this.sql.pipelined(FORGIVE_ATTEMPTS, [userId, number]);
  }

  override async failAttempt(
    userId: UserId,
    { number, failures }: CountedAttempt,
    locks: boolean,
  ): Promise<void> {
    await this.sql.change(FAIL_ATTEMPT, [userId, number, failures, locks]);
  }

  override async giveBackAttempt(userId: UserId, { number }: CountedAttempt): Promise<void> {
    await this.sql.change(GIVE_BACK_ATTEMPT, [userId, number]);
  }

  override async clearAttempts(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    policy: AttemptPolicy,
  ): Promise<boolean> {
    const values = [orgId, userId, policy.forgetAfterSeconds];
    return (await this.sql.row<{ counted: boolean }>(CLEAR_ATTEMPTS, values, tx))?.counted === true;
  }
}
