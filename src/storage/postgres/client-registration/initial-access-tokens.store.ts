// SQL by hand: a use is counted by one conditional UPDATE, so that a token is not used more often than allowed
import { Injectable } from '@nestjs/common';
import {
  InitialAccessTokensStore,
  type InitialAccessToken,
  type NewInitialAccessToken,
} from '../../../domain/client-registration/initial-access/initial-access-tokens.store.js';
import { projectNotFound } from '../../../domain/projects/project-not-found.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { InitialAccessTokenId, OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { UNTIL_EXPIRY } from '../page-statement.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapMissingReferences, Sql } from '../sql.js';
import { columns, COUNTED_BY, CountedTable, detailsOf, PagedTable, pick, type CountedRow } from '../table.js';
import { InitialAccessTokenEntity } from '../tables/initial-access-token.entity.js';

const SHOWN = [
  'id',
  'orgId',
  'projectId',
  'name',
  'mostUses',
  'uses',
  'expiresAt',
] as const satisfies readonly (keyof InitialAccessToken)[];
type TokenRow = Pick<InitialAccessTokenEntity, (typeof SHOWN)[number]> & CountedRow;

const USABLE = `
  t.token_hash = $1 AND t.uses < t.most_uses AND (t.expires_at IS NULL OR t.expires_at > app_now())
    AND p.id = t.project_id AND p.state = 'active' AND o.id = t.org_id AND o.state = 'active'`;

const IS_USABLE = {
  name: 'initial-access-tokens-is-usable',
  text: `SELECT FROM initial_access_tokens t, projects p, organizations o WHERE ${USABLE}`,
};

// `sequence` is not raised: the settings do not change
const USE = {
  name: 'initial-access-tokens-use',
  text: `
    UPDATE initial_access_tokens t SET uses = t.uses + 1 FROM projects p, organizations o WHERE ${USABLE}
    RETURNING ${columns(InitialAccessTokenEntity, 't', [...new Set([...SHOWN, ...COUNTED_BY])])}`,
};

@Injectable()
export class PgInitialAccessTokensStore extends InitialAccessTokensStore {
  private readonly rows: CountedTable<InitialAccessTokenEntity>;
  private readonly pages: PagedTable<InitialAccessTokenEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, InitialAccessTokenEntity);
    this.pages = new PagedTable(
      sql,
      'initial-access-tokens-list',
      InitialAccessTokenEntity,
      ['orgId'],
      UNTIL_EXPIRY,
    );
  }

  override async add(tx: Tx, token: NewInitialAccessToken): Promise<InitialAccessToken> {
    await requireOwnedCapacity(this.sql, tx, 'initial_access_tokens', token.orgId, token.orgId);
    const added = this.rows.add(tx, token);
    return tokenOf(await mapMissingReferences(added, { initial_access_tokens_project: projectNotFound }));
  }

  override async list(orgId: OrgId, page: PageQuery): Promise<Page<InitialAccessToken>> {
    return await this.pages.list(page, { orgId }, tokenOf);
  }

  override async find(orgId: OrgId, id: InitialAccessTokenId): Promise<InitialAccessToken | undefined> {
    const row = await this.rows.find({ orgId, id });
    return row && tokenOf(row);
  }

  override async remove(
    tx: Tx,
    orgId: OrgId,
    id: InitialAccessTokenId,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, { orgId, id });
  }

  override async use(tx: Tx, tokenHash: Buffer): Promise<InitialAccessToken | undefined> {
    const row = await this.sql.row<TokenRow>(USE, [tokenHash], tx);
    return row && tokenOf(row);
  }

  override async isUsable(tokenHash: Buffer): Promise<boolean> {
    return (await this.sql.row(IS_USABLE, [tokenHash])) !== undefined;
  }
}

function tokenOf(row: TokenRow): InitialAccessToken {
  return { ...pick(row, SHOWN), details: detailsOf(row) };
}
