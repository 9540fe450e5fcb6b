// SQL by hand: the filter by role is a condition on the rows of a page, whose text the query builder does not make
import { Injectable } from '@nestjs/common';
import { In, Not, type EntityManager, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { projectGrantNotFound, projectNotFound } from '../../../domain/projects/project-not-found.js';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import {
  RoleAssignmentsStore,
  type HeldRoleAssignment,
  type NewRoleAssignment,
  type RoleAssignment,
  type RoleAssignmentPlace,
} from '../../../domain/role-assignments/role-assignments.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type {
  OrgId,
  ProjectGrantId,
  ProjectId,
  RoleAssignmentId,
  UserId,
} from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { userNotFound } from '../../../domain/users/find-user.js';
import { is } from '../page-statement.js';
import { PagedQuery, Query, selecting } from '../query.js';
import { mapMissingReferences, Sql } from '../sql.js';
import {
  COUNTED,
  COUNTED_BY,
  CountedTable,
  detailsOf,
  pick,
  Table,
  tableOf,
  type CountedRow,
} from '../table.js';
import { OrganizationDomainEntity } from '../tables/organization.entity.js';
import { ProjectGrantEntity } from '../tables/project-grant.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';
import { RoleAssignmentEntity, RoleAssignmentRoleEntity } from '../tables/role-assignment.entity.js';
import { ServiceUserEntity, UserEntity, UserHumanEntity } from '../tables/user.entity.js';
import { loginName } from '../users/login-name.js';

/** With the name of its project, and its roles. */
function assignments(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(RoleAssignmentEntity, 'g'), [
    'id',
    'userId',
    'projectId',
    'projectGrantId',
    'state',
    ...COUNTED_BY,
  ])
    .addSelect('p.name', 'projectName')
    .addSelect(roleKeysOf, 'roleKeys')
    .innerJoin(ProjectEntity, 'p', 'p.id = g.projectId');
}

function ofUser(entities: EntityManager) {
  return assignments(entities).where('g.orgId = :orgId AND g.userId = :userId');
}

/** With the names of whoever holds the roles. */
function ofProject(entities: EntityManager) {
  return assignments(entities)
    .addSelect(loginName('u.userName', 'd.domain'), 'loginName')
    .addSelect('coalesce(h.displayName, s.name, u.userName)', 'displayName')
    .addSelect('u.type', 'userType')
    .innerJoin(UserEntity, 'u', 'u.id = g.userId')
    .leftJoin(UserHumanEntity, 'h', 'h.userId = u.id')
    .leftJoin(ServiceUserEntity, 's', 's.userId = u.id')
    .leftJoin(OrganizationDomainEntity, 'd', 'd.orgId = u.orgId AND d.primary')
    .where('g.orgId = :orgId AND g.projectId = :projectId');
}

/** The project is named as well, so that an index finds the few who hold a rare role. */
function holds(roleKey: string): string {
  return `EXISTS (SELECT FROM ${tableOf(RoleAssignmentRoleEntity)} r
    WHERE r.project_id = "projectId" AND r.role_key = ${roleKey}::text AND r.role_assignment_id = "id")`;
}

function roleKeysOf(query: SelectQueryBuilder<ObjectLiteral>) {
  return query
    .select(`coalesce(array_agg(r.roleKey ORDER BY r.roleKey), '{}')`)
    .from(RoleAssignmentRoleEntity, 'r')
    .where('r.roleAssignmentId = g.id');
}

type AssignmentRow = Omit<RoleAssignment, 'details' | 'projectGrantId'> &
  Pick<RoleAssignmentEntity, 'projectGrantId'> &
  CountedRow;
type HeldRow = AssignmentRow & Pick<HeldRoleAssignment, 'loginName' | 'displayName' | 'userType'>;

