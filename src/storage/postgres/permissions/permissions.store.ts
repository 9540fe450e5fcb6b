import { Injectable } from '@nestjs/common';
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
import { Sql } from '../sql.js';
import { giverRoles } from './giver-roles.js';

/** Roles of `user` that count where `org` says: in one organization and in the instance. */
function rolesOf(user: string, org: string): string {
  return `
    SELECT coalesce(json_agg(json_build_object('role', m.role, 'orgId', m.org_id)), '[]') FROM memberships m
    WHERE m.user_id = ${user} AND ${org}`;
}

// the application's part is read only where a token came through one
const FIND_ROLES_IN_EFFECT = {
  name: 'permissions-find-roles-in-effect',
  text: `
    SELECT
      (${rolesOf('$1', '($2::text IS NULL OR m.org_id IS NULL OR m.org_id = $2)')}) AS held,
      (SELECT json_build_object('orgId', a.org_id, 'access', a.management_access, 'firstParty', a.first_party,
         'agreed', coalesce(c.access, 'none'),
         'giverRoles', ${giverRoles('a')})
       FROM applications a
       JOIN projects p ON p.id = a.project_id AND p.state = 'active'
       JOIN organizations ao ON ao.id = a.org_id AND ao.state = 'active'
       LEFT JOIN consents c ON c.user_id = $1 AND c.application_id = a.id
       WHERE a.id = $3 AND a.state = 'active') AS application
    FROM (SELECT) AS one
    WHERE $2::text IS NULL OR EXISTS (SELECT FROM organizations o WHERE o.id = $2 AND o.state <> 'removed')`,
};

// a request that came in before a role was given may end after: what it made is not that role's
const FIND_HELD_SINCE = {
  name: 'permissions-find-held-since',
  text: `
    SELECT (${rolesOf('$1', "m.created_at <= $2::timestamptz - interval '5 seconds'")}) AS held`,
};

const ADD = {
  name: 'permissions-add',
  text: `
    INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, $3, $4)
    ON CONFLICT ON CONSTRAINT memberships_once DO NOTHING`,
};

// the lock of PgMembersStore for the instance, shared
const LOCK_ROLES_SHARED = {
  name: 'owners-lock-roles',
  text: `SELECT pg_advisory_xact_lock_shared(hashtext('members'), hashtext(''))`,
};
const TAKE_OWNERS_TURN = {
  name: 'owners-take-turn',
  text: `SELECT pg_advisory_xact_lock(hashtext('owners'), 0)`,
};
const IS_OWNER = {
  name: 'owners-is-owner',
  text: `SELECT role FROM memberships WHERE user_id = $1 AND role = 'IAM_OWNER' AND org_id IS NULL`,
};
// by the index of an organization's members: those of the instance have none, and are few
const IS_HOME_OF_OWNER = {
  name: 'owners-is-home',
  text: `
    SELECT role FROM memberships WHERE org_id IS NULL AND role = 'IAM_OWNER' AND user_org_id = $1 LIMIT 1`,
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
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findRolesInEffect(
    { actorId, through }: Acting,
    orgId: OrgId | null,
    tx?: Tx,
  ): Promise<RolesInEffect | undefined> {
    type InEffectRow = { held: HeldRole[]; application: AgreedAccess | null };
    const values = [actorId, orgId, through];
    const row =
      tx === undefined
        ? await this.sql.pipelined<InEffectRow>(FIND_ROLES_IN_EFFECT, values)
        : await this.sql.row<InEffectRow>(FIND_ROLES_IN_EFFECT, values, tx);
    if (row === undefined) return undefined;
    return { held: row.held, application: through === null ? null : (row.application ?? undefined) };
  }

  override async findHeldSince(tx: Tx, userId: UserId, moment: string): Promise<readonly HeldRole[]> {
    const row = await this.sql.row<{ held: HeldRole[] }>(FIND_HELD_SINCE, [userId, moment], tx);
    return row?.held ?? [];
  }

  override async add(tx: Tx, { userId, userOrgId, role, orgId }: Membership): Promise<boolean> {
    return (await this.sql.change(ADD, [userId, userOrgId, role, orgId], tx)) === 1;
  }

  override async lockRolesShared(tx: Tx): Promise<void> {
    await this.sql.rows(LOCK_ROLES_SHARED, [], tx);
  }

  override async isOwner(tx: Tx, userId: UserId): Promise<boolean> {
    return (await this.sql.row(IS_OWNER, [userId], tx)) !== undefined;
  }

  override async isHomeOfOwner(tx: Tx, orgId: OrgId): Promise<boolean> {
    return (await this.sql.row(IS_HOME_OF_OWNER, [orgId], tx)) !== undefined;
  }

  override async takeOwnersTurn(tx: Tx): Promise<void> {
    await this.sql.rows(TAKE_OWNERS_TURN, [], tx);
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
