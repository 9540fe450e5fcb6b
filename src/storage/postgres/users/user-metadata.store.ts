// SQL by hand: keys in the order of their bytes, and a value set or replaced by one statement
import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { UserMetadataStore, type UserMetadata } from '../../../domain/users/user-metadata.store.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { columns, CountedTable, detailsOf } from '../table.js';
import { UserMetadataEntity } from '../tables/user-metadata.entity.js';
import { pageFrom, VIEW_COLUMNS, type ViewRow } from '../view-row.js';

const COLUMNS = columns(UserMetadataEntity, 'm', [
  'key',
  'value',
  'orgId',
  'sequence',
  'createdAt',
  'changedAt',
]);

// by bytes, whatever the database's collation
const MATCHING = `FROM user_metadata m WHERE m.org_id = $1 AND m.user_id = $2 AND starts_with(m.key, $3)`;
function list(direction: 'ASC' | 'DESC'): Statement {
  return {
    name: `user-metadata-list-${direction}`,
    text: `SELECT ${COLUMNS} ${MATCHING}
           ORDER BY m.key COLLATE "C" ${direction} OFFSET $4 LIMIT $5`,
  };
}
const LIST = { ascending: list('ASC'), descending: list('DESC') };

const COUNT = {
  name: 'user-metadata-count',
  text: `SELECT count(*)::integer AS total, ${VIEW_COLUMNS} ${MATCHING}`,
};

const MEASURE_OTHERS = {
  name: 'user-metadata-measure-others',
  text: `
    SELECT count(*)::integer AS keys,
      coalesce(sum(octet_length(key) + octet_length(value)), 0)::float8 AS bytes
    FROM user_metadata WHERE org_id = $1 AND user_id = $2 AND key <> $3`,
};

const SET = {
  name: 'user-metadata-set',
  text: `
    INSERT INTO user_metadata AS m (org_id, user_id, key, value) VALUES ($1, $2, $3, $4)
    ON CONFLICT ON CONSTRAINT user_metadata_pkey DO UPDATE
      SET value = excluded.value, sequence = m.sequence + 1, changed_at = app_now()
    RETURNING ${columns(UserMetadataEntity, 'm', ['orgId', 'sequence', 'createdAt', 'changedAt'])}`,
};

type MetadataRow = Pick<
  UserMetadataEntity,
  'key' | 'value' | 'orgId' | 'sequence' | 'createdAt' | 'changedAt'
>;

function metadataOf(row: MetadataRow): UserMetadata {
  return { key: row.key, value: row.value, details: detailsOf(row) };
}

@Injectable()
export class PgUserMetadataStore extends UserMetadataStore {
  private readonly rows: CountedTable<UserMetadataEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, UserMetadataEntity);
  }

  override async find(orgId: OrgId, userId: UserId, key: string): Promise<UserMetadata | undefined> {
    const row = await this.rows.find({ orgId, userId, key });
    return row && metadataOf(row);
  }

  override async list(
    orgId: OrgId,
    userId: UserId,
    startsWith: string,
    { offset, limit, ascending }: PageQuery,
  ): Promise<Page<UserMetadata>> {
    const statement = ascending ? LIST.ascending : LIST.descending;
    const rows = await this.sql.rows<MetadataRow>(statement, [orgId, userId, startsWith, offset, limit]);
    const view = await this.sql.row<ViewRow>(COUNT, [orgId, userId, startsWith]);
    return pageFrom(rows.map(metadataOf), view);
  }

  override async measureOthers(tx: Tx, orgId: OrgId, userId: UserId, key: string) {
    const values = [orgId, userId, key];
    const row = await this.sql.row<{ keys: number; bytes: number }>(MEASURE_OTHERS, values, tx);
    return row ?? { keys: 0, bytes: 0 };
  }

  override async set(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
    value: Buffer,
  ): Promise<ResourceDetails> {
    const row = await this.sql.row<Omit<MetadataRow, 'key' | 'value'>>(SET, [orgId, userId, key, value], tx);
    if (row === undefined) throw new Error('no metadata was set');
    return detailsOf(row);
  }

  override async remove(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, { orgId, userId, key });
  }
}
