import { Injectable } from '@nestjs/common';
import { AccountsStore, type LockedUser } from '../../../domain/accounts/accounts.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { provesName } from '../../../domain/users/email-address.js';
import type { HumanUser } from '../../../domain/users/user.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { eraseUsers } from '../users/erase-users.js';
import {
  PROFILE_NAMES,
  profileToRow,
  toUser,
  USER_COLUMNS,
  USER_JOINS,
  type UserRow,
} from '../users/user-rows.js';
import { alreadyExists } from '../users/users.store.js';

// NO KEY, so that whoever only refers to the user (a session, a code) does not wait
const LOCK_FOR_UPDATE = {
  name: 'accounts-lock-for-update',
  text: `
    SELECT ${USER_COLUMNS} FROM users u ${USER_JOINS}
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted' FOR NO KEY UPDATE OF u`,
};

const COUNT = {
  name: 'accounts-count-change',
  text: `
    UPDATE users SET sequence = sequence + 1, changed_at = app_now() WHERE org_id = $1 AND id = $2
    RETURNING org_id, sequence, created_at, changed_at`,
};

const REPLACE_PROFILE = {
  name: 'accounts-replace-profile',
  text: `
    UPDATE user_humans SET ${PROFILE_NAMES.map((column, index) => `${column} = $${index + 3}`).join(', ')}
    WHERE org_id = $1 AND user_id = $2`,
};

const REPLACE_EMAIL = {
  name: 'accounts-replace-email',
  text: `
    UPDATE user_humans SET email = $3, email_verified = $4, pending_email = $5
    WHERE org_id = $1 AND user_id = $2`,
};

const FREE_EMAILS = {
  name: 'accounts-free-emails',
  text: `
    DELETE FROM login_identifiers
    WHERE org_id = $1 AND user_id = $2 AND kind = 'email' AND canonical IS DISTINCT FROM $3::text`,
};

// vouched for, unless the user has proven that very address before
const NAME_EMAIL = {
  name: 'accounts-name-email',
  text: `
    INSERT INTO login_identifiers AS known (org_id, kind, canonical, user_id) VALUES ($1, 'email', $3, $2)
    ON CONFLICT ON CONSTRAINT login_identifiers_pkey DO UPDATE SET proven = known.proven AND $4
    WHERE known.user_id = excluded.user_id`,
};

const REPLACE_PHONE = {
  name: 'accounts-replace-phone',
  text: `UPDATE user_humans SET phone = $3, phone_verified = $4 WHERE org_id = $1 AND user_id = $2`,
};

const REPLACE_USER_NAME = {
  name: 'accounts-replace-user-name',
  text: `
    WITH renamed AS (
      UPDATE users SET user_name = $3 WHERE org_id = $1 AND id = $2
    )
    UPDATE login_identifiers SET canonical = $4 WHERE org_id = $1 AND user_id = $2 AND kind = 'user_name'`,
};

const ERASE = eraseUsers('accounts-erase');

const TAKEN = { login_identifiers_pkey: alreadyExists };

@Injectable()
export class PgAccountsStore extends AccountsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async lockForUpdate(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedUser | undefined> {
    const row = await this.sql.row<UserRow>(LOCK_FOR_UPDATE, [orgId, id], tx);
    return row && { ...toUser(row), locked: true };
  }

  override async replaceProfile(
    tx: Tx,
    { orgId, id }: LockedUser,
    profile: HumanUser['profile'],
  ): Promise<ResourceDetails> {
    const row = profileToRow(profile);
    await this.sql.change(REPLACE_PROFILE, [orgId, id, ...PROFILE_NAMES.map((column) => row[column])], tx);
    return await this.count(tx, orgId, id);
  }

  override async replaceEmail(
    tx: Tx,
    { orgId, id }: LockedUser,
    { address, verified, pending }: HumanUser['email'],
    canonicalAddress: string,
  ): Promise<ResourceDetails> {
    await this.sql.change(REPLACE_EMAIL, [orgId, id, address, verified, pending ?? null], tx);
    await this.sql.change(FREE_EMAILS, [orgId, id, verified ? canonicalAddress : null], tx);
    const name = [orgId, id, canonicalAddress, provesName(address)];
    if (verified && (await this.sql.change(NAME_EMAIL, name, tx)) === 0) {
      throw new ApiError('already-exists', 'Email already exists', 'V3-DKcYh');
    }
    return await this.count(tx, orgId, id);
  }

  override async replacePhone(
    tx: Tx,
    { orgId, id }: LockedUser,
    phone: HumanUser['phone'],
  ): Promise<ResourceDetails> {
    await this.sql.change(REPLACE_PHONE, [orgId, id, phone?.number ?? null, phone?.verified ?? false], tx);
    return await this.count(tx, orgId, id);
  }

  override async replaceUserName(
    tx: Tx,
    { orgId, id }: LockedUser,
    userName: string,
    canonicalUserName: string,
  ): Promise<ResourceDetails> {
    const values = [orgId, id, userName, canonicalUserName];
    await mapUniqueViolations(this.sql.change(REPLACE_USER_NAME, values, tx), TAKEN);
    return await this.count(tx, orgId, id);
  }

  override async countChange(tx: Tx, { orgId, id }: LockedUser): Promise<ResourceDetails> {
    return await this.count(tx, orgId, id);
  }

  override async erase(tx: Tx, { orgId, id }: LockedUser): Promise<ResourceDetails> {
    return await this.details(this.sql.row<ResourceRow>(ERASE, [orgId, [id], 'user_deleted'], tx));
  }

  private async count(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails> {
    return await this.details(this.sql.row<ResourceRow>(COUNT, [orgId, id], tx));
  }

  private async details(changed: Promise<ResourceRow | undefined>): Promise<ResourceDetails> {
    const row = await changed;
    if (row === undefined) throw new Error('a user was changed that nobody has locked');
    return detailsOf(row);
  }
}
