import { Injectable } from '@nestjs/common';
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
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from '../sql.js';

const AT_PLACE = 'org_id = $1 AND user_id = $2 AND id = $3';
const DETAILS = 'RETURNING org_id, sequence, created_at, changed_at';

// from the user's and the project's own rows: a grant of another organization must not be told by a conflict
const FIND_PROJECT = {
  name: 'user-grants-find-project',
  text: 'SELECT id FROM projects WHERE org_id = $1 AND id = $2',
};
const ADD = {
  name: 'user-grants-add',
  text: `
    INSERT INTO user_grants (org_id, user_id, project_id, project_org_id, created_at, changed_at)
    SELECT u.org_id, u.id, p.id, p.org_id, now, now FROM users u, projects p, (SELECT app_now() AS now) AS moment
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted' AND p.org_id = $1 AND p.id = $3
    RETURNING id, org_id, sequence, created_at, changed_at`,
};
// of another organization's project: nothing but the grant tells that it is there
const FIND_PROJECT_GRANT = {
  name: 'user-grants-find-project-grant',
  text: 'SELECT id FROM project_grants WHERE granted_org_id = $1 AND project_id = $2 AND id = $3',
};
const ADD_BY_PROJECT_GRANT = {
  name: 'user-grants-add-by-project-grant',
  text: `
    INSERT INTO user_grants (org_id, user_id, project_id, project_org_id, project_grant_id, rests_on, created_at, changed_at)
    SELECT u.org_id, u.id, pg.project_id, pg.org_id, pg.id, pg.id, now, now
    FROM users u, project_grants pg, (SELECT app_now() AS now) AS moment
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted'
      AND pg.granted_org_id = $1 AND pg.project_id = $3 AND pg.id = $4
    RETURNING id, org_id, sequence, created_at, changed_at`,
};
const ADD_ROLES = {
  name: 'user-grants-add-roles',
  text: `
    INSERT INTO user_grant_roles (grant_id, project_id, role_key, project_grant_id, rests_on)
    SELECT g.id, g.project_id, wanted.key, g.project_grant_id, g.rests_on
    FROM user_grants g, unnest($2::text[]) AS wanted (key) WHERE g.id = $1 ORDER BY wanted.key
    ON CONFLICT DO NOTHING`,
};
// before the row of the user: whoever narrows the project grant locks in this order
const LOCK_PROJECT_GRANT = {
  name: 'user-grants-lock-project-grant',
  text: `
    SELECT id FROM project_grants
    WHERE id = (SELECT project_grant_id FROM user_grants WHERE ${AT_PLACE}) FOR KEY SHARE`,
};
const REMOVE_ROLES = {
  name: 'user-grants-remove-roles',
  text: 'DELETE FROM user_grant_roles WHERE grant_id = $1 AND role_key <> ALL ($2::text[])',
};
const SELECT = `
  SELECT g.id, g.org_id, g.user_id, g.project_id, p.name AS project_name, g.project_grant_id, g.state, g.sequence, g.created_at,
    g.changed_at, p.name,
    ARRAY(SELECT r.role_key FROM user_grant_roles r WHERE r.grant_id = g.id ORDER BY r.role_key) AS role_keys
  FROM user_grants g JOIN projects p ON p.id = g.project_id`;
const FIND = {
  name: 'user-grants-find',
  text: `${SELECT} WHERE g.org_id = $1 AND g.user_id = $2 AND g.id = $3`,
};
const LIST = pageStatement('user-grants-list', {
  select: `${SELECT} WHERE g.org_id = $7 AND g.user_id = $8`,
});
const COUNT_CHANGE = {
  name: 'user-grants-count-change',
  text: `UPDATE user_grants SET sequence = sequence + 1, changed_at = app_now() WHERE ${AT_PLACE} ${DETAILS}`,
};
const SET_STATE = {
  name: 'user-grants-set-state',
  text: `
    UPDATE user_grants SET state = $4, sequence = sequence + 1, changed_at = app_now()
    WHERE ${AT_PLACE} AND state <> $4 ${DETAILS}`,
};
const REMOVE = {
  name: 'user-grants-remove',
  text: `
    DELETE FROM user_grants WHERE ${AT_PLACE}
    RETURNING org_id, sequence + 1 AS sequence, created_at, app_now() AS changed_at`,
};
const HOLDS_ROLE = {
  name: 'user-grants-holds-role',
  text: `
    SELECT EXISTS (SELECT FROM user_grants g JOIN user_grant_roles r ON r.grant_id = g.id
                   WHERE g.user_id = $1 AND g.project_id = $2 AND g.state = 'active') AS holds`,
};

