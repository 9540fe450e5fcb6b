// SQL by hand: a grant is read with the names of its project and its owner and with its roles, and what it takes from
// others goes with an event for each, in one statement
import { Injectable } from '@nestjs/common';
import {
  ProjectGrantsStore,
  type NewProjectGrant,
  type ProjectGrant,
  type ProjectGrantPlace,
} from '../../../domain/project-grants/project-grants.store.js';
import { projectGrantNotFound, projectNotFound } from '../../../domain/projects/project-not-found.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, ProjectGrantId, ProjectId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from '../sql.js';
import { columns, COUNTED_BY, CountedTable, detailsOf, pick, Table, type CountedRow } from '../table.js';
import { ProjectGrantEntity } from '../tables/project-grant.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';

const SHOWN = [
  'id',
  'projectId',
  'projectName',
  'orgId',
  'orgName',
  'grantedOrgId',
  'roleKeys',
] as const satisfies readonly (keyof ProjectGrant)[];

// from the rows themselves: neither another organization's project nor a removed organization is told by a conflict
const ADD = {
  name: 'project-grants-add',
  text: `
    INSERT INTO project_grants (id, org_id, project_id, granted_org_id, created_at, changed_at)
    SELECT coalesce($4, new_id()), p.org_id, p.id, o.id, now, now
    FROM projects p, organizations o, (SELECT app_now() AS now) AS moment
    WHERE p.org_id = $1 AND p.id = $2 AND o.id = $3 AND o.state <> 'removed'
    RETURNING ${columns(ProjectGrantEntity, 'project_grants', ['id', ...COUNTED_BY])}`,
};
const ADD_ROLES = {
  name: 'project-grants-add-roles',
  text: `
    INSERT INTO project_grant_roles (project_grant_id, project_id, role_key)
    SELECT g.id, g.project_id, wanted.key
    FROM project_grants g, unnest($2::text[]) AS wanted (key) WHERE g.id = $1 ORDER BY wanted.key
    ON CONFLICT DO NOTHING`,
};
const SELECT = `
  SELECT ${columns(ProjectGrantEntity, 'g', ['id', 'projectId', 'grantedOrgId', ...COUNTED_BY])}, g.created_at,
    p.name, p.name AS "projectName", o.name AS "orgName",
    ARRAY(SELECT r.role_key FROM project_grant_roles r WHERE r.project_grant_id = g.id ORDER BY r.role_key) AS "roleKeys"
  FROM project_grants g JOIN projects p ON p.id = g.project_id JOIN organizations o ON o.id = g.org_id`;
const FIND = {
  name: 'project-grants-find',
  text: `${SELECT} WHERE g.org_id = $1 AND g.project_id = $2 AND g.id = $3`,
};
const LIST = pageStatement('project-grants-list', {
  select: `${SELECT} WHERE g.org_id = $7 AND g.project_id = $8`,
});
const LIST_GRANTED = pageStatement('project-grants-list-granted', {
  select: `${SELECT} WHERE g.granted_org_id = $7 AND o.state = 'active'`,
});
// a sign-in asks
const IS_GRANTED = {
  name: 'project-grants-is-granted',
  text: `SELECT EXISTS (SELECT FROM project_grants WHERE project_id = $1 AND granted_org_id = $2) AS granted`,
};
const REMOVE_ROLES = {
  name: 'project-grants-remove-roles',
  text: `
    WITH gone AS (
      DELETE FROM project_grant_roles WHERE project_grant_id = $1 AND role_key <> ALL ($2::text[]) RETURNING role_key
    ), changed AS (
      UPDATE role_assignments u SET sequence = u.sequence + 1, changed_at = app_now()
      WHERE u.project_grant_id = $1
        AND EXISTS (SELECT FROM role_assignment_roles r JOIN gone ON gone.role_key = r.role_key WHERE r.role_assignment_id = u.id)
      RETURNING u.id, u.org_id, u.user_id, u.sequence
    )
    INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
    SELECT org_id, 'user_grant', id, sequence, 'user.grant.changed', $3,
           jsonb_build_object('userId', user_id, 'reason', 'project_grant_changed')
    FROM changed ORDER BY id`,
};
const REMOVE = {
  name: 'project-grants-remove',
  text: `
    WITH gone AS (
      DELETE FROM project_grants WHERE id = $1
      RETURNING id, org_id, sequence + 1 AS sequence, created_at, app_now() AS changed_at
    ), recorded AS (
      INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
      SELECT u.org_id, 'user_grant', u.id, u.sequence + 1, 'user.grant.removed', $2,
             jsonb_build_object('userId', u.user_id, 'reason', 'project_grant_removed')
      FROM role_assignments u JOIN gone ON u.project_grant_id = gone.id ORDER BY u.id
    )
    SELECT org_id AS "orgId", sequence, created_at AS "createdAt", changed_at AS "changedAt" FROM gone`,
};

