import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { externalIdTaken } from '../../../domain/scim/external-id.js';
import {
  ProvisioningStore,
  type DirectoryEntry,
  type GroupCondition,
  type GroupPlace,
  type HeldGroup,
  type ProvisionedGroup,
  type ProvisionedHuman,
} from '../../../domain/scim/provisioning.store.js';
import type { OrgId, ProjectId, UserId } from '../../../domain/shared/ids.js';
import type { Page } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { AnyOf, UserFilter } from '../../../domain/users/user-filter.js';
import { Query } from '../query.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { detailsOf, pick, Table, type CountedRow } from '../table.js';
import { ProjectRoleEntity } from '../tables/project-role.entity.js';
import { ProvisionedGroupEntity, ProvisionedUserEntity } from '../tables/provisioned.entity.js';
import { RoleAssignmentEntity, RoleAssignmentRoleEntity } from '../tables/role-assignment.entity.js';
import { UserEntity } from '../tables/user.entity.js';
import { UserSearch } from '../users/user-search.js';
import { FIND_GROUP, GROUP_MEMBERS, GROUP_VERSION, ROLE, searchGroups } from './group-statements.js';

type GroupRow = Pick<ProjectRoleEntity, (typeof ROLE)[number]> &
  CountedRow & { readonly externalId: string | null };
type HeldRow = HeldGroup & { readonly userId: UserId };

@Injectable()
export class PgProvisioningStore extends ProvisioningStore {
  private readonly entries: Table<ProvisionedUserEntity>;
  private readonly searches: UserSearch;
  private readonly counted: Query<{ people: number }, { orgId: OrgId; ids: readonly UserId[] }>;
  private readonly held: Query<HeldRow, { orgId: OrgId; projectId: ProjectId; ids: readonly UserId[] }>;
  private readonly roles: Table<ProjectRoleEntity>;
  private readonly groups: Table<ProvisionedGroupEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.roles = new Table(sql, ProjectRoleEntity);
    this.groups = new Table(sql, ProvisionedGroupEntity);
    this.entries = new Table(sql, ProvisionedUserEntity);
    this.searches = new UserSearch(sql);
    this.counted = new Query(sql, 'provisioned-users-count', (entities) =>
      entities
        .createQueryBuilder(UserEntity, 'u')
        .select('count(*)::integer', 'people')
        .where(`u.orgId = :orgId AND u.id = ANY(:ids) AND u.type = 'human' AND u.state <> 'deleted'`),
    );
    this.held = new Query(sql, 'provisioned-users-groups', (entities) =>
      entities
        .createQueryBuilder(RoleAssignmentEntity, 'g')
        .select('g.userId', 'userId')
        .addSelect('r.key', 'key')
        .addSelect('r.displayName', 'displayName')
        .innerJoin(RoleAssignmentRoleEntity, 'h', 'h.roleAssignmentId = g.id')
        .innerJoin(ProjectRoleEntity, 'r', 'r.projectId = h.projectId AND r.key = h.roleKey')
        .where('g.orgId = :orgId AND g.projectId = :projectId AND g.userId = ANY(:ids)')
        .orderBy('r.key'),
    );
  }

  override async searchUsers(
    orgId: OrgId,
    filters: readonly UserFilter[],
    page: { readonly offset: number; readonly limit: number },
  ): Promise<Page<ProvisionedHuman>> {
    const people = [...filters, { field: 'type', value: 'human' } as const];
    const found = await this.searches.search(orgId, people, { ...page, ascending: true });
    return { ...found, items: found.items.filter((user): user is ProvisionedHuman => user.type === 'human') };
  }

  override async countPeople(tx: Tx, orgId: OrgId, ids: readonly UserId[]): Promise<number> {
    const [counted] = await this.counted.rows({ orgId, ids }, tx);
    return counted?.people ?? 0;
  }

  override async entriesOf(
    orgId: OrgId,
    ids: readonly UserId[],
    tx?: Tx,
  ): Promise<ReadonlyMap<UserId, DirectoryEntry>> {
    if (ids.length === 0) return new Map();
    const rows = await this.entries.list({ orgId, userId: In([...ids]) }, {}, tx);
    return new Map(
      rows.map(({ userId, externalId, userName, wasLocked }) => [
        userId,
        { externalId, userName, wasLocked },
      ]),
    );
  }

  override async groupsOf(
    orgId: OrgId,
    projectId: ProjectId,
    ids: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, readonly HeldGroup[]>> {
    const rows = ids.length === 0 ? [] : await this.held.rows({ orgId, projectId, ids });
    const groups = new Map<UserId, HeldGroup[]>();
    for (const { userId, key, displayName } of rows) {
      groups.set(userId, [...(groups.get(userId) ?? []), { key, displayName }]);
    }
    return groups;
  }

  override async putEntry(tx: Tx, orgId: OrgId, userId: UserId, entry: DirectoryEntry): Promise<void> {
    await mapUniqueViolations(this.entries.put(tx, { userId }, { orgId, ...entry }), {
      provisioned_users_external_id: externalIdTaken,
    });
  }

  override async searchGroups(
    { orgId, projectId }: GroupPlace,
    filter: AnyOf<GroupCondition>,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ) {
    const { found, count: counted, wanted } = searchGroups(filter);
    const values = [orgId, projectId, ...wanted];
    const rows = await this.sql.rows<GroupRow>(found, [...values, offset, limit]);
    const count = await this.sql.row<{ total: number }>(counted, values);
    return { items: rows.map(groupOf), total: count?.total ?? 0 };
  }

  override async findGroup({ orgId, projectId }: GroupPlace, key: string, tx?: Tx) {
    const row = await this.sql.row<GroupRow>(FIND_GROUP, [orgId, projectId, key], tx);
    return row && groupOf(row);
  }

  override async lockGroup(tx: Tx, place: GroupPlace, key: string): Promise<boolean> {
    return (await this.roles.find({ ...place, key }, tx, 'lock')) !== undefined;
  }

  override async membersOf(
    { orgId, projectId }: GroupPlace,
    key: string,
    limit: number | undefined,
    tx?: Tx,
  ) {
    const values = [orgId, projectId, key, limit ?? null];
    const rows = await this.sql.rows<{ userId: UserId }>(GROUP_MEMBERS, values, tx);
    return rows.map(({ userId }) => userId);
  }

  override async versionOf({ orgId, projectId }: GroupPlace, key: string, tx?: Tx) {
    const row = await this.sql.row<{ version: string }>(GROUP_VERSION, [orgId, projectId, key], tx);
    return row?.version;
  }

  override async setGroupId(
    tx: Tx,
    { orgId, projectId }: GroupPlace,
    roleKey: string,
    externalId: string | null,
  ): Promise<void> {
    if (externalId === null) {
      await this.groups.removeAll(tx, { projectId, roleKey, orgId });
      return;
    }
    await mapUniqueViolations(this.groups.put(tx, { projectId, roleKey }, { orgId, externalId }), {
      provisioned_groups_external_id: externalIdTaken,
    });
  }
}

function groupOf(row: GroupRow): ProvisionedGroup {
  return { ...pick(row, ROLE), externalId: row.externalId, details: detailsOf(row) };
}
