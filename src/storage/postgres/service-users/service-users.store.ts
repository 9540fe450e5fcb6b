import { Injectable } from '@nestjs/common';
import {
  ServiceUsersStore,
  type LockedServiceUser,
  type ServiceUserSettings,
} from '../../../domain/service-users/service-users.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { ServiceUser, UserState } from '../../../domain/users/user.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';

const LOCK = {
  name: 'service-users-lock',
  text: `
    SELECT u.user_name, u.state, m.name, m.description, m.access_token_type,
      m.secret_hash IS NOT NULL AS has_secret
    FROM users u LEFT JOIN user_machines m ON m.org_id = u.org_id AND m.user_id = u.id
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted' FOR UPDATE OF u`,
};

const CHANGED = `sequence = u.sequence + 1, changed_at = app_now()`;
const RETURNING = `RETURNING u.org_id, u.sequence, u.created_at, u.changed_at`;

const CHANGE = {
  name: 'service-users-change',
  text: `
    WITH settings AS (
      UPDATE user_machines SET name = $3, description = $4, access_token_type = $5
      WHERE org_id = $1 AND user_id = $2 RETURNING user_id
    )
    UPDATE users u SET ${CHANGED} FROM settings WHERE u.org_id = $1 AND u.id = settings.user_id ${RETURNING}`,
};

const SET_SECRET = {
  name: 'service-users-set-secret',
  text: `
    WITH before AS (
      SELECT user_id, secret_hash IS NOT NULL AS had_one FROM user_machines WHERE org_id = $1 AND user_id = $2
    ), secret AS (
      UPDATE user_machines m SET secret_hash = $3, secret_made_by = CASE WHEN $3::bytea IS NOT NULL THEN $4::text END
      FROM before WHERE m.user_id = before.user_id
    )
    UPDATE users u SET ${CHANGED}, token_epoch = u.token_epoch + before.had_one::int
    FROM before WHERE u.org_id = $1 AND u.id = before.user_id ${RETURNING}`,
};

type LockedRow = {
  user_name: string;
  state: UserState;
  /** Null for a person. */
  name: string | null;
  description: string | null;
  access_token_type: ServiceUser['accessTokenType'];
  has_secret: boolean;
};

@Injectable()
export class PgServiceUsersStore extends ServiceUsersStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async lock(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedServiceUser | 'human' | undefined> {
    const row = await this.sql.row<LockedRow>(LOCK, [orgId, id], tx);
    if (row === undefined) return undefined;
    if (row.name === null) return 'human';
    const { name, description, access_token_type: accessTokenType } = row;
    return {
      userName: row.user_name,
      state: row.state,
      settings: { name, ...(description === null ? {} : { description }), accessTokenType },
      hasSecret: row.has_secret,
    };
  }

  override async change(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    { name, description, accessTokenType }: ServiceUserSettings,
  ): Promise<ResourceDetails> {
    return await this.write(tx, CHANGE, [orgId, id, name, description ?? null, accessTokenType]);
  }

  override async setSecret(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    secretHash: Buffer | null,
    madeBy: UserId | null | undefined,
  ): Promise<ResourceDetails> {
    return await this.write(tx, SET_SECRET, [orgId, id, secretHash, madeBy === null ? '' : madeBy]);
  }

  private async write(tx: Tx, statement: Statement, values: readonly unknown[]): Promise<ResourceDetails> {
    const row = await this.sql.row<ResourceRow>(statement, values, tx);
    if (row === undefined) throw new Error('a service user that was locked is not there');
    return detailsOf(row);
  }
}
