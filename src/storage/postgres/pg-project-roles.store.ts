import { Injectable } from '@nestjs/common';
import { projectNotFound } from '../../domain/projects/project-not-found.js';
import {
  ProjectRolesStore,
  type ProjectRole,
  type ProjectRolePlace,
  type StoredProjectRole,
} from '../../domain/projects/project-roles.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from './page-statement.js';
import { requireOwnedCapacity } from './require-owned-capacity.js';
import { detailsOf, type ResourceRow } from './resource-row.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from './sql.js';

// from the project's own row: a key of another organization's project must not be told by a conflict
const ADD = {
  name: 'project-roles-add',
  text: `
    INSERT INTO project_roles (org_id, project_id, key, display_name, role_group, created_at, changed_at)
    SELECT p.org_id, p.id, $3, $4, $5, now, now FROM projects p, (SELECT app_now() AS now) AS moment
    WHERE p.org_id = $1 AND p.id = $2
    RETURNING org_id, sequence, created_at, changed_at`,
};

const LIST = pageStatement('project-roles-list', {
  select: `SELECT key AS id, key, key AS name, display_name, role_group, org_id, sequence, created_at, changed_at
    FROM project_roles WHERE org_id = $7 AND project_id = $8`,
});

const REPLACE = {
  name: 'project-roles-replace',
  text: `
    UPDATE project_roles SET display_name = $4, role_group = $5, sequence = sequence + 1, changed_at = app_now()
    WHERE org_id = $1 AND project_id = $2 AND key = $3 RETURNING org_id, sequence, created_at, changed_at`,
};

const REMOVE = {
  name: 'project-roles-remove',
  text: `
    DELETE FROM project_roles WHERE org_id = $1 AND project_id = $2 AND key = $3
    RETURNING org_id, sequence + 1 AS sequence, created_at, app_now() AS changed_at`,
};

type RoleRow = ResourceRow & { key: string; display_name: string; role_group: string };

@Injectable()
export class PgProjectRolesStore extends ProjectRolesStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(tx: Tx, place: ProjectRolePlace, role: ProjectRole): Promise<ResourceDetails> {
    await requireOwnedCapacity(this.sql, tx, 'project_roles', place.orgId, place.projectId);
    const added = mapUniqueViolations(this.sql.row<ResourceRow>(ADD, valuesOf(place, role), tx), {
      project_roles_pkey: () => new ApiError('already-exists', 'Project role already exists', 'V3-DKcYh'),
    });
    const row = await mapMissingReferences(added, { project_roles_project: projectNotFound });
    if (row === undefined) throw projectNotFound();
    return detailsOf(row);
  }

  override async list(
    { orgId, projectId }: ProjectRolePlace,
    query: PageQuery,
  ): Promise<Page<StoredProjectRole>> {
    const rows = await this.sql.rows<PageRow<RoleRow>>(LIST, [...pageValues(query), orgId, projectId]);
    return pageOf(rows, (row) => ({
      key: row.key,
      displayName: row.display_name,
      group: row.role_group,
      details: detailsOf(row),
    }));
  }

  override async replace(
    tx: Tx,
    place: ProjectRolePlace,
    role: ProjectRole,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REPLACE, valuesOf(place, role), tx);
    return row && detailsOf(row);
  }

  override async remove(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    key: string,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REMOVE, [orgId, projectId, key], tx);
    return row && detailsOf(row);
  }
}

function valuesOf({ orgId, projectId }: ProjectRolePlace, role: ProjectRole): unknown[] {
  return [orgId, projectId, role.key, role.displayName, role.group];
}
