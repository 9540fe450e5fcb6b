import { Injectable } from '@nestjs/common';
import {
  ProjectsStore,
  type ActivityState,
  type NewProject,
  type Project,
  type ProjectSettings,
} from '../../domain/projects/projects.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId, ProjectId } from '../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from './page-statement.js';
import { detailsOf, type ResourceRow } from './resource-row.js';
import { mapUniqueViolations, Sql } from './sql.js';

const ADD = {
  name: 'projects-add',
  text: `
    INSERT INTO projects (id, org_id, name, project_role_assertion, project_role_check, has_project_check,
                          private_labeling_setting, created_at, changed_at)
    SELECT coalesce($7, new_id()), $1, $2, $3::boolean, $4::boolean, $5::boolean, $6, now, now FROM (SELECT app_now() AS now) AS moment
    RETURNING id, org_id, sequence, created_at, changed_at`,
};

const FIND_ID_BY_NAME = {
  name: 'projects-find-id-by-name',
  text: `SELECT id FROM projects WHERE org_id = $1 AND name = $2`,
};

const IS_ACTIVE = {
  name: 'projects-is-active',
  text: `SELECT EXISTS (SELECT FROM projects WHERE org_id = $1 AND id = $2 AND state = 'active') AS active`,
};

const COLUMNS = `id, org_id, name, state, project_role_assertion, project_role_check, has_project_check,
  private_labeling_setting, sequence, created_at, changed_at`;

const FIND = {
  name: 'projects-find',
  text: `SELECT ${COLUMNS} FROM projects WHERE org_id = $1 AND id = $2`,
};

const LIST = pageStatement('projects-list', { select: `SELECT ${COLUMNS} FROM projects WHERE org_id = $7` });

const REPLACE = {
  name: 'projects-replace',
  text: `
    UPDATE projects SET name = $3, project_role_assertion = $4, project_role_check = $5, has_project_check = $6,
      private_labeling_setting = $7, sequence = sequence + 1, changed_at = app_now()
    WHERE org_id = $1 AND id = $2 RETURNING org_id, sequence, created_at, changed_at`,
};

const SET_STATE = {
  name: 'projects-set-state',
  text: `
    WITH changed AS (
      UPDATE projects SET state = $3, sequence = sequence + 1, changed_at = app_now()
      WHERE org_id = $1 AND id = $2 AND state <> $3 RETURNING id, org_id, sequence, created_at, changed_at
    ), ended AS (
      UPDATE applications a SET token_epoch = a.token_epoch + 1, grant_epoch = a.grant_epoch + 1
      FROM changed WHERE $3 = 'inactive' AND a.project_id = changed.id
    )
    SELECT org_id, sequence, created_at, changed_at FROM changed`,
};

// the row's lock keeps anybody from adding an application between the two statements
const LOCK = {
  name: 'projects-lock',
  text: 'SELECT id FROM projects WHERE org_id = $1 AND id = $2 FOR UPDATE',
};

const REMOVE_APPLICATIONS = {
  name: 'projects-remove-applications',
  text: 'DELETE FROM applications WHERE org_id = $1 AND project_id = $2',
};

const REMOVE = {
  name: 'projects-remove',
  text: `
    DELETE FROM projects WHERE org_id = $1 AND id = $2
    RETURNING org_id, sequence + 1 AS sequence, created_at, app_now() AS changed_at`,
};

type ProjectRow = ResourceRow & {
  id: ProjectId;
  name: string;
  state: ActivityState;
  project_role_assertion: boolean;
  project_role_check: boolean;
  has_project_check: boolean;
  private_labeling_setting: string;
};

const NAME_TAKEN = {
  projects_pkey: () => new ApiError('already-exists', 'Project already exists', 'V3-DKcYh'),
  projects_name_in_org: () =>
    new ApiError('already-exists', 'Project already exists on organisation', 'V3-DKcYh'),
};

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    projectRoleAssertion: row.project_role_assertion,
    projectRoleCheck: row.project_role_check,
    hasProjectCheck: row.has_project_check,
    privateLabelingSetting: row.private_labeling_setting,
    details: detailsOf(row),
  };
}

@Injectable()
export class PgProjectsStore extends ProjectsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(tx: Tx, project: NewProject): Promise<{ id: ProjectId; details: ResourceDetails }> {
    const values = [
      project.orgId,
      project.name,
      project.projectRoleAssertion,
      project.projectRoleCheck,
      project.hasProjectCheck,
      project.privateLabelingSetting,
      project.id ?? null,
    ];
    const row = await mapUniqueViolations(
      this.sql.row<ResourceRow & { id: ProjectId }>(ADD, values, tx),
      NAME_TAKEN,
    );
    if (row === undefined) throw new Error('no project was added');
    return { id: row.id, details: detailsOf(row) };
  }

  override async findIdByName(tx: Tx, orgId: OrgId, name: string): Promise<ProjectId | undefined> {
    return (await this.sql.row<{ id: ProjectId }>(FIND_ID_BY_NAME, [orgId, name], tx))?.id;
  }

  override async isActive(orgId: OrgId, projectId: ProjectId): Promise<boolean> {
    return (await this.sql.row<{ active: boolean }>(IS_ACTIVE, [orgId, projectId]))?.active === true;
  }

  override async find(orgId: OrgId, id: ProjectId): Promise<Project | undefined> {
    const row = await this.sql.row<ProjectRow>(FIND, [orgId, id]);
    return row && toProject(row);
  }

  override async list(orgId: OrgId, query: PageQuery): Promise<Page<Project>> {
    const rows = await this.sql.rows<PageRow<ProjectRow>>(LIST, [...pageValues(query), orgId]);
    return pageOf(rows, toProject);
  }

  override async replace(
    tx: Tx,
    orgId: OrgId,
    id: ProjectId,
    settings: ProjectSettings,
  ): Promise<ResourceDetails | undefined> {
    const values = [
      orgId,
      id,
      settings.name,
      settings.projectRoleAssertion,
      settings.projectRoleCheck,
      settings.hasProjectCheck,
      settings.privateLabelingSetting,
    ];
    const row = await mapUniqueViolations(this.sql.row<ResourceRow>(REPLACE, values, tx), NAME_TAKEN);
    return row && detailsOf(row);
  }

  override async setState(
    tx: Tx,
    orgId: OrgId,
    id: ProjectId,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(SET_STATE, [orgId, id, state], tx);
    return row && detailsOf(row);
  }

  override async remove(tx: Tx, orgId: OrgId, id: ProjectId): Promise<ResourceDetails | undefined> {
    if ((await this.sql.row(LOCK, [orgId, id], tx)) === undefined) return undefined;
    await this.sql.change(REMOVE_APPLICATIONS, [orgId, id], tx);
    const row = await this.sql.row<ResourceRow>(REMOVE, [orgId, id], tx);
    return row && detailsOf(row);
  }
}
