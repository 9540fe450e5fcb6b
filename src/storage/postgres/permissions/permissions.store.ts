// SQL by hand: every API request reads the roles of its caller by one prepared statement
import { Injectable } from '@nestjs/common';
import { IsNull, Raw, type EntityManager } from 'typeorm';
import type { Acting } from '../../../domain/permissions/acting.js';
import type { AgreedAccess } from '../../../domain/permissions/management-access.js';
import {
  PermissionsStore,
  type InstanceOwner,
  type Membership,
  type RolesInEffect,
} from '../../../domain/permissions/permissions.store.js';
import type { HeldRole } from '../../../domain/permissions/rank.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { advisoryLock, sharedAdvisoryLock } from '../advisory-lock.js';
import { isGraceOver, lacksRequiredFactor } from '../factors/required-factors.js';
import { Query } from '../query.js';
import { Sql } from '../sql.js';
import { pick, Table } from '../table.js';
import { MembershipEntity } from '../tables/membership.entity.js';
import { OrganizationDomainEntity, OrganizationEntity } from '../tables/organization.entity.js';
import { UserEntity, UserHumanEntity } from '../tables/user.entity.js';
import { loginName } from '../users/login-name.js';
import { grantorRoles } from './giver-roles.js';

/** The columns of a membership that are written. */
const WRITTEN = ['userId', 'userOrgId', 'role', 'orgId'] as const satisfies readonly (keyof Membership)[];

// for humans only: the days that an owner has to set up a factor are over
const FACTOR_OVERDUE = lacksRequiredFactor('h.user_id', 'h.org_id', isGraceOver('h.user_id'));
// the application's part is read only where a token came through one
const FIND_ROLES_IN_EFFECT = {
  name: 'permissions-find-roles-in-effect',
  text: `
    SELECT
      (SELECT coalesce(json_agg(json_build_object('role', m.role, 'orgId', m.org_id)), '[]') FROM memberships m
       WHERE m.user_id = $1 AND ($2::text IS NULL OR m.org_id IS NULL OR m.org_id = $2)) AS held,
      (SELECT json_build_object('orgId', a.org_id, 'access', a.management_access, 'firstParty', a.first_party,
         'agreed', coalesce(c.access, 'none'),
         'grantorRoles', ${grantorRoles('a')})
       FROM applications a
       JOIN projects p ON p.id = a.project_id AND p.state = 'active'
       JOIN organizations ao ON ao.id = a.org_id AND ao.state = 'active'
       LEFT JOIN consents c ON c.user_id = $1 AND c.application_id = a.id
       WHERE a.id = $3 AND a.state = 'active') AS application,
      (SELECT ${FACTOR_OVERDUE} FROM user_humans h WHERE h.user_id = $1) IS TRUE AS "factorOverdue"
    FROM (SELECT) AS one
    WHERE $2::text IS NULL OR EXISTS (SELECT FROM organizations o WHERE o.id = $2 AND o.state <> 'removed')`,
};

/** Owners of the instance. */
function owners(entities: EntityManager) {
  return entities
    .createQueryBuilder(MembershipEntity, 'm')
    .select('u.id', 'userId')
    .innerJoin(UserEntity, 'u', `u.id = m.userId AND u.state <> 'deleted'`)
    .innerJoin(OrganizationEntity, 'o', 'o.id = u.orgId')
    .where(`m.role = 'IAM_OWNER' AND m.orgId IS NULL`);
}

function shownOwners(entities: EntityManager) {
  return owners(entities)
    .addSelect('u.orgId', 'orgId')
    .addSelect('u.type', 'type')
    .addSelect('u.userName', 'userName')
    .addSelect(loginName('u.userName', 'd.domain'), 'loginName')
    .addSelect(`coalesce(h.email, '')`, 'email')
    .addSelect(`o.state = 'active'`, 'isOrganizationActive')
    .leftJoin(UserHumanEntity, 'h', 'h.userId = u.id')
    .leftJoin(OrganizationDomainEntity, 'd', 'd.orgId = u.orgId AND d.primary')
    .orderBy('"loginName"')
    .addOrderBy('u.id');
}

/** Organizations that somebody owns and nobody else who is active. */
function ownedAlone(entities: EntityManager) {
  return entities
    .createQueryBuilder(MembershipEntity, 'm')
    .select('m.orgId', 'orgId')
    .innerJoin(OrganizationEntity, 'o', `o.id = m.orgId AND o.state <> 'removed'`)
    .where(`m.userId = :userId AND m.role = 'ORG_OWNER'`)
    .andWhere((query) => {
      const others = query
        .subQuery()
        .select('1')
        .from(MembershipEntity, 'other')
        .innerJoin(UserEntity, 'u', `u.id = other.userId AND u.state = 'active'`)
        .where(`other.orgId = m.orgId AND other.role = 'ORG_OWNER' AND other.userId <> :userId`);
      return `NOT EXISTS ${others.getQuery()}`;
    })
    .limit(1);
}

