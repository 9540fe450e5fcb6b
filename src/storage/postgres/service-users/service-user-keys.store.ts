import { Injectable } from '@nestjs/common';
import {
  ServiceUserKeysStore,
  type NewServiceUserKey,
  type ServiceUserKey,
} from '../../../domain/service-users/service-user-keys.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, ServiceUserKeyId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { mapUniqueViolations, Sql } from '../sql.js';

const COLUMNS = 'id, expires_at, org_id, sequence, created_at, changed_at';

const ADD = {
  name: 'machine-keys-add',
  text: `
    INSERT INTO machine_keys (id, org_id, user_id, public_jwk, expires_at, made_by, created_at, changed_at)
    SELECT coalesce($5, new_id()), $1, $2, $3::jsonb, $4::timestamptz, $6, now, now FROM (SELECT app_now() AS now) AS moment
    RETURNING ${COLUMNS}`,
};

const LIST = pageStatement('machine-keys-list', {
  select: `SELECT ${COLUMNS}, NULL::text AS name FROM machine_keys WHERE org_id = $7 AND user_id = $8`,
});

const FIND = {
  name: 'machine-keys-find',
  text: `SELECT ${COLUMNS} FROM machine_keys WHERE org_id = $1 AND user_id = $2 AND id = $3`,
};

const REMOVE = {
  name: 'machine-keys-remove',
  text: `
    WITH removed AS (
      DELETE FROM machine_keys WHERE org_id = $1 AND user_id = $2 AND id = $3
      RETURNING org_id, user_id, sequence + 1 AS sequence, created_at
    ), ended AS (
      UPDATE users u SET token_epoch = u.token_epoch + 1 FROM removed WHERE u.id = removed.user_id
    )
    SELECT org_id, sequence, created_at, app_now() AS changed_at FROM removed`,
};

type KeyRow = ResourceRow & { id: ServiceUserKeyId; expires_at: Date };

function toKey(row: KeyRow): ServiceUserKey {
  return { id: row.id, expiresAt: row.expires_at, details: detailsOf(row) };
}

@Injectable()
export class PgServiceUserKeysStore extends ServiceUserKeysStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(
    tx: Tx,
    { id, orgId, userId, publicJwk, expiresAt, madeBy }: NewServiceUserKey,
  ): Promise<ServiceUserKey> {
    await requireOwnedCapacity(this.sql, tx, 'machine_keys', orgId, userId);
    const values = [
      orgId,
      userId,
      JSON.stringify(publicJwk),
      expiresAt,
      id ?? null,
      madeBy === null ? '' : madeBy,
    ];
    const row = await mapUniqueViolations(this.sql.row<KeyRow>(ADD, values, tx), {
      machine_keys_pkey: () => new ApiError('already-exists', 'Key already exists', 'V3-DKcYh'),
    });
    if (row === undefined) throw new Error('no key was added');
    return toKey(row);
  }

  override async list(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<ServiceUserKey>> {
    const rows = await this.sql.rows<PageRow<KeyRow>>(LIST, [...pageValues(page), orgId, userId]);
    return pageOf(rows, toKey);
  }

  override async find(
    orgId: OrgId,
    userId: UserId,
    id: ServiceUserKeyId,
  ): Promise<ServiceUserKey | undefined> {
    const row = await this.sql.row<KeyRow>(FIND, [orgId, userId, id]);
    return row && toKey(row);
  }

  override async remove(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: ServiceUserKeyId,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REMOVE, [orgId, userId, id], tx);
    return row && detailsOf(row);
  }
}
