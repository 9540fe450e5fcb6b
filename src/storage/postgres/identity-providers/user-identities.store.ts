// SQL by hand: every sign-in with a provider looks up its user; the INSERT of an identity checks that the provider may identify that user
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  UserIdentitiesStore,
  type IdentifiedUser,
  type NewUserIdentity,
  type UserIdentity,
} from '../../../domain/identity-providers/identities/user-identities.store.js';
import type { IdentityProviderId, OrgId, UserId, UserIdentityId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { columns, Table } from '../table.js';
import { IdentityProviderEntity, UserIdentityEntity } from '../tables/identity-provider.entity.js';
import { loginName, primaryDomainJoin } from '../users/login-name.js';
import { parameters } from '../written.js';
import { allowsProvider } from './identity-providers.store.js';

/** SQL: whether the provider `p` may identify the user `u`: one of the instance, or of their organization if they have no role outside of it. */
export const MAY_IDENTIFY = `(p.org_id IS NULL OR p.org_id = u.org_id
  AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND m.org_id IS DISTINCT FROM p.org_id))`;

const FIND = {
  name: 'user-identities-find',
  text: `
    SELECT i.id, i.org_id AS "orgId", i.user_id AS "userId", 
      u.state = 'active' AND o.state = 'active' AND ${MAY_IDENTIFY} AND coalesce(${allowsProvider('u.org_id', 'l')}, false) AS active
    FROM user_identities i
    JOIN identity_providers p ON p.id = i.provider_id
    JOIN users u ON u.id = i.user_id
    JOIN organizations o ON o.id = u.org_id
    LEFT JOIN login_policies l ON l.org_id = u.org_id AND l.is_set
    WHERE i.provider_id = $1 AND i.subject = $2`,
};
const FIND_BY_ADDRESS = {
  name: 'user-identities-find-by-address',
  text: `
    SELECT u.id AS "userId", ${loginName()} AS "loginName"
    FROM login_identifiers i JOIN users u ON u.id = i.user_id
    JOIN user_humans h ON h.user_id = u.id
    ${primaryDomainJoin('u.org_id')}
    WHERE i.org_id = $1 AND i.canonical = $2 AND u.kind = 'human' AND (i.kind = 'email' OR lower(h.email) = $2)
    ORDER BY i.kind = 'email' DESC LIMIT 1`,
};
const SHOWN = ['id', 'providerId', 'subject', 'displayName', 'createdAt', 'lastUsedAt'] as const;

function identitiesOfUser(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(UserIdentityEntity, 'i'), SHOWN)
    .addSelect('p.name', 'providerName')
    .innerJoin(IdentityProviderEntity, 'p', 'p.id = i.providerId')
    .where('i.orgId = :orgId AND i.userId = :userId')
    .orderBy('i.createdAt')
    .addOrderBy('i.id')
    .limit(100);
}

const ADD_BY = parameters(['providerId', 'subject', 'displayName', 'orgId', 'userId', 'madeBy', 'isLink']);
const add = ADD_BY.$;
const ADD = {
  name: 'user-identities-add',
  text: `
    INSERT INTO user_identities (provider_id, subject, display_name, org_id, user_id, made_by)
    SELECT p.id, ${add.subject}, left(${add.displayName}, 200), u.org_id, u.id, ${add.madeBy}
    FROM identity_providers p, users u
    WHERE p.id = ${add.providerId} AND u.org_id = ${add.orgId} AND u.id = ${add.userId} AND u.kind = 'human' AND u.state <> 'deleted' AND ${MAY_IDENTIFY}
      AND (NOT ${add.isLink}::boolean OR p.state = 'active' AND p.allow_linking)
    ON CONFLICT (provider_id, subject) DO NOTHING RETURNING id`,
};
const USED = {
  name: 'user-identities-used',
  text: `UPDATE user_identities SET last_used_at = app_now(), display_name = left($2, 200) WHERE id = $1`,
};
const REMOVE = {
  name: 'user-identities-remove',
  text: `
    DELETE FROM user_identities i USING identity_providers p
    WHERE i.org_id = $1 AND i.user_id = $2 AND i.id = $3 AND p.id = i.provider_id
    RETURNING ${columns(UserIdentityEntity, 'i', SHOWN)}, p.name AS "providerName"`,
};

type IdentityRow = UserIdentity & Record<string, unknown>;

@Injectable()
export class PgUserIdentitiesStore extends UserIdentitiesStore {
  private readonly ofUser: Query<UserIdentity, { orgId: OrgId; userId: UserId }>;
  private readonly identities: Table<UserIdentityEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.identities = new Table(sql, UserIdentityEntity);
    this.ofUser = new Query(sql, 'user-identities-list', identitiesOfUser);
  }

  override async find(
    providerId: IdentityProviderId,
    subject: string,
    tx?: Tx,
  ): Promise<IdentifiedUser | undefined> {
    return await this.sql.row<IdentifiedUser & Record<string, unknown>>(FIND, [providerId, subject], tx);
  }

  override async findByAddress(orgId: OrgId, canonical: string) {
    return await this.sql.row<{ userId: UserId; loginName: string }>(FIND_BY_ADDRESS, [orgId, canonical]);
  }

  override async listOfUser(orgId: OrgId, userId: UserId): Promise<readonly UserIdentity[]> {
    return await this.ofUser.rows({ orgId, userId });
  }

  override async add(tx: Tx, identity: NewUserIdentity): Promise<UserIdentityId | undefined> {
    const values = ADD_BY.valuesOf({ madeBy: null, isLink: false, ...identity });
    const row = await this.sql.row<{ id: UserIdentityId }>(ADD, values, tx);
    return row?.id;
  }

  override async isAnybodys(tx: Tx, providerId: IdentityProviderId): Promise<boolean> {
    return await this.identities.exists({ providerId }, tx);
  }

  override async used(tx: Tx, id: UserIdentityId, displayName: string): Promise<void> {
    await this.sql.change(USED, [id, displayName], tx);
  }

  override async remove(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: UserIdentityId,
  ): Promise<UserIdentity | undefined> {
    return await this.sql.row<IdentityRow>(REMOVE, [orgId, userId, id], tx);
  }
}