type GrantRow = Omit<ProjectGrant, 'details'> & CountedRow;

@Injectable()
export class PgProjectGrantsStore extends ProjectGrantsStore {
  private readonly rows: CountedTable<ProjectGrantEntity>;
  private readonly projects: Table<ProjectEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ProjectGrantEntity);
    this.projects = new Table(sql, ProjectEntity);
  }

  override async add(tx: Tx, { id, orgId, projectId, grantedOrgId, roleKeys }: NewProjectGrant) {
    const values = [orgId, projectId, grantedOrgId, id ?? null];
    const taken = () => new ApiError('already-exists', 'Project grant already exists', 'V3-DKcYh');
    const added = mapUniqueViolations(this.sql.row<CountedRow & { id: ProjectGrantId }>(ADD, values, tx), {
      project_grants_pkey: taken,
      project_grants_once: taken,
    });
    const row = await mapMissingReferences(added, { project_grants_project: projectNotFound });
    if (row === undefined) {
      const project = await this.projects.find({ orgId, id: projectId }, tx);
      if (project === undefined) throw projectNotFound();
      throw new ApiError('not-found', 'The organisation of grantedOrgId could not be found', 'COMMAND-g4Org');
    }
    await this.addRoles(tx, row.id, roleKeys);
    return { id: row.id, details: detailsOf(row) };
  }

  override async find({ orgId, projectId, id }: ProjectGrantPlace): Promise<ProjectGrant | undefined> {
    const row = await this.sql.row<GrantRow>(FIND, [orgId, projectId, id]);
    return row && toProjectGrant(row);
  }

  override async list(orgId: OrgId, projectId: ProjectId, query: PageQuery): Promise<Page<ProjectGrant>> {
    const rows = await this.sql.rows<PageRow<GrantRow>>(LIST, [...pageValues(query), orgId, projectId]);
    return pageOf(rows, toProjectGrant);
  }

  override async listGranted(orgId: OrgId, query: PageQuery): Promise<Page<ProjectGrant>> {
    const rows = await this.sql.rows<PageRow<GrantRow>>(LIST_GRANTED, [...pageValues(query), orgId]);
    return pageOf(rows, toProjectGrant);
  }

  override async isGranted(tx: Tx | undefined, projectId: ProjectId, grantedOrgId: OrgId): Promise<boolean> {
    const row = await this.sql.row<{ granted: boolean }>(IS_GRANTED, [projectId, grantedOrgId], tx);
    return row?.granted === true;
  }

  override async replaceRoles(
    tx: Tx,
    place: ProjectGrantPlace,
    roleKeys: readonly string[],
    actorId: UserId,
  ): Promise<ResourceDetails | undefined> {
    if (!(await this.lockForUpdate(tx, place))) return undefined;
    const details = await this.rows.changeOne(tx, { id: place.id }, {});
    await this.sql.change(REMOVE_ROLES, [place.id, roleKeys, actorId], tx);
    await this.addRoles(tx, place.id, roleKeys);
    return details;
  }

  override async remove(
    tx: Tx,
    place: ProjectGrantPlace,
    actorId: UserId,
  ): Promise<ResourceDetails | undefined> {
    if (!(await this.lockForUpdate(tx, place))) return undefined;
    const row = await this.sql.row<CountedRow>(REMOVE, [place.id, actorId], tx);
    return row && detailsOf(row);
  }

  /** Whoever gives roles by this grant holds its row until they are written: afterwards all of them are seen. */
  private async lockForUpdate(tx: Tx, { orgId, projectId, id }: ProjectGrantPlace): Promise<boolean> {
    return (await this.rows.find({ orgId, projectId, id }, tx, 'exclusive')) !== undefined;
  }

  private async addRoles(tx: Tx, id: ProjectGrantId, roleKeys: readonly string[]): Promise<void> {
    await mapMissingReferences(this.sql.change(ADD_ROLES, [id, roleKeys], tx), {
      project_grant_roles_role: () =>
        new ApiError('invalid-argument', 'roleKeys names a role that the project does not have'),
      project_grant_roles_grant: projectGrantNotFound,
    });
  }
}

function toProjectGrant(row: GrantRow): ProjectGrant {
  return { ...pick(row, SHOWN), details: detailsOf(row) };
}
