import { Injectable } from '@nestjs/common';
import { OwnersStore, type InstanceOwner } from '../../../domain/permissions/owners.store.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';

// the lock of PgMembersStore for the instance, shared
const LOCK_ROLES = {
  name: 'owners-lock-roles',
  text: `SELECT pg_advisory_xact_lock_shared(hashtext('members'), hashtext(''))`,
};
const TAKE_TURN = {
  name: 'owners-take-turn',
  text: `SELECT pg_advisory_xact_lock(hashtext('owners'), 0)`,
};
const IS_OWNER = {
  name: 'owners-is-owner',
  text: `SELECT role FROM memberships WHERE user_id = $1 AND role = 'IAM_OWNER' AND org_id IS NULL`,
};
// by the index of an organization's members: those of the instance have none, and are few
const IS_HOME = {
  name: 'owners-is-home',
  text: `
    SELECT role FROM memberships WHERE org_id IS NULL AND role = 'IAM_OWNER' AND user_org_id = $1 LIMIT 1`,
};
const LIST = {
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
const COUNT = {
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
export class PgOwnersStore extends OwnersStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async lockRolesShared(tx: Tx): Promise<void> {
    await this.sql.rows(LOCK_ROLES, [], tx);
  }

  override async isOwner(tx: Tx, userId: UserId): Promise<boolean> {
    return (await this.sql.row(IS_OWNER, [userId], tx)) !== undefined;
  }

  override async isHomeOfOwner(tx: Tx, orgId: OrgId): Promise<boolean> {
    return (await this.sql.row(IS_HOME, [orgId], tx)) !== undefined;
  }

  override async takeTurn(tx: Tx): Promise<void> {
    await this.sql.rows(TAKE_TURN, [], tx);
  }

  override async list(tx: Tx): Promise<readonly InstanceOwner[]> {
    const rows = await this.sql.rows<OwnerRow>(LIST, [], tx);
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

  override async count(tx: Tx): Promise<number> {
    return (await this.sql.row<{ owners: number }>(COUNT, [], tx))?.owners ?? 0;
  }
}