@Injectable()
export class PgRoleAssignmentsStore extends RoleAssignmentsStore {
  private readonly rows: CountedTable<RoleAssignmentEntity>;
  private readonly one: Query<AssignmentRow, RoleAssignmentPlace>;
  private readonly pages: PagedQuery<AssignmentRow, Pick<RoleAssignmentPlace, 'orgId' | 'userId'>>;
  private readonly pagesOfProject: PagedQuery<HeldRow, { orgId: OrgId; projectId: ProjectId }>;
  private readonly held: Query<{ id: RoleAssignmentId }, { userId: UserId; projectId: ProjectId }>;
  private readonly roles: Table<RoleAssignmentRoleEntity>;
  private readonly users: Table<UserEntity>;
  private readonly projects: Table<ProjectEntity>;
  private readonly projectGrants: Table<ProjectGrantEntity>;

  constructor(sql: Sql) {
    super();
    this.rows = new CountedTable(sql, RoleAssignmentEntity);
    this.one = new Query(sql, 'role-assignments-find', (entities) => ofUser(entities).andWhere('g.id = :id'));
    this.pages = new PagedQuery(sql, 'role-assignments-list', ofUser, {
      name: 'projectName',
      filters: { state: is('state') },
    });
    this.pagesOfProject = new PagedQuery(sql, 'role-assignments-list-of-project', ofProject, {
      name: 'displayName',
      filters: { state: is('state'), roleKey: holds, userId: is('userId') },
    });
    // a sign-in asks
    this.held = new Query(sql, 'role-assignments-held', (entities) =>
      selecting(entities.createQueryBuilder(RoleAssignmentEntity, 'g'), ['id'])
        .innerJoin(RoleAssignmentRoleEntity, 'r', 'r.roleAssignmentId = g.id')
        .leftJoin(ProjectGrantEntity, 'pg', 'pg.id = g.projectGrantId')
        .where(
          `coalesce(pg.state, 'active') = 'active' AND g.userId = :userId AND g.projectId = :projectId AND g.state = 'active'`,
        )
        .limit(1),
    );
    this.roles = new Table(sql, RoleAssignmentRoleEntity);
    this.users = new Table(sql, UserEntity);
    this.projects = new Table(sql, ProjectEntity);
    this.projectGrants = new Table(sql, ProjectGrantEntity);
  }

  override async add(tx: Tx, { orgId, userId, projectId, projectGrantId, roleKeys }: NewRoleAssignment) {
    // first: a conflict must reveal neither another organization's project nor its grant
    const basis = await this.basisOf(tx, orgId, projectId, projectGrantId);
    // waits for a deletion of the user, which leaves their row
    const found = await this.users.find({ orgId, id: userId, state: Not('deleted' as const) }, tx, 'shared');
    if (found === undefined) throw userNotFound();
    const row = await mapMissingReferences(this.rows.addOnce(tx, { orgId, userId, projectId, ...basis }), {
      role_assignments_user: userNotFound,
      role_assignments_project: projectNotFound,
      role_assignments_project_grant: projectGrantNotFound,
    });
    if (row === undefined) return undefined;
    await this.addRoles(tx, row, roleKeys);
    return { id: row.id, details: detailsOf(row) };
  }

  /** What an assignment is based on: the organization's own project, or a grant; without one, another's project must not be revealed. */
  private async basisOf(
    tx: Tx,
    orgId: OrgId,
    projectId: ProjectId,
    id: ProjectGrantId | undefined,
  ): Promise<Pick<RoleAssignmentEntity, 'projectOrgId' | 'projectGrantId' | 'restsOn'>> {
    if (id === undefined) {
      if (!(await this.projects.exists({ orgId, id: projectId }, tx))) throw projectNotFound();
      return { projectOrgId: orgId, projectGrantId: null, restsOn: '' };
    }
    const grant = await this.projectGrants.find({ grantedOrgId: orgId, projectId, id }, tx);
    if (grant === undefined) throw projectGrantNotFound();
    return { projectOrgId: grant.orgId, projectGrantId: id, restsOn: id };
  }

