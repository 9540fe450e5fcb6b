// SQL by hand: one lock of a user of either kind
import { Injectable } from '@nestjs/common';
import {
  ServiceUsersStore,
  type LockedServiceUser,
  type ServiceUserSettings,
} from '../../../domain/service-users/service-users.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { UserState } from '../../../domain/users/user.js';
import { Sql } from '../sql.js';
import { columns, CountedTable, raised, Table, type Changes } from '../table.js';
import { ServiceUserEntity, UserEntity } from '../tables/user.entity.js';

// FOR UPDATE, where other changes of users take FOR NO KEY UPDATE: no key and no token is added meanwhile either
const LOCK = {
  name: 'service-users-lock',
  text: `
    SELECT ${columns(UserEntity, 'u', ['userName', 'state'])},
      ${columns(ServiceUserEntity, 'm', ['name', 'description', 'accessTokenType', 'secretHash'])}
    FROM users u LEFT JOIN service_users m ON m.org_id = u.org_id AND m.user_id = u.id
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted' FOR UPDATE OF u`,
};

type LockedRow = { userName: string; state: UserState } & (
  | Pick<ServiceUserEntity, 'name' | 'description' | 'accessTokenType' | 'secretHash'>
  /** A person. */
  | { name: null }
);

@Injectable()
export class PgServiceUsersStore extends ServiceUsersStore {
  private readonly users: CountedTable<UserEntity>;
  private readonly machines: Table<ServiceUserEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.users = new CountedTable(sql, UserEntity);
    this.machines = new Table(sql, ServiceUserEntity);
  }

  override async lock(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedServiceUser | 'human' | undefined> {
    const row = await this.sql.row<LockedRow>(LOCK, [orgId, id], tx);
    if (row === undefined) return undefined;
    if (row.name === null) return 'human';
    const { userName, state, name, description, accessTokenType, secretHash } = row;
    return {
      userName,
      state,
      settings: { name, ...(description !== null && { description }), accessTokenType },
      hasSecret: secretHash !== null,
    };
  }

  override async change(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    { name, description, accessTokenType }: ServiceUserSettings,
  ): Promise<ResourceDetails> {
    const settings = { name, description: description ?? null, accessTokenType };
    await this.machines.change(tx, { orgId, userId: id }, settings);
    return await this.count(tx, orgId, id);
  }

  override async setSecret(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    secretHash: Buffer | null,
    madeBy: UserId | null | undefined,
  ): Promise<ResourceDetails> {
    // locked with its user, so that what is read here is what is replaced
    const before = await this.machines.find({ orgId, userId: id }, tx);
    const secretMadeBy = secretHash === null ? null : makerColumn(madeBy);
    await this.machines.change(tx, { orgId, userId: id }, { secretHash, secretMadeBy });
    const hadOne = before?.secretHash != null;
    return await this.count(tx, orgId, id, hadOne ? { tokenEpoch: raised(UserEntity, 'tokenEpoch') } : {});
  }

  private async count(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    changes: Changes<UserEntity> = {},
  ): Promise<ResourceDetails> {
    const details = await this.users.changeOne(tx, { orgId, id }, changes);
    if (details === undefined) throw new Error('a service user that was locked is not there');
    return details;
  }
}

/** Who answers for a credential: empty is whoever runs the service, null where nobody knows. */
export function makerColumn(madeBy: UserId | null | undefined): UserId | '' | null {
  return madeBy === undefined ? null : (madeBy ?? '');
}
