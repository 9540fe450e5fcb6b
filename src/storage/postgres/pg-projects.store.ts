import { Injectable } from '@nestjs/common';
import { type NewProject, ProjectsStore } from '../../domain/clients/projects.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId, ProjectId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { detailsOf, type ResourceRow } from './resource-row.js';
import { mapUniqueViolations, Sql } from './sql.js';

const ADD = {
  name: 'projects-add',
  text: `
    INSERT INTO projects (org_id, name, project_role_assertion, project_role_check, has_project_check,
                          private_labeling_setting, created_at, changed_at)
    SELECT $1, $2, $3::boolean, $4::boolean, $5::boolean, $6, now, now FROM (SELECT app_now() AS now) AS moment
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
    ];
    const row = await mapUniqueViolations(this.sql.row<ResourceRow & { id: ProjectId }>(ADD, values, tx), {
      projects_name_in_org: () =>
        new ApiError('already-exists', 'Project already exists on organisation', 'V3-DKcYh'),
    });
    if (row === undefined) throw new Error('no project was added');
    return { id: row.id, details: detailsOf(row) };
  }

  override async findIdByName(tx: Tx, orgId: OrgId, name: string): Promise<ProjectId | undefined> {
    return (await this.sql.row<{ id: ProjectId }>(FIND_ID_BY_NAME, [orgId, name], tx))?.id;
  }

  override async isActive(orgId: OrgId, projectId: ProjectId): Promise<boolean> {
    return (await this.sql.row<{ active: boolean }>(IS_ACTIVE, [orgId, projectId]))?.active === true;
  }
}
