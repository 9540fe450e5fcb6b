import { Injectable } from '@nestjs/common';
import { IsNull, Raw } from 'typeorm';
import {
  PersonalAccessTokensStore,
  type NewPersonalAccessToken,
  type PersonalAccessToken,
} from '../../../domain/service-users/personal-access-tokens.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, PersonalAccessTokenId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { Sql } from '../sql.js';
import { CountedTable, detailsOf, PagedTable } from '../table.js';
import { PersonalAccessTokenEntity } from '../tables/personal-access-token.entity.js';
import { makerColumn } from './service-users.store.js';

/** One that is revoked stays, so that it is known to have been. */
const NOT_REVOKED = { revokedAt: IsNull() };

@Injectable()
export class PgPersonalAccessTokensStore extends PersonalAccessTokensStore {
  private readonly rows: CountedTable<PersonalAccessTokenEntity>;
  private readonly pages: PagedTable<PersonalAccessTokenEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, PersonalAccessTokenEntity);
    this.pages = new PagedTable(
      sql,
      'personal-access-tokens-list',
      PersonalAccessTokenEntity,
      ['orgId', 'userId'],
      { only: 't.revoked_at IS NULL' },
    );
  }

  override async add(tx: Tx, { madeBy, ...token }: NewPersonalAccessToken): Promise<PersonalAccessToken> {
    await requireOwnedCapacity(this.sql, tx, 'personal_access_tokens', token.orgId, token.userId);
    return tokenOf(await this.rows.add(tx, { ...token, madeBy: makerColumn(madeBy) }));
  }

  override async list(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<PersonalAccessToken>> {
    return await this.pages.list(page, { orgId, userId }, tokenOf);
  }

  override async find(
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<PersonalAccessToken | undefined> {
    const row = await this.rows.find({ orgId, userId, id, ...NOT_REVOKED });
    return row && tokenOf(row);
  }

  override async revoke(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<ResourceDetails | undefined> {
    const live = { orgId, userId, id, ...NOT_REVOKED };
    return await this.rows.changeOne(tx, live, { revokedAt: () => 'app_now()' });
  }

  override async hadAny(tx: Tx, userId: UserId): Promise<boolean> {
    return await this.rows.exists({ userId }, tx);
  }

  override async isLive(tx: Tx, userId: UserId, tokenHash: Buffer): Promise<boolean> {
    const expiresAt = Raw((column) => `(${column} IS NULL OR ${column} > app_now())`);
    return await this.rows.exists({ userId, tokenHash, expiresAt, ...NOT_REVOKED }, tx);
  }
}

function tokenOf(row: PersonalAccessTokenEntity): PersonalAccessToken {
  return { id: row.id, expiresAt: row.expiresAt, details: detailsOf(row) };
}