const OWNER = { role: 'IAM_OWNER', orgId: IsNull() } as const;

@Injectable()
export class PgPermissionsStore extends PermissionsStore {
  private readonly memberships: Table<MembershipEntity>;
  private readonly users: Table<UserEntity>;
  private readonly owners: Query<InstanceOwner, object>;
  private readonly activeOwners: Query<Pick<InstanceOwner, 'userId'>, object>;
  private readonly ownedAlone: Query<{ orgId: OrgId }, { userId: UserId }>;

  constructor(private readonly sql: Sql) {
    super();
    this.memberships = new Table(sql, MembershipEntity);
    this.users = new Table(sql, UserEntity);
    this.owners = new Query(sql, 'owners-list', shownOwners);
    this.activeOwners = new Query(sql, 'owners-active', (entities) =>
      owners(entities).andWhere(`u.state = 'active' AND o.state = 'active'`),
    );
    this.ownedAlone = new Query(sql, 'owners-last-of-organization', ownedAlone);
  }

  override async findRolesInEffect(
    { actorId, through }: Acting,
    orgId: OrgId | null,
    tx?: Tx,
  ): Promise<RolesInEffect | undefined> {
    type InEffectRow = { held: HeldRole[]; application: AgreedAccess | null; factorOverdue: boolean };
    const values = [actorId, orgId, through];
    const row =
      tx === undefined
        ? await this.sql.pipelined<InEffectRow>(FIND_ROLES_IN_EFFECT, values)
        : await this.sql.row<InEffectRow>(FIND_ROLES_IN_EFFECT, values, tx);
    if (row === undefined) return undefined;
    const { held, factorOverdue } = row;
    return { held, factorOverdue, application: through === null ? null : (row.application ?? undefined) };
  }

  override async findHeldSince(tx: Tx, userId: UserId, moment: string): Promise<readonly HeldRole[]> {
    // a request that came in before a role was given may end after: what it made is not that role's; who was made with a
    // role made no such request
    const createdAt = Raw(
      (column) => `${column} <= greatest(
        CAST(:moment AS timestamptz) - interval '5 seconds', (SELECT created_at FROM users WHERE id = :userId))`,
      { moment, userId },
    );
    const rows = await this.memberships.list({ userId, createdAt }, { role: 'ASC' }, tx);
    return rows.map((row) => pick(row, ['role', 'orgId']));
  }

  override async addFirst(tx: Tx, membership: Membership): Promise<void> {
    const user = await this.users.find({ id: membership.userId }, tx);
    await this.memberships.add(tx, {
      ...pick(membership, WRITTEN),
      ...(user && { createdAt: user.createdAt }),
    });
  }

  override async add(tx: Tx, membership: Membership): Promise<boolean> {
    return await this.memberships.addUnlessThere(tx, pick(membership, WRITTEN));
  }

  override async lockRolesShared(tx: Tx): Promise<void> {
    // the lock of PgMembersStore for the instance, shared
    await sharedAdvisoryLock(this.sql, tx, 'members');
  }

  override async isOwner(tx: Tx, userId: UserId): Promise<boolean> {
    return await this.memberships.exists({ userId, ...OWNER }, tx);
  }

  override async isHomeOfOwner(tx: Tx, orgId: OrgId): Promise<boolean> {
    // by the index of an organization's members: those of the instance have none, and are few
    return await this.memberships.exists({ userOrgId: orgId, ...OWNER }, tx);
  }

  override async ownsOrganization(tx: Tx, userId: UserId): Promise<boolean> {
    return await this.memberships.exists({ userId, role: 'ORG_OWNER' }, tx);
  }

  override async isOrganizationsLastOwner(tx: Tx, userId: UserId): Promise<boolean> {
    return (await this.ownedAlone.row({ userId }, tx)) !== undefined;
  }

  override async takeOwnersTurn(tx: Tx): Promise<void> {
    await advisoryLock(this.sql, tx, 'owners');
  }

  override async listOwners(tx: Tx): Promise<readonly InstanceOwner[]> {
    return await this.owners.rows({}, tx);
  }

  override async countOwners(tx: Tx): Promise<number> {
    return (await this.activeOwners.rows({}, tx)).length;
  }
}
