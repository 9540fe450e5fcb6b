import { Injectable } from '@nestjs/common';
import { OwnersStore } from '../../domain/permissions/owners.store.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { Sql } from './sql.js';

// the lock of PgMembersStore for the instance, shared
const HOLD_ROLES = {
  name: 'owners-hold-roles',
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
const COUNT = {
  name: 'owners-count',
  text: `
    SELECT count(*)::integer AS owners FROM memberships m
    JOIN users u ON u.id = m.user_id AND u.state = 'active'
    JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    WHERE m.role = 'IAM_OWNER' AND m.org_id IS NULL`,
};

@Injectable()
export class PgOwnersStore extends OwnersStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async holdRoles(tx: Tx): Promise<void> {
    await this.sql.rows(HOLD_ROLES, [], tx);
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

  override async count(tx: Tx): Promise<number> {
    return (await this.sql.row<{ owners: number }>(COUNT, [], tx))?.owners ?? 0;
  }
}
