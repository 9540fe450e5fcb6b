import { Injectable } from '@nestjs/common';
import { defaultAttemptPolicy, type AttemptPolicy } from '../../../domain/passwords/attempt-policy.js';
import {
  PasswordsStore,
  type EncodedPassword,
  type NewPassword,
  type StoredPassword,
} from '../../../domain/passwords/passwords.store.js';
import type { UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';

const FIND_BY_USER = {
  name: 'passwords-find-by-user',
  // with what decides how often it may be guessed: no sign-in asks twice
  text: `
    SELECT p.hash, p.change_required, p.changed_at::text AS set_at,
      p.rehash_withheld_at IS NOT NULL AS rehash_withheld,
      l.max_attempts, l.free_attempts, l.first_wait_seconds, l.lock_seconds
    FROM user_passwords p LEFT JOIN lockout_policies l ON l.org_id = p.org_id
    WHERE p.user_id = $1`,
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

const REPLACE_SET_AT = {
  name: 'passwords-replace-set-at',
  text: `
    UPDATE user_passwords SET hash = $3, scheme = $4, weak = $5, change_required = $6, changed_at = app_now(),
      rehash_withheld_at = NULL
    WHERE user_id = $1 AND changed_at = $2::timestamptz`,
};

const SET = {
  name: 'passwords-set',
  text: `
    INSERT INTO user_passwords (user_id, org_id, hash, scheme, weak, change_required)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, scheme = excluded.scheme, weak = excluded.weak,
      change_required = excluded.change_required, changed_at = excluded.changed_at, rehash_withheld_at = NULL`,
};

type PasswordRow = { hash: string; change_required: boolean; set_at: string; rehash_withheld: boolean } & (
  { max_attempts: null } | LockoutRow
);
type LockoutRow = {
  max_attempts: number;
  free_attempts: number;
  first_wait_seconds: number;
  lock_seconds: number;
};

function toAttemptPolicy(row: LockoutRow): AttemptPolicy {
  return {
    freeFailures: row.free_attempts,
    firstWaitSeconds: row.first_wait_seconds,
    lockAfterFailures: row.max_attempts,
    lockSeconds: row.lock_seconds,
    forgetAfterSeconds: defaultAttemptPolicy.forgetAfterSeconds,
  };
}

@Injectable()
export class PgPasswordsStore extends PasswordsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findByUser(userId: UserId): Promise<StoredPassword | undefined> {
    const row = await this.sql.pipelined<PasswordRow>(FIND_BY_USER, [userId]);
    return (
      row && {
        hash: row.hash,
        changeRequired: row.change_required,
        setAt: row.set_at,
        ...(row.rehash_withheld && { rehashWithheld: true as const }),
        ...(row.max_attempts === null ? {} : { attemptPolicy: toAttemptPolicy(row) }),
      }
    );
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

  override async replaceSetAt(
    tx: Tx,
    setAt: string,
    { userId, hash, scheme, weak, changeRequired }: NewPassword,
  ): Promise<boolean> {
    const values = [userId, setAt, hash, scheme, weak, changeRequired];
    return (await this.sql.change(REPLACE_SET_AT, values, tx)) === 1;
  }

  override async set(tx: Tx, password: NewPassword): Promise<void> {
    const { userId, orgId, hash, scheme, weak, changeRequired } = password;
    await this.sql.change(SET, [userId, orgId, hash, scheme, weak, changeRequired], tx);
  }
}
