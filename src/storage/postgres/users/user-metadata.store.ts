import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { UserMetadataStore, type UserMetadata } from '../../../domain/users/user-metadata.store.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { pageFrom, VIEW_COLUMNS, type ViewRow } from '../view-row.js';

const COLUMNS = 'key, value, org_id, sequence, created_at, changed_at';

const FIND = {
  name: 'user-metadata-find',
  text: `SELECT ${COLUMNS} FROM user_metadata WHERE org_id = $1 AND user_id = $2 AND key = $3`,
};

const MATCHING = `org_id = $1 AND user_id = $2 AND starts_with(key, $3)`;
function list(direction: 'ASC' | 'DESC'): Statement {
  return {
    name: `user-metadata-list-${direction}`,
    text: `SELECT ${COLUMNS} FROM user_metadata WHERE ${MATCHING}
           ORDER BY key COLLATE "C" ${direction} OFFSET $4 LIMIT $5`,
  };
}
const LIST = { ascending: list('ASC'), descending: list('DESC') };

const COUNT = {
  name: 'user-metadata-count',
  text: `SELECT count(*)::integer AS total, ${VIEW_COLUMNS} FROM user_metadata WHERE ${MATCHING}`,
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
    RETURNING org_id, sequence, created_at, changed_at`,
};

const REMOVE = {
  name: 'user-metadata-remove',
  text: `
    DELETE FROM user_metadata WHERE org_id = $1 AND user_id = $2 AND key = $3
    RETURNING org_id, sequence + 1 AS sequence, created_at, app_now() AS changed_at`,
};

const TOUCH_USER = {
  name: 'user-metadata-touch-user',
  text: `
    UPDATE users SET sequence = sequence + 1, changed_at = app_now() WHERE org_id = $1 AND id = $2
    RETURNING org_id, sequence, created_at, changed_at`,
};

type MetadataRow = ResourceRow & { key: string; value: Buffer };

function toMetadata(row: MetadataRow): UserMetadata {
  return { key: row.key, value: row.value, details: detailsOf(row) };
}

@Injectable()
export class PgUserMetadataStore extends UserMetadataStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find(orgId: OrgId, userId: UserId, key: string): Promise<UserMetadata | undefined> {
    const row = await this.sql.row<MetadataRow>(FIND, [orgId, userId, key]);
    return row && toMetadata(row);
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
    return pageFrom(rows.map(toMetadata), view);
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
    const row = await this.sql.row<ResourceRow>(SET, [orgId, userId, key, value], tx);
    if (row === undefined) throw new Error('no metadata was set');
    return detailsOf(row);
  }

  override async remove(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REMOVE, [orgId, userId, key], tx);
    return row && detailsOf(row);
  }

  override async touchUser(tx: Tx, orgId: OrgId, userId: UserId): Promise<ResourceDetails> {
    const row = await this.sql.row<ResourceRow>(TOUCH_USER, [orgId, userId], tx);
    if (row === undefined) throw new Error('metadata of a user that nobody has locked');
    return detailsOf(row);
  }
}
