// SQL by hand: every SCIM request looks up its token by a prepared statement
import { Injectable } from '@nestjs/common';
import { projectNotFound } from '../../../domain/projects/project-not-found.js';
import {
  ScimTokensStore,
  type NewScimToken,
  type ScimToken,
} from '../../../domain/scim/scim-tokens.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, ScimTokenId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { UNTIL_EXPIRY } from '../page-statement.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapMissingReferences, Sql } from '../sql.js';
import { columns, COUNTED_BY, CountedTable, detailsOf, PagedTable, pick, type CountedRow } from '../table.js';
import { ScimTokenEntity } from '../tables/scim-token.entity.js';

const SHOWN = [
  'id',
  'orgId',
  'name',
  'projectId',
  'trustsEmails',
  'expiresAt',
  'lastUsedAt',
] as const satisfies readonly (keyof ScimToken)[];

type TokenRow = Pick<ScimTokenEntity, (typeof SHOWN)[number]> & CountedRow;

const LIVE = `
    FROM scim_tokens t JOIN organizations o ON o.id = t.org_id AND o.state = 'active'
    WHERE t.org_id = $1 AND (t.expires_at IS NULL OR t.expires_at > app_now())`;

const FIND_LIVE = {
  name: 'scim-tokens-find-live',
  text: `
    SELECT ${columns(ScimTokenEntity, 't', [...new Set([...SHOWN, ...COUNTED_BY])])},
      t.last_used_at IS NULL OR t.last_used_at < app_now() - interval '1 minute' AS "isStale"
    ${LIVE} AND t.token_hash = $2`,
};

const IS_LIVE = { name: 'scim-tokens-is-live', text: `SELECT ${LIVE} AND t.id = $2` };

@Injectable()
export class PgScimTokensStore extends ScimTokensStore {
  private readonly rows: CountedTable<ScimTokenEntity>;
  private readonly pages: PagedTable<ScimTokenEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ScimTokenEntity);
    this.pages = new PagedTable(sql, 'scim-tokens-list', ScimTokenEntity, ['orgId'], UNTIL_EXPIRY);
  }

  override async add(tx: Tx, token: NewScimToken): Promise<ScimToken> {
    await requireOwnedCapacity(this.sql, tx, 'scim_tokens', token.orgId, token.orgId);
    const added = this.rows.add(tx, token);
    return tokenOf(await mapMissingReferences(added, { scim_tokens_project: projectNotFound }));
  }

  override async list(orgId: OrgId, page: PageQuery): Promise<Page<ScimToken>> {
    return await this.pages.list(page, { orgId }, tokenOf);
  }

  override async find(orgId: OrgId, id: ScimTokenId): Promise<ScimToken | undefined> {
    const row = await this.rows.find({ orgId, id });
    return row && tokenOf(row);
  }

  override async remove(tx: Tx, orgId: OrgId, id: ScimTokenId): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, { orgId, id });
  }

  override async use(orgId: OrgId, tokenHash: Buffer): Promise<ScimToken | undefined> {
    const row = await this.sql.pipelined<TokenRow & { isStale: boolean }>(FIND_LIVE, [orgId, tokenHash]);
    if (row?.isStale === true)
      await this.rows.changeAll(undefined, { id: row.id }, { lastUsedAt: () => 'app_now()' });
    return row && tokenOf(row);
  }

  override async isLive(orgId: OrgId, id: ScimTokenId): Promise<boolean> {
    return (await this.sql.pipelined(IS_LIVE, [orgId, id])) !== undefined;
  }
}

function tokenOf(row: TokenRow): ScimToken {
  return { ...pick(row, SHOWN), details: detailsOf(row) };
}
