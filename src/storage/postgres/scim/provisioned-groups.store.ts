// SQL by hand: conditions that may be left out, and a version made of many rows
import { Injectable } from '@nestjs/common';
import { externalIdTaken } from '../../../domain/scim/external-id.js';
import {
  ProvisionedGroupsStore,
  type GroupFilter,
  type GroupPlace,
  type ProvisionedGroup,
} from '../../../domain/scim/provisioned-groups.store.js';
import type { UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { columns, COUNTED_BY, detailsOf, pick, Table, type CountedRow } from '../table.js';
import { ProjectRoleEntity } from '../tables/project-role.entity.js';
import { ProvisionedGroupEntity } from '../tables/provisioned.entity.js';

const ROLE = ['key', 'displayName', 'group'] as const;
const GROUPS = `
    FROM project_roles r
    LEFT JOIN provisioned_groups p ON p.project_id = r.project_id AND p.role_key = r.key
    WHERE r.org_id = $1 AND r.project_id = $2
      AND ($3::text IS NULL OR r.key = $3) AND ($4::text IS NULL OR lower(r.display_name) = lower($4))
      AND ($5::text IS NULL OR p.external_id = $5)
      AND ($6::text IS NULL OR EXISTS (
        SELECT FROM role_assignments g JOIN role_assignment_roles h ON h.role_assignment_id = g.id
        WHERE g.user_id = $6 AND g.project_id = r.project_id AND g.org_id = r.org_id AND h.role_key = r.key))`;
const SEARCH = {
  name: 'provisioned-groups-search',
  text: `
    SELECT ${columns(ProjectRoleEntity, 'r', [...ROLE, ...COUNTED_BY])}, p.external_id AS "externalId" ${GROUPS}
    ORDER BY r.key OFFSET $7 LIMIT $8`,
};
const COUNT = { name: 'provisioned-groups-count', text: `SELECT count(*)::integer AS total ${GROUPS}` };

const HOLDERS = `
    FROM role_assignment_roles h JOIN role_assignments g ON g.id = h.role_assignment_id AND g.org_id = $1
    WHERE h.project_id = $2 AND h.role_key = $3`;
// sorted last: a limit on what is sorted would make the planner walk through all people by their ids
const MEMBERS = {
  name: 'provisioned-groups-members',
  text: `
    SELECT "userId" FROM (
      SELECT m."userId"
      FROM (SELECT g.user_id AS "userId" ${HOLDERS}) m JOIN user_humans u ON u.user_id = m."userId"
      LIMIT $4::bigint
    ) people
    ORDER BY "userId"`,
};
/**
 * Of the role's row, and of the row of each member: an id that is never used again, and a count that each change raises. Times
 * say nothing here, since a later commit can carry an earlier one. The sum is the same in whatever order rows are read.
 */
const VERSION = {
  name: 'provisioned-groups-version',
  text: `
    SELECT r.sequence || '.' || to_hex(hashtextextended(
      extract(epoch FROM r.created_at) || ' ' || m.members || ' ' || m.states, 0)) AS version
    FROM project_roles r, LATERAL (
      SELECT count(*) AS members, coalesce(sum(hashtextextended(g.id || ' ' || g.sequence, 0)), 0) AS states
      ${HOLDERS}
    ) m
    WHERE r.org_id = $1 AND r.project_id = $2 AND r.key = $3`,
};

type GroupRow = Pick<ProjectRoleEntity, (typeof ROLE)[number]> &
  CountedRow & { readonly externalId: string | null };

@Injectable()
export class PgProvisionedGroupsStore extends ProvisionedGroupsStore {
  private readonly roles: Table<ProjectRoleEntity>;
  private readonly groups: Table<ProvisionedGroupEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.roles = new Table(sql, ProjectRoleEntity);
    this.groups = new Table(sql, ProvisionedGroupEntity);
  }

  override async search(
    { orgId, projectId }: GroupPlace,
    { key, displayName, externalId, memberId }: GroupFilter,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ) {
    const wanted = [key ?? null, displayName ?? null, externalId ?? null, memberId ?? null];
    const values = [orgId, projectId, ...wanted];
    const rows = await this.sql.rows<GroupRow>(SEARCH, [...values, offset, limit]);
    const count = await this.sql.row<{ total: number }>(COUNT, values);
    return { items: rows.map(groupOf), total: count?.total ?? 0 };
  }

  override async find({ orgId, projectId }: GroupPlace, key: string, tx?: Tx) {
    const values = [orgId, projectId, key, null, null, null, 0, 1];
    const row = await this.sql.row<GroupRow>(SEARCH, values, tx);
    return row && groupOf(row);
  }

  override async lock(tx: Tx, place: GroupPlace, key: string): Promise<boolean> {
    return (await this.roles.find({ ...place, key }, tx, 'lock')) !== undefined;
  }

  override async membersOf(
    { orgId, projectId }: GroupPlace,
    key: string,
    limit: number | undefined,
    tx?: Tx,
  ) {
    const values = [orgId, projectId, key, limit ?? null];
    const rows = await this.sql.rows<{ userId: UserId }>(MEMBERS, values, tx);
    return rows.map(({ userId }) => userId);
  }

  override async versionOf({ orgId, projectId }: GroupPlace, key: string, tx?: Tx) {
    const row = await this.sql.row<{ version: string }>(VERSION, [orgId, projectId, key], tx);
    return row?.version;
  }

  override async setExternalId(
    tx: Tx,
    { orgId, projectId }: GroupPlace,
    roleKey: string,
    externalId: string | null,
  ): Promise<void> {
    if (externalId === null) return await this.groups.removeAll(tx, { projectId, roleKey, orgId });
    await mapUniqueViolations(this.groups.put(tx, { projectId, roleKey }, { orgId, externalId }), {
      provisioned_groups_external_id: externalIdTaken,
    });
  }
}

function groupOf(row: GroupRow): ProvisionedGroup {
  return { ...pick(row, ROLE), externalId: row.externalId, details: detailsOf(row) };
}
