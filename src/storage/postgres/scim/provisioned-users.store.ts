import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { externalIdTaken } from '../../../domain/scim/external-id.js';
import {
  ProvisionedUsersStore,
  type DirectoryEntry,
  type HeldGroup,
  type ProvisionedHuman,
} from '../../../domain/scim/provisioned-users.store.js';
import type { OrgId, ProjectId, UserId } from '../../../domain/shared/ids.js';
import type { Page } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { UserFilter } from '../../../domain/users/user-filter.js';
import { Query } from '../query.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { Table } from '../table.js';
import { ProjectRoleEntity } from '../tables/project-role.entity.js';
import { ProvisionedUserEntity } from '../tables/provisioned.entity.js';
import { RoleAssignmentEntity, RoleAssignmentRoleEntity } from '../tables/role-assignment.entity.js';
import { UserEntity } from '../tables/user.entity.js';
import { UserSearch } from '../users/user-search.js';

type HeldRow = HeldGroup & { readonly userId: UserId };

@Injectable()
export class PgProvisionedUsersStore extends ProvisionedUsersStore {
  private readonly entries: Table<ProvisionedUserEntity>;
  private readonly searches: UserSearch;
  private readonly counted: Query<{ people: number }, { orgId: OrgId; ids: readonly UserId[] }>;
  private readonly held: Query<HeldRow, { orgId: OrgId; projectId: ProjectId; ids: readonly UserId[] }>;

  constructor(sql: Sql) {
    super();
    this.entries = new Table(sql, ProvisionedUserEntity);
    this.searches = new UserSearch(sql);
    this.counted = new Query(sql, 'provisioned-users-count', (entities) =>
      entities
        .createQueryBuilder(UserEntity, 'u')
        .select('count(*)::integer', 'people')
        .where(`u.orgId = :orgId AND u.id = ANY(:ids) AND u.kind = 'human' AND u.state <> 'deleted'`),
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

  override async search(
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

  override async put(tx: Tx, orgId: OrgId, userId: UserId, entry: DirectoryEntry): Promise<void> {
    await mapUniqueViolations(this.entries.put(tx, { userId }, { orgId, ...entry }), {
      provisioned_users_external_id: externalIdTaken,
    });
  }
}
