import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
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
import { Query, selecting } from '../query.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapMissingReferences, Sql } from '../sql.js';
import { COUNTED_BY, CountedTable, detailsOf, PagedTable, pick, type CountedRow } from '../table.js';
import { OrganizationEntity } from '../tables/organization.entity.js';
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
type LiveRow = TokenRow & { isStale: boolean };

/** Tokens of an active organization that have not expired. */
function liveTokens(entities: EntityManager) {
  const properties = [...new Set([...SHOWN, ...COUNTED_BY])];
  return selecting(entities.createQueryBuilder(ScimTokenEntity, 't'), properties)
    .addSelect(`t.lastUsedAt IS NULL OR t.lastUsedAt < app_now() - interval '1 minute'`, 'isStale')
    .innerJoin(OrganizationEntity, 'o', `o.id = t.orgId AND o.state = 'active'`)
    .where('t.orgId = :orgId AND (t.expiresAt IS NULL OR t.expiresAt > app_now())');
}

@Injectable()
export class PgScimTokensStore extends ScimTokensStore {
  private readonly rows: CountedTable<ScimTokenEntity>;
  private readonly pages: PagedTable<ScimTokenEntity>;
  private readonly liveByHash: Query<LiveRow, { orgId: OrgId; tokenHash: Buffer }>;
  private readonly liveById: Query<LiveRow, { orgId: OrgId; id: ScimTokenId }>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ScimTokenEntity);
    this.pages = new PagedTable(sql, 'scim-tokens-list', ScimTokenEntity, ['orgId'], UNTIL_EXPIRY);
    // every SCIM request looks up its token
    this.liveByHash = new Query(sql, 'scim-tokens-find-live', (entities) =>
      liveTokens(entities).andWhere('t.tokenHash = :tokenHash'),
    );
    this.liveById = new Query(sql, 'scim-tokens-is-live', (entities) =>
      liveTokens(entities).andWhere('t.id = :id'),
    );
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
    const row = await this.liveByHash.pipelined({ orgId, tokenHash });
    if (row?.isStale === true)
      await this.rows.changeAll(undefined, { id: row.id }, { lastUsedAt: () => 'app_now()' });
    return row && tokenOf(row);
  }

  override async isLive(orgId: OrgId, id: ScimTokenId): Promise<boolean> {
    return (await this.liveById.pipelined({ orgId, id })) !== undefined;
  }
}

function tokenOf(row: TokenRow): ScimToken {
  return { ...pick(row, SHOWN), details: detailsOf(row) };
}
