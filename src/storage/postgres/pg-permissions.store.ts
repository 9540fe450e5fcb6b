import { Injectable } from '@nestjs/common';
import type { Role } from '../../domain/permissions/permissions.js';
import { type Membership, PermissionsStore } from '../../domain/permissions/permissions.store.js';
import type { HeldRole } from '../../domain/permissions/rank.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { Sql } from './sql.js';

const FIND_ROLES = {
  name: 'permissions-find-roles',
  text: `
    SELECT ARRAY(SELECT m.role FROM memberships m
                 WHERE m.user_id = $1 AND (m.org_id IS NULL OR m.org_id = o.id)) AS roles
    FROM organizations o WHERE o.id = $2`,
};

const LIST_HELD = {
  name: 'permissions-list-held',
  text: `SELECT role, org_id FROM memberships WHERE user_id = $1`,
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

  override async findRoles(userId: UserId, orgId: OrgId, tx?: Tx): Promise<readonly Role[] | undefined> {
    type RolesRow = { roles: Role[] };
    const values = [userId, orgId];
    const row =
      tx === undefined
        ? await this.sql.quick<RolesRow>(FIND_ROLES, values)
        : await this.sql.row<RolesRow>(FIND_ROLES, values, tx);
    return row?.roles;
  }

  override async listHeld(tx: Tx, userId: UserId): Promise<readonly HeldRole[]> {
    const rows = await this.sql.rows<{ role: Role; org_id: OrgId | null }>(LIST_HELD, [userId], tx);
    return rows.map(({ role, org_id: orgId }) => ({ role, orgId }));
  }

  override async add(tx: Tx, { userId, userOrgId, role, orgId }: Membership): Promise<boolean> {
    return (await this.sql.change(ADD, [userId, userOrgId, role, orgId], tx)) === 1;
  }
}