type GrantRow = ResourceRow & {
  id: RoleAssignmentId;
  user_id: UserId;
  project_id: ProjectId;
  project_name: string;
  project_grant_id: ProjectGrantId | null;
  state: ActivityState;
  role_keys: string[];
};

@Injectable()
export class PgRoleAssignmentsStore extends RoleAssignmentsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(tx: Tx, { orgId, userId, projectId, projectGrantId, roleKeys }: NewRoleAssignment) {
    const place = [orgId, projectId, ...(projectGrantId === undefined ? [] : [projectGrantId])];
    const values = [orgId, userId, ...place.slice(1)];
    const statement = projectGrantId === undefined ? ADD : ADD_BY_PROJECT_GRANT;
    const added = mapUniqueViolations(
      this.sql.row<ResourceRow & { id: RoleAssignmentId }>(statement, values, tx),
      {
        user_grants_once: () => new ApiError('already-exists', 'User grant already exists', 'V3-DKcYh'),
      },
    );
    const row = await mapMissingReferences(added, {
      user_grants_user: userNotFound,
      user_grants_project: projectNotFound,
      user_grants_project_grant: projectGrantNotFound,
    });
    if (row === undefined) {
      const found = projectGrantId === undefined ? FIND_PROJECT : FIND_PROJECT_GRANT;
      if ((await this.sql.row(found, place, tx)) !== undefined) throw userNotFound();
      throw projectGrantId === undefined ? projectNotFound() : projectGrantNotFound();
    }
    await this.addRoles(tx, row.id, roleKeys);
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
    const row = await this.sql.row<ResourceRow>(COUNT_CHANGE, [orgId, userId, id], tx);
    if (row === undefined) return undefined;
    await this.sql.change(REMOVE_ROLES, [id, roleKeys], tx);
    await this.addRoles(tx, id, roleKeys);
    return detailsOf(row);
  }

  override async setState(
    tx: Tx,
    { orgId, userId, id }: RoleAssignmentPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(SET_STATE, [orgId, userId, id, state], tx);
    return row && detailsOf(row);
  }

  override async remove(
    tx: Tx,
    { orgId, userId, id }: RoleAssignmentPlace,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REMOVE, [orgId, userId, id], tx);
    return row && detailsOf(row);
  }

  override async holdsRole(tx: Tx | undefined, userId: UserId, projectId: ProjectId): Promise<boolean> {
    return (await this.sql.row<{ holds: boolean }>(HOLDS_ROLE, [userId, projectId], tx))?.holds === true;
  }

  private async addRoles(tx: Tx, id: RoleAssignmentId, roleKeys: readonly string[]): Promise<void> {
    await mapMissingReferences(this.sql.change(ADD_ROLES, [id, roleKeys], tx), {
      user_grant_roles_role: () =>
        new ApiError('invalid-argument', 'roleKeys names a role that the project does not have'),
      user_grant_roles_granted: () =>
        new ApiError('invalid-argument', 'roleKeys names a role that is not granted to the organisation'),
      // the project grant, and with it the user grant, has just been removed
      user_grant_roles_grant: projectGrantNotFound,
    });
  }
}

function toRoleAssignment(row: GrantRow): RoleAssignment {
  return {
    id: row.id,
    userId: row.user_id,
    projectId: row.project_id,
    projectName: row.project_name,
    ...(row.project_grant_id === null ? {} : { projectGrantId: row.project_grant_id }),
    state: row.state,
    roleKeys: row.role_keys,
    details: detailsOf(row),
  };
}
