// SQL by hand: a member is all roles that somebody holds in one place, which are listed and change together
import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import {
  MembersStore,
  type CredentialOfUser,
  type MadeCredential,
  type Member,
  type MemberPlace,
} from '../../../domain/members/members.store.js';
import type { Role } from '../../../domain/permissions/permissions.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { advisoryLock } from '../advisory-lock.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { Sql } from '../sql.js';
import { detailsOf, pick, Table, type CountedRow } from '../table.js';
import { MembershipEntity } from '../tables/membership.entity.js';
import { UserEntity } from '../tables/user.entity.js';
import { END_CREDENTIALS, LIST_CREDENTIALS } from './credential-statements.js';

const LIST = pageStatement('members-list', {
  select: `
    SELECT m.user_id AS id, m.user_id AS "userId", u.org_id AS "userOrgId", u.user_name AS name,
      u.user_name || coalesce('@' || d.domain, '') AS "loginName", array_agg(m.role ORDER BY m.role) AS roles,
      coalesce(m.org_id, (SELECT default_org_id FROM instance)) AS "orgId", max(m.sequence) AS sequence,
      min(m.created_at) AS "createdAt", min(m.created_at) AS created_at, max(m.changed_at) AS "changedAt"
    FROM memberships m
    JOIN users u ON u.id = m.user_id
    LEFT JOIN organization_domains d ON d.org_id = u.org_id AND d.is_primary
    WHERE m.org_id IS NOT DISTINCT FROM $7
    GROUP BY m.user_id, m.org_id, u.org_id, u.user_name, d.domain`,
});
const COUNT_CHANGE = {
  name: 'members-count-change',
  text: `
    SELECT coalesce($2, (SELECT default_org_id FROM instance)) AS "orgId",
      (coalesce(max(sequence), 0) + 1)::text AS sequence, coalesce(min(created_at), app_now()) AS "createdAt",
      app_now() AS "changedAt"
    FROM memberships WHERE user_id = $1 AND org_id IS NOT DISTINCT FROM $2::text`,
};
const PUT_ROLES = {
  name: 'members-put-roles',
  text: `
    INSERT INTO memberships (user_id, user_org_id, role, org_id, sequence, created_at, changed_at)
    SELECT u.id, u.org_id, given.role, $2, $4::bigint, $5, $6
    FROM users u, unnest($3::text[]) AS given (role) WHERE u.id = $1
    ON CONFLICT ON CONSTRAINT memberships_once
      DO UPDATE SET sequence = excluded.sequence, changed_at = excluded.changed_at`,
};

type MemberRow = Omit<Member, 'details'> & CountedRow;

@Injectable()
export class PgMembersStore extends MembersStore {
  private readonly memberships: Table<MembershipEntity>;
  private readonly users: Table<UserEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.memberships = new Table(sql, MembershipEntity);
    this.users = new Table(sql, UserEntity);
  }

  override async lock(tx: Tx, place: MemberPlace): Promise<void> {
    await advisoryLock(this.sql, tx, 'members', place ?? '');
  }

  override async lockUser(tx: Tx, userId: UserId, orgId: OrgId | null): Promise<boolean> {
    // a deleted user stays as a row, so deleting takes FOR NO KEY UPDATE (users-lock-for-update), for which this waits.
    // Two changes of one user in two places wait for each other, too: what ended by a promotion is judged by all roles
    // together. It comes after the lock of the place, as the locks of KeepOwner come before any row: whoever deletes never
    // waits for that of an organization, and that of the instance they have before they touch the user
    const where = { id: userId, state: Not('deleted' as const), ...(orgId !== null && { orgId }) };
    return (await this.users.find(where, tx, 'lock')) !== undefined;
  }

  override async findRoles(tx: Tx, place: MemberPlace, userId: UserId): Promise<readonly Role[]> {
    const rows = await this.memberships.list({ userId, orgId: place ?? IsNull() }, { role: 'ASC' }, tx);
    return rows.map(({ role }) => role);
  }

  override async list(place: MemberPlace, query: PageQuery): Promise<Page<Member>> {
    const rows = await this.sql.rows<PageRow<MemberRow>>(LIST, [...pageValues(query), place]);
    return pageOf(rows, (row) => ({
      ...pick(row, ['userId', 'userOrgId', 'loginName', 'roles']),
      details: detailsOf(row),
    }));
  }

  override async setRoles(
    tx: Tx,
    place: MemberPlace,
    userId: UserId,
    roles: readonly Role[],
  ): Promise<ResourceDetails> {
    const row = await this.sql.row<CountedRow>(COUNT_CHANGE, [userId, place], tx);
    if (row === undefined) throw new Error('an aggregate without a row');
    await this.memberships.removeAll(tx, { userId, orgId: place ?? IsNull(), role: Not(In(roles)) });
    await this.sql.change(PUT_ROLES, [userId, place, roles, row.sequence, row.createdAt, row.changedAt], tx);
    return detailsOf(row);
  }

  override async lockCredentials(tx: Tx, userId: UserId): Promise<OrgId | undefined> {
    // whoever makes a credential holds the row FOR UPDATE or FOR NO KEY UPDATE, and so does whoever deletes the user
    return (await this.users.find({ id: userId }, tx, 'lock'))?.orgId;
  }

  override async listCredentials(tx: Tx, userId: UserId): Promise<readonly CredentialOfUser[]> {
    type Row = {
      kind: MadeCredential['kind'];
      id: string;
      madeBy: UserId | '' | null;
      madeAt: string | null;
    };
    const rows = await this.sql.rows<Row>(LIST_CREDENTIALS, [userId], tx);
    return rows.map(({ madeBy, madeAt, ...credential }) => ({
      ...credential,
      madeBy: madeBy === '' ? 'operator' : (madeBy ?? undefined),
      madeAt: madeAt ?? undefined,
    }));
  }

  override async endCredentials(
    tx: Tx,
    userId: UserId,
    credentials: readonly MadeCredential[],
    actorId: UserId | null,
  ): Promise<void> {
    const kinds = credentials.map(({ kind }) => kind);
    const ids = credentials.map(({ id }) => id);
    await this.sql.change(END_CREDENTIALS, [userId, kinds, ids, actorId], tx);
  }
}
