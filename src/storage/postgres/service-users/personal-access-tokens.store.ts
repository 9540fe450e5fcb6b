import { Injectable } from '@nestjs/common';
import {
  PersonalAccessTokensStore,
  type NewPersonalAccessToken,
  type PersonalAccessToken,
} from '../../../domain/service-users/personal-access-tokens.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, PersonalAccessTokenId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';

const COLUMNS = 'id, expires_at, org_id, sequence, created_at, changed_at';

const ADD = {
  name: 'personal-access-tokens-add',
  text: `
    INSERT INTO personal_access_tokens (org_id, user_id, token_hash, expires_at, made_by, created_at, changed_at)
    SELECT $1, $2, $3::bytea, $4::timestamptz, $5, now, now FROM (SELECT app_now() AS now) AS moment
    RETURNING ${COLUMNS}`,
};

const LIST = pageStatement('personal-access-tokens-list', {
  select: `SELECT ${COLUMNS}, NULL::text AS name FROM personal_access_tokens
           WHERE org_id = $7 AND user_id = $8 AND revoked_at IS NULL`,
});

const FIND = {
  name: 'personal-access-tokens-find',
  text: `
    SELECT ${COLUMNS} FROM personal_access_tokens
    WHERE org_id = $1 AND user_id = $2 AND id = $3 AND revoked_at IS NULL`,
};

const REVOKE = {
  name: 'personal-access-tokens-revoke',
  text: `
    UPDATE personal_access_tokens SET revoked_at = now, sequence = sequence + 1, changed_at = now
    FROM (SELECT app_now() AS now) AS moment
    WHERE org_id = $1 AND user_id = $2 AND id = $3 AND revoked_at IS NULL
    RETURNING org_id, sequence, created_at, changed_at`,
};

const HAD_ANY = {
  name: 'personal-access-tokens-had-any',
  text: 'SELECT EXISTS (SELECT FROM personal_access_tokens WHERE user_id = $1) AS had',
};

const IS_LIVE = {
  name: 'personal-access-tokens-is-live',
  text: `
    SELECT EXISTS (SELECT FROM personal_access_tokens
                   WHERE user_id = $1 AND token_hash = $2 AND revoked_at IS NULL
                     AND (expires_at IS NULL OR expires_at > app_now())) AS live`,
};

type TokenRow = ResourceRow & { id: PersonalAccessTokenId; expires_at: Date | null };

function toToken(row: TokenRow): PersonalAccessToken {
  return { id: row.id, expiresAt: row.expires_at, details: detailsOf(row) };
}

@Injectable()
export class PgPersonalAccessTokensStore extends PersonalAccessTokensStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(tx: Tx, token: NewPersonalAccessToken): Promise<PersonalAccessToken> {
    await requireOwnedCapacity(this.sql, tx, 'personal_access_tokens', token.orgId, token.userId);
    const madeBy = token.madeBy === undefined ? null : (token.madeBy ?? '');
    const values = [token.orgId, token.userId, token.tokenHash, token.expiresAt, madeBy];
    const row = await this.sql.row<TokenRow>(ADD, values, tx);
    if (row === undefined) throw new Error('no personal access token was added');
    return toToken(row);
  }

  override async list(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<PersonalAccessToken>> {
    const rows = await this.sql.rows<PageRow<TokenRow>>(LIST, [...pageValues(page), orgId, userId]);
    return pageOf(rows, toToken);
  }

  override async find(
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<PersonalAccessToken | undefined> {
    const row = await this.sql.row<TokenRow>(FIND, [orgId, userId, id]);
    return row && toToken(row);
  }

  override async revoke(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REVOKE, [orgId, userId, id], tx);
    return row && detailsOf(row);
  }

  override async hadAny(tx: Tx, userId: UserId): Promise<boolean> {
    return (await this.sql.row<{ had: boolean }>(HAD_ANY, [userId], tx))?.had === true;
  }

  override async isLive(tx: Tx, userId: UserId, tokenHash: Buffer): Promise<boolean> {
    return (await this.sql.row<{ live: boolean }>(IS_LIVE, [userId, tokenHash], tx))?.live === true;
  }
}
