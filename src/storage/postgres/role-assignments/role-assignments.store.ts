// SQL by hand: an assignment is read with the name of its project and its roles, and made from the rows that it rests on
import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { projectGrantNotFound, projectNotFound } from '../../../domain/projects/project-not-found.js';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import {
  RoleAssignmentsStore,
  type NewRoleAssignment,
  type RoleAssignment,
  type RoleAssignmentPlace,
} from '../../../domain/role-assignments/role-assignments.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, ProjectId, RoleAssignmentId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { userNotFound } from '../../../domain/users/find-user.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from '../sql.js';
import {
  columns,
  COUNTED,
  COUNTED_BY,
  CountedTable,
  detailsOf,
  pick,
  Table,
  type CountedRow,
} from '../table.js';
import { ProjectGrantEntity } from '../tables/project-grant.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';
import { RoleAssignmentEntity, RoleAssignmentRoleEntity } from '../tables/role-assignment.entity.js';

// from the user's and the project's own rows: a grant of another organization must not be told by a conflict
const ADD = {
  name: 'role-assignments-add',
  text: `
    INSERT INTO role_assignments (org_id, user_id, project_id, project_org_id, created_at, changed_at)
    SELECT u.org_id, u.id, p.id, p.org_id, now, now FROM users u, projects p, (SELECT app_now() AS now) AS moment
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted' AND p.org_id = $1 AND p.id = $3
    RETURNING ${columns(RoleAssignmentEntity, 'role_assignments', ['id', ...COUNTED_BY])}`,
};
// of another organization's project: nothing but the grant tells that it is there
const ADD_BY_PROJECT_GRANT = {
  name: 'role-assignments-add-by-project-grant',
  text: `
    INSERT INTO role_assignments (org_id, user_id, project_id, project_org_id, project_grant_id, rests_on, created_at, changed_at)
    SELECT u.org_id, u.id, pg.project_id, pg.org_id, pg.id, pg.id, now, now
    FROM users u, project_grants pg, (SELECT app_now() AS now) AS moment
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted'
      AND pg.granted_org_id = $1 AND pg.project_id = $3 AND pg.id = $4
    RETURNING ${columns(RoleAssignmentEntity, 'role_assignments', ['id', ...COUNTED_BY])}`,
};
// before the row of the user: whoever narrows the project grant locks in this order
const LOCK_PROJECT_GRANT = {
  name: 'role-assignments-lock-project-grant',
  text: `
    SELECT id FROM project_grants
    WHERE id = (SELECT project_grant_id FROM role_assignments WHERE org_id = $1 AND user_id = $2 AND id = $3) FOR KEY SHARE`,
};
const SELECT = `
  SELECT ${columns(RoleAssignmentEntity, 'g', ['id', 'userId', 'projectId', 'projectGrantId', 'state', ...COUNTED_BY])},
    g.created_at, p.name, p.name AS "projectName",
    ARRAY(SELECT r.role_key FROM role_assignment_roles r WHERE r.role_assignment_id = g.id ORDER BY r.role_key) AS "roleKeys"
  FROM role_assignments g JOIN projects p ON p.id = g.project_id`;
const FIND = {
  name: 'role-assignments-find',
  text: `${SELECT} WHERE g.org_id = $1 AND g.user_id = $2 AND g.id = $3`,
};
const LIST = pageStatement('role-assignments-list', {
  select: `${SELECT} WHERE g.org_id = $7 AND g.user_id = $8`,
});
// a sign-in asks
const HOLDS_ROLE = {
  name: 'role-assignments-holds-role',
  text: `
    SELECT EXISTS (SELECT FROM role_assignments g JOIN role_assignment_roles r ON r.role_assignment_id = g.id
                   WHERE g.user_id = $1 AND g.project_id = $2 AND g.state = 'active') AS holds`,
};

type GrantRow = Omit<RoleAssignment, 'details' | 'projectGrantId'> &
  Pick<RoleAssignmentEntity, 'projectGrantId'> &
  CountedRow;

@Injectable()
export class PgRoleAssignmentsStore extends RoleAssignmentsStore {
  private readonly rows: CountedTable<RoleAssignmentEntity>;
  private readonly roles: Table<RoleAssignmentRoleEntity>;
  private readonly projects: Table<ProjectEntity>;
  private readonly projectGrants: Table<ProjectGrantEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, RoleAssignmentEntity);
    this.roles = new Table(sql, RoleAssignmentRoleEntity);
    this.projects = new Table(sql, ProjectEntity);
    this.projectGrants = new Table(sql, ProjectGrantEntity);
  }

  override async add(tx: Tx, { orgId, userId, projectId, projectGrantId, roleKeys }: NewRoleAssignment) {
    const values = [orgId, userId, projectId, ...(projectGrantId === undefined ? [] : [projectGrantId])];
    const statement = projectGrantId === undefined ? ADD : ADD_BY_PROJECT_GRANT;
    const added = mapUniqueViolations(
      this.sql.row<CountedRow & { id: RoleAssignmentId }>(statement, values, tx),
      {
        role_assignments_once: () => new ApiError('already-exists', 'User grant already exists', 'V3-DKcYh'),
      },
    );
    const row = await mapMissingReferences(added, {
      role_assignments_user: userNotFound,
      role_assignments_project: projectNotFound,
      role_assignments_project_grant: projectGrantNotFound,
    });
    if (row === undefined) {
      const found =
        projectGrantId === undefined
          ? await this.projects.find({ orgId, id: projectId }, tx)
          : await this.projectGrants.find({ grantedOrgId: orgId, projectId, id: projectGrantId }, tx);
      if (found !== undefined) throw userNotFound();
      throw projectGrantId === undefined ? projectNotFound() : projectGrantNotFound();
    }
    await this.addRoles(tx, { id: row.id, projectId, projectGrantId: projectGrantId ?? null }, roleKeys);
    return { id: row.id, details: detailsOf(row) };
  }

  override async find({ orgId, userId, id }: RoleAssignmentPlace): Promise<RoleAssignment | undefined> {
    const row = await this.sql.row<GrantRow>(FIND, [orgId, userId, id]);
    return row && toRoleAssignment(row);
  }

  override async list(orgId: OrgId, userId: UserId, query: PageQuery): Promise<Page<RoleAssignment>> {
    const rows = await this.sql.rows<PageRow<GrantRow>>(LIST, [...pageValues(query), orgId, userId]);
    return pageOf(rows, toRoleAssignment);
  }

  override async replaceRoles(
    tx: Tx,
    { orgId, userId, id }: RoleAssignmentPlace,
    roleKeys: readonly string[],
  ): Promise<ResourceDetails | undefined> {
    await this.sql.row(LOCK_PROJECT_GRANT, [orgId, userId, id], tx);
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
    return (await this.sql.row<{ holds: boolean }>(HOLDS_ROLE, [userId, projectId], tx))?.holds === true;
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
      // the project grant, and with it the user grant, has just been removed
      role_assignment_roles_assignment: projectGrantNotFound,
    });
  }
}

function toRoleAssignment({ projectGrantId, ...row }: GrantRow): RoleAssignment {
  return {
    ...pick(row, ['id', 'userId', 'projectId', 'projectName', 'state', 'roleKeys']),
    ...(projectGrantId !== null && { projectGrantId }),
    details: detailsOf(row),
  };
}
