// SQL by hand: a sign-in reads the hash and the lockout policy by one prepared statement; a rehash is withheld once, with its event
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import type { AttemptPolicy } from '../../../domain/passwords/attempts/attempt-policy.js';
import {
  PasswordsStore,
  type AttemptedName,
  type CountedAttempt,
  type EncodedPassword,
  type NewPassword,
  type PasswordMaker,
  type StoredPassword,
} from '../../../domain/passwords/passwords.store.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { insertEvents } from '../events/insert-events.js';
import { secondFactorDue } from '../factors/usable-factors.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { UserPasswordEntity } from '../tables/user-password.entity.js';
import {
  ATTEMPT_POLICY_COLUMN,
  CLEAR_ATTEMPTS,
  FAIL_ATTEMPT,
  FORGET_NAME_ATTEMPTS,
  FORGIVE_ATTEMPTS,
  GIVE_BACK_ATTEMPT,
  GIVE_BACK_NAME_ATTEMPT,
  MUST_WAIT,
  TAKE_ATTEMPT,
  TAKE_NAME_ATTEMPT,
  TAKE_NAME_BY,
  waitOf,
} from './attempt-statements.js';

const FIND_BY_USER = {
  name: 'passwords-find-by-user',
  // with the lockout policy, so that a sign-in needs no second statement
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

const WITHHOLD_REHASH = {
  name: 'passwords-withhold-rehash',
  text: `
    WITH withheld AS (
      UPDATE user_passwords SET rehash_withheld_at = app_now()
      WHERE user_id = $1 AND hash = $2 AND rehash_withheld_at IS NULL
      RETURNING user_id, scheme
    )
    ${insertEvents('data')}
    SELECT u.org_id, 'user', u.id, u.sequence, 'user.password_rehash_withheld',
      jsonb_build_object('scheme', withheld.scheme)
    FROM withheld JOIN users u ON u.id = withheld.user_id`,
};

type PasswordRow = Pick<StoredPassword, 'hash' | 'changeRequired' | 'setAt'> & {
  rehashWithheld: boolean;
  secondFactorDue: boolean;
  attemptPolicy: AttemptPolicy | null;
};

/** How `user_passwords.made_by` says who answers. */
export function passwordMakerColumn(madeBy: PasswordMaker): UserPasswordEntity['madeBy'] {
  if (madeBy === 'nobody') return '';
  return madeBy === 'organization' ? '@organization' : madeBy;
}

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
    const next = { hash, scheme, weak, rehashWithheldAt: null };
    return (await this.rows.changeAll(undefined, { userId, hash: previousHash }, next)) === 1;
  }

  override async withholdRehash(userId: UserId, hash: string): Promise<boolean> {
    return (await this.sql.change(WITHHOLD_REHASH, [userId, hash])) === 1;
  }

  override async replaceSetAt(tx: Tx, setAt: string, password: NewPassword): Promise<boolean> {
    const { userId, hash, scheme, weak, changeRequired } = password;
    const madeBy = passwordMakerColumn(password.madeBy);
    const then = {
      userId,
      changedAt: Raw((column) => `${column} = CAST(:setAt AS timestamptz)`, { setAt }),
    };
    const next = { hash, scheme, weak, changeRequired, madeBy, rehashWithheldAt: null, resetByEmailAt: null };
    return (await this.rows.changeAll(tx, then, { ...next, changedAt: () => 'app_now()' })) === 1;
  }

  override async set(tx: Tx, password: NewPassword): Promise<void> {
    const { userId, orgId, hash, scheme, weak, changeRequired, resetByEmail } = password;
    const madeBy = passwordMakerColumn(password.madeBy);
    const resetByEmailAt = resetByEmail === true ? () => 'app_now()' : null;
    const next = {
      orgId,
      hash,
      scheme,
      weak,
      changeRequired,
      madeBy,
      rehashWithheldAt: null,
      resetByEmailAt,
    };
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

  override async takeNameAttempt({ place, hash }: AttemptedName, policy: AttemptPolicy): Promise<boolean> {
    const values = TAKE_NAME_BY.valuesOf({ place, hash, ...policy });
    return (await this.sql.change(TAKE_NAME_ATTEMPT, values)) === 1;
  }

  override async giveBackNameAttempt({ place, hash }: AttemptedName): Promise<void> {
    await this.sql.change(GIVE_BACK_NAME_ATTEMPT, [place, hash]);
  }

  override async forgetNameAttempts({ place, hash }: AttemptedName, tx?: Tx): Promise<void> {
    await this.sql.change(FORGET_NAME_ATTEMPTS, [place, hash], tx);
  }
}
