import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import {
  ProjectsStore,
  type ActivityState,
  type NewProject,
  type Project,
  type ProjectSettings,
} from '../../../domain/projects/projects.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, ProjectId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { CountedTable, detailsOf, PagedTable, pick, raised, Table } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';

const SETTINGS = [
  'name',
  'projectRoleAssertion',
  'projectRoleCheck',
  'hasProjectCheck',
  'privateLabelingSetting',
] as const satisfies readonly (keyof ProjectSettings)[];

const NAME_TAKEN = {
  projects_pkey: () => new ApiError('already-exists', 'Project already exists', 'V3-DKcYh'),
  projects_name_in_org: () =>
    new ApiError('already-exists', 'Project already exists on organisation', 'V3-DKcYh'),
};

@Injectable()
export class PgProjectsStore extends ProjectsStore {
  private readonly rows: CountedTable<ProjectEntity>;
  private readonly pages: PagedTable<ProjectEntity>;
  private readonly applications: Table<ApplicationEntity>;

  constructor(sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ProjectEntity);
    this.pages = new PagedTable(sql, 'projects-list', ProjectEntity, ['orgId']);
    this.applications = new Table(sql, ApplicationEntity);
  }

  override async add(tx: Tx, project: NewProject): Promise<{ id: ProjectId; details: ResourceDetails }> {
    const { id, orgId } = project;
    const values = { ...(id !== undefined && { id }), orgId, ...pick(project, SETTINGS) };
    const row = await mapUniqueViolations(this.rows.add(tx, values), NAME_TAKEN);
    return { id: row.id, details: detailsOf(row) };
  }

  override async findIdByName(tx: Tx, orgId: OrgId, name: string): Promise<ProjectId | undefined> {
    return (await this.rows.find({ orgId, name }, tx))?.id;
  }

  override async isActive(orgId: OrgId, id: ProjectId): Promise<boolean> {
    return (await this.rows.find({ orgId, id, state: 'active' })) !== undefined;
  }

  override async find(orgId: OrgId, id: ProjectId): Promise<Project | undefined> {
    const row = await this.rows.find({ orgId, id });
    return row && projectOf(row);
  }

  override async list(orgId: OrgId, query: PageQuery): Promise<Page<Project>> {
    return await this.pages.list(query, { orgId }, projectOf);
  }

  override async replace(
    tx: Tx,
    orgId: OrgId,
    id: ProjectId,
    settings: ProjectSettings,
  ): Promise<ResourceDetails | undefined> {
    const changed = this.rows.changeOne(tx, { orgId, id }, pick(settings, SETTINGS));
    return await mapUniqueViolations(changed, NAME_TAKEN);
  }

  override async setState(
    tx: Tx,
    orgId: OrgId,
    id: ProjectId,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined> {
    const details = await this.rows.changeOne(tx, { orgId, id, state: Not(state) }, { state });
    if (details !== undefined && state === 'inactive') {
      await this.applications.changeAll(
        tx,
        { orgId, projectId: id },
        {
          tokenEpoch: raised(ApplicationEntity, 'tokenEpoch'),
          authorizationEpoch: raised(ApplicationEntity, 'authorizationEpoch'),
        },
      );
    }
    return details;
  }

  override async remove(tx: Tx, orgId: OrgId, id: ProjectId): Promise<ResourceDetails | undefined> {
    // nobody adds an application between the two statements
    if ((await this.rows.find({ orgId, id }, tx, 'exclusive')) === undefined) return undefined;
    await this.applications.removeAll(tx, { orgId, projectId: id });
    return await this.rows.removeOne(tx, { orgId, id });
  }
}

function projectOf(row: ProjectEntity): Project {
  return { ...pick(row, ['id', 'state', ...SETTINGS]), details: detailsOf(row) };
}
