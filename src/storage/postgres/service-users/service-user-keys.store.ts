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
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { CountedTable, detailsOf, PagedTable, raised, Table } from '../table.js';
import { ServiceUserKeyEntity } from '../tables/service-user-key.entity.js';
import { UserEntity } from '../tables/user.entity.js';
import { makerColumn } from './service-users.store.js';

const TAKEN = {
  service_user_keys_pkey: () => new ApiError('already-exists', 'Key already exists', 'V3-DKcYh'),
};

@Injectable()
export class PgServiceUserKeysStore extends ServiceUserKeysStore {
  private readonly rows: CountedTable<ServiceUserKeyEntity>;
  private readonly pages: PagedTable<ServiceUserKeyEntity>;
  private readonly users: Table<UserEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ServiceUserKeyEntity);
    this.pages = new PagedTable(sql, 'service-user-keys-list', ServiceUserKeyEntity, ['orgId', 'userId']);
    this.users = new Table(sql, UserEntity);
  }

  override async add(tx: Tx, { madeBy, ...key }: NewServiceUserKey): Promise<ServiceUserKey> {
    await requireOwnedCapacity(this.sql, tx, 'service_user_keys', key.orgId, key.userId);
    const added = this.rows.add(tx, { ...key, madeBy: makerColumn(madeBy) });
    return keyOf(await mapUniqueViolations(added, TAKEN));
  }

  override async list(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<ServiceUserKey>> {
    return await this.pages.list(page, { orgId, userId }, keyOf);
  }

  override async find(
    orgId: OrgId,
    userId: UserId,
    id: ServiceUserKeyId,
  ): Promise<ServiceUserKey | undefined> {
    const row = await this.rows.find({ orgId, userId, id });
    return row && keyOf(row);
  }

  override async remove(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: ServiceUserKeyId,
  ): Promise<ResourceDetails | undefined> {
    const details = await this.rows.removeOne(tx, { orgId, userId, id });
    if (details !== undefined) {
      const tokenEpoch = raised(UserEntity, 'tokenEpoch');
      await this.users.change(tx, { orgId, id: userId }, { tokenEpoch });
    }
    return details;
  }
}

function keyOf(row: ServiceUserKeyEntity): ServiceUserKey {
  return { id: row.id, expiresAt: row.expiresAt, details: detailsOf(row) };
}
