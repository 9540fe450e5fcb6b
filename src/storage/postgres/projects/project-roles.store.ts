import { Injectable } from '@nestjs/common';
import { projectNotFound } from '../../../domain/projects/project-not-found.js';
import {
  ProjectRolesStore,
  type ProjectRole,
  type ProjectRolePlace,
  type StoredProjectRole,
} from '../../../domain/projects/project-roles.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from '../sql.js';
import { CountedTable, detailsOf, PagedTable, pick, Table } from '../table.js';
import { ProjectRoleEntity } from '../tables/project-role.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';

@Injectable()
export class PgProjectRolesStore extends ProjectRolesStore {
  private readonly rows: CountedTable<ProjectRoleEntity>;
  private readonly pages: PagedTable<ProjectRoleEntity>;
  private readonly projects: Table<ProjectEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ProjectRoleEntity);
    this.pages = new PagedTable(sql, 'project-roles-list', ProjectRoleEntity, ['orgId', 'projectId'], {
      listedBy: 'key',
    });
    this.projects = new Table(sql, ProjectEntity);
  }

  override async add(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    role: ProjectRole,
  ): Promise<ResourceDetails> {
    await requireOwnedCapacity(this.sql, tx, 'project_roles', orgId, projectId);
    // first: a key of another organization's project must not be told by a conflict
    const project = await this.projects.find({ orgId, id: projectId }, tx);
    if (project === undefined) throw projectNotFound();
    const values = { orgId, projectId, ...pick(role, ['key', 'displayName', 'group']) };
    const added = mapUniqueViolations(this.rows.add(tx, values), {
      project_roles_pkey: () => new ApiError('already-exists', 'Project role already exists', 'V3-DKcYh'),
    });
    return detailsOf(await mapMissingReferences(added, { project_roles_project: projectNotFound }));
  }

  override async list(
    { orgId, projectId }: ProjectRolePlace,
    query: PageQuery,
  ): Promise<Page<StoredProjectRole>> {
    return await this.pages.list(query, { orgId, projectId }, (row) => ({
      ...pick(row, ['key', 'displayName', 'group']),
      details: detailsOf(row),
    }));
  }

  override async replace(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    { key, displayName, group }: ProjectRole,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, { orgId, projectId, key }, { displayName, group });
  }

  override async remove(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    key: string,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, { orgId, projectId, key });
  }
}
