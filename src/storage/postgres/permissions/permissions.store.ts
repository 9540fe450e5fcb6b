// SQL by hand: every request asks what its caller may do, prepared, and owners are read and counted from four tables
import { Injectable } from '@nestjs/common';
import { IsNull, Raw } from 'typeorm';
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
import { Sql } from '../sql.js';
import { pick, Table } from '../table.js';
import { MembershipEntity } from '../tables/membership.entity.js';
import { UserEntity } from '../tables/user.entity.js';
import { giverRoles } from './giver-roles.js';

/** All of a membership. */
const WRITTEN = ['userId', 'userOrgId', 'role', 'orgId'] as const satisfies readonly (keyof Membership)[];

// of people alone: the days that an owner had are over
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
         'giverRoles', ${giverRoles('a')})
       FROM applications a
       JOIN projects p ON p.id = a.project_id AND p.state = 'active'
       JOIN organizations ao ON ao.id = a.org_id AND ao.state = 'active'
       LEFT JOIN consents c ON c.user_id = $1 AND c.application_id = a.id
       WHERE a.id = $3 AND a.state = 'active') AS application,
      (SELECT ${FACTOR_OVERDUE} FROM user_humans h WHERE h.user_id = $1) IS TRUE AS "factorOverdue"
    FROM (SELECT) AS one
    WHERE $2::text IS NULL OR EXISTS (SELECT FROM organizations o WHERE o.id = $2 AND o.state <> 'removed')`,
};

const LIST_OWNERS = {
  name: 'owners-list',
  text: `
    SELECT u.id, u.org_id, u.kind, u.user_name, u.user_name || coalesce('@' || d.domain, '') AS login_name,
      coalesce(h.email, '') AS email, o.state = 'active' AS organization_active
    FROM memberships m
    JOIN users u ON u.id = m.user_id AND u.state <> 'deleted'
    JOIN organizations o ON o.id = u.org_id
    LEFT JOIN user_humans h ON h.user_id = u.id
    LEFT JOIN organization_domains d ON d.org_id = u.org_id AND d.is_primary
    WHERE m.role = 'IAM_OWNER' AND m.org_id IS NULL
    ORDER BY login_name, u.id`,
};
const COUNT_OWNERS = {
  name: 'owners-count',
  text: `
    SELECT count(*)::integer AS owners FROM memberships m
    JOIN users u ON u.id = m.user_id AND u.state = 'active'
    JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    WHERE m.role = 'IAM_OWNER' AND m.org_id IS NULL`,
};

const LAST_OWNER = {
  name: 'owners-last-of-organization',
  text: `
    SELECT EXISTS (
      SELECT FROM memberships m JOIN organizations o ON o.id = m.org_id AND o.state <> 'removed'
      WHERE m.user_id = $1 AND m.role = 'ORG_OWNER' AND NOT EXISTS (
        SELECT FROM memberships other JOIN users u ON u.id = other.user_id AND u.state = 'active'
        WHERE other.org_id = m.org_id AND other.role = 'ORG_OWNER' AND other.user_id <> $1)) AS last`,
};

const OWNER = { role: 'IAM_OWNER', orgId: IsNull() } as const;

type OwnerRow = {
  id: UserId;
  org_id: OrgId;
  kind: 'human' | 'machine';
  user_name: string;
  login_name: string;
  email: string;
  organization_active: boolean;
};

@Injectable()
export class PgPermissionsStore extends PermissionsStore {
  private readonly memberships: Table<MembershipEntity>;
  private readonly users: Table<UserEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.memberships = new Table(sql, MembershipEntity);
    this.users = new Table(sql, UserEntity);
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
    return (await this.sql.row<{ last: boolean }>(LAST_OWNER, [userId], tx))?.last === true;
  }

  override async takeOwnersTurn(tx: Tx): Promise<void> {
    await advisoryLock(this.sql, tx, 'owners');
  }

  override async listOwners(tx: Tx): Promise<readonly InstanceOwner[]> {
    const rows = await this.sql.rows<OwnerRow>(LIST_OWNERS, [], tx);
    return rows.map((row) => ({
      userId: row.id,
      orgId: row.org_id,
      kind: row.kind,
      userName: row.user_name,
      loginName: row.login_name,
      email: row.email,
      isOrganizationActive: row.organization_active,
    }));
  }

  override async countOwners(tx: Tx): Promise<number> {
    return (await this.sql.row<{ owners: number }>(COUNT_OWNERS, [], tx))?.owners ?? 0;
  }
}
