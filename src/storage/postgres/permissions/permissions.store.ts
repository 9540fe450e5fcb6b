import { Injectable } from '@nestjs/common';
import type { Acting } from '../../../domain/permissions/acting.js';
import type { AgreedAccess } from '../../../domain/permissions/management-access.js';
import {
  PermissionsStore,
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
}