  override async find(place: RoleAssignmentPlace): Promise<RoleAssignment | undefined> {
    const row = await this.one.row(place);
    return row && toRoleAssignment(row);
  }

  override async list(orgId: OrgId, userId: UserId, query: PageQuery): Promise<Page<RoleAssignment>> {
    return await this.pages.list(query, { orgId, userId }, toRoleAssignment);
  }

  override async listOfProject(orgId: OrgId, projectId: ProjectId, query: PageQuery) {
    const isThere =
      (await this.projects.exists({ orgId, id: projectId })) ||
      (await this.projectGrants.exists({ grantedOrgId: orgId, projectId }));
    if (!isThere) return undefined;
    return await this.pagesOfProject.list(query, { orgId, projectId }, (row): HeldRoleAssignment => ({
      ...toRoleAssignment(row),
      ...pick(row, ['loginName', 'displayName', 'userType']),
    }));
  }

  override async lockOfProject(tx: Tx, orgId: OrgId, userId: UserId, projectId: ProjectId) {
    const row = await this.rows.find({ orgId, userId, projectId }, tx, 'lock');
    if (row === undefined) return undefined;
    const roles = await this.roles.list({ roleAssignmentId: row.id }, { roleKey: 'ASC' }, tx);
    return { id: row.id, roleKeys: roles.map(({ roleKey }) => roleKey) };
  }

  override async replaceRoles(
    tx: Tx,
    { orgId, userId, id }: RoleAssignmentPlace,
    roleKeys: readonly string[],
  ): Promise<ResourceDetails | undefined> {
    const before = await this.rows.find({ orgId, userId, id }, tx);
    // before the row of the assignment: the same lock order as where roles are taken from the project grant
    if (before?.projectGrantId != null) {
      await this.projectGrants.find({ id: before.projectGrantId }, tx, 'reference');
    }
    const [row] = await this.rows.change(tx, { orgId, userId, id }, COUNTED);
    if (row === undefined) return undefined;
    await this.roles.removeAll(tx, { roleAssignmentId: id, roleKey: Not(In(roleKeys)) });
    await this.addRoles(tx, row, roleKeys);
    return detailsOf(row);
  }

  override async setState(
    tx: Tx,
    { orgId, userId, id }: RoleAssignmentPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, { orgId, userId, id, state: Not(state) }, { state });
  }

  override async remove(
    tx: Tx,
    { orgId, userId, id }: RoleAssignmentPlace,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, { orgId, userId, id });
  }

  override async holdsRole(tx: Tx | undefined, userId: UserId, projectId: ProjectId): Promise<boolean> {
    return (await this.held.row({ userId, projectId }, tx)) !== undefined;
  }

  private async addRoles(
    tx: Tx,
    {
      id: roleAssignmentId,
      projectId,
      projectGrantId,
    }: Pick<RoleAssignmentEntity, 'id' | 'projectId' | 'projectGrantId'>,
    roleKeys: readonly string[],
  ): Promise<void> {
    const of = { roleAssignmentId, projectId, projectGrantId, restsOn: projectGrantId ?? '' };
    const rows = roleKeys.toSorted().map((roleKey) => ({ ...of, roleKey }));
    await mapMissingReferences(this.roles.addMissing(tx, rows), {
      role_assignment_roles_role: () =>
        new ApiError('invalid-argument', 'roleKeys names a role that the project does not have'),
      role_assignment_roles_granted: () =>
        new ApiError('invalid-argument', 'roleKeys names a role that is not granted to the organisation'),
      // the project grant has just been removed, and the role assignment with it
      role_assignment_roles_assignment: projectGrantNotFound,
    });
  }
}

function toRoleAssignment({ projectGrantId, ...row }: AssignmentRow): RoleAssignment {
  return {
    ...pick(row, ['id', 'userId', 'projectId', 'projectName', 'state', 'roleKeys']),
    ...(projectGrantId !== null && { projectGrantId }),
    details: detailsOf(row),
  };
}
