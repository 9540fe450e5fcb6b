// SQL by hand: resource indicators of authorization and token requests are resolved to projects by one statement
import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { projectNotFound } from '../../../domain/projects/project-not-found.js';
import {
  ProjectsStore,
  type ActivityState,
  type NewProject,
  type Project,
  type ProjectRole,
  type ProjectRolePlace,
  type ProjectSettings,
  type Resource,
  type StoredProjectRole,
} from '../../../domain/projects/projects.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, ProjectId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { is } from '../page-statement.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from '../sql.js';
import { CountedTable, detailsOf, PagedTable, pick, raised, SET_ANEW, Table } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { ProjectRoleEntity } from '../tables/project-role.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';

const SETTINGS = [
  'name',
  'projectRoleAssertion',
  'projectRoleCheck',
  'hasProjectCheck',
  'privateLabelingSetting',
  'resourceUri',
  'openResource',
] as const satisfies readonly (keyof ProjectSettings)[];

const RESOURCE = 'p.id, p.name, p.resource_uri AS uri, p.open_resource AS "isOpen"';
const RESOURCES = `projects p JOIN organizations o ON o.id = p.org_id`;

/**
 * Projects of several organizations may have the same resource URI, and an organization can grant its project to another without being
 * asked. So the requesting organization's own project comes first, then one whose owner has verified the domain of the URI, then the
 * one granted first. An inactive project, or one of an inactive organization, keeps its place: the URI then resolves to nothing.
 */
const FIND_RESOURCES = {
  name: 'projects-find-resources',
  text: `
    SELECT id, name, uri, "isOpen" FROM (
    SELECT DISTINCT ON (p.resource_uri) ${RESOURCE}, p.state, o.state AS org_state
    FROM ${RESOURCES}
    LEFT JOIN project_grants pg ON pg.project_id = p.id AND pg.granted_org_id = $2 AND pg.state = 'active'
    CROSS JOIN LATERAL (
      SELECT lower(substring(p.resource_uri FROM '^[A-Za-z][A-Za-z0-9+.-]*://([^/:?]+)')) AS host
    ) named
    WHERE p.resource_uri = ANY ($1::text[]) AND o.state <> 'removed' AND (p.org_id = $2 OR pg.id IS NOT NULL)
    ORDER BY p.resource_uri, p.org_id <> $2,
      NOT EXISTS (
        SELECT FROM organization_domains d
        WHERE d.org_id = p.org_id AND d.is_verified
          AND (named.host = d.domain OR right(named.host, length(d.domain) + 1) = '.' || d.domain)
      ),
      pg.created_at, p.id
    ) meant WHERE state = 'active' AND org_state = 'active'`,
};

const FIND_OPEN_RESOURCES = {
  name: 'projects-find-open-resources',
  text: `
    SELECT ${RESOURCE} FROM ${RESOURCES}
    WHERE o.state = 'active' AND p.id = ANY ($1::text[]) AND p.state = 'active' AND p.open_resource AND p.resource_uri IS NOT NULL`,
};

const NAME_TAKEN = {
  projects_pkey: () => new ApiError('already-exists', 'Project already exists', 'V3-DKcYh'),
  projects_resource_uri: () =>
    new ApiError('already-exists', 'Another project of the organisation has this resourceUri', 'V3-DKcYh'),
  projects_name_in_org: () =>
    new ApiError('already-exists', 'Project already exists on organisation', 'V3-DKcYh'),
};

@Injectable()
export class PgProjectsStore extends ProjectsStore {
  private readonly rows: CountedTable<ProjectEntity>;
  private readonly pages: PagedTable<ProjectEntity>;
  private readonly roles: CountedTable<ProjectRoleEntity>;
  private readonly rolePages: PagedTable<ProjectRoleEntity>;
  private readonly applications: Table<ApplicationEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ProjectEntity);
    this.pages = new PagedTable(sql, 'projects-list', ProjectEntity, ['orgId'], {
      filters: { state: is('state') },
    });
    this.roles = new CountedTable(sql, ProjectRoleEntity);
    this.rolePages = new PagedTable(sql, 'project-roles-list', ProjectRoleEntity, ['orgId', 'projectId'], {
      listedBy: 'key',
    });
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

  override async find(orgId: OrgId, id: ProjectId, tx?: Tx): Promise<Project | undefined> {
    const row = await this.rows.find({ orgId, id }, tx);
    return row && projectOf(row);
  }

  override async lock(tx: Tx, orgId: OrgId, id: ProjectId): Promise<Project | undefined> {
    const row = await this.rows.find({ orgId, id }, tx, 'lock');
    return row && projectOf(row);
  }

  override async findResources(orgId: OrgId, uris: readonly string[]): Promise<readonly Resource[]> {
    const values = [uris, orgId];
    return await this.sql.rows<{ [Field in keyof Resource]: Resource[Field] }>(FIND_RESOURCES, values);
  }

  override async findOpenResources(ids: readonly string[]): Promise<readonly Resource[]> {
    return await this.sql.rows<{ [Field in keyof Resource]: Resource[Field] }>(FIND_OPEN_RESOURCES, [ids]);
  }

  override async listNames(ids: readonly string[]): Promise<readonly string[]> {
    const rows = await this.rows.list({ id: In(ids as ProjectId[]) }, { name: 'ASC' });
    return rows.map(({ name }) => name);
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

  override async addRole(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    role: ProjectRole,
  ): Promise<ResourceDetails> {
    await requireOwnedCapacity(this.sql, tx, 'project_roles', orgId, projectId);
    // first: a conflict must not reveal a key of another organization's project
    const project = await this.rows.find({ orgId, id: projectId }, tx);
    if (project === undefined) throw projectNotFound();
    const values = {
      orgId,
      projectId,
      sequence: () => SET_ANEW,
      ...pick(role, ['key', 'displayName', 'group']),
    };
    const added = mapUniqueViolations(this.roles.add(tx, values), {
      project_roles_pkey: () => new ApiError('already-exists', 'Project role already exists', 'V3-DKcYh'),
    });
    return detailsOf(await mapMissingReferences(added, { project_roles_project: projectNotFound }));
  }

  override async listRoles(
    { orgId, projectId }: ProjectRolePlace,
    query: PageQuery,
  ): Promise<Page<StoredProjectRole>> {
    return await this.rolePages.list(query, { orgId, projectId }, (row) => ({
      ...pick(row, ['key', 'displayName', 'group']),
      details: detailsOf(row),
    }));
  }

  override async lockRole(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    key: string,
  ): Promise<ProjectRole | undefined> {
    const row = await this.roles.find({ orgId, projectId, key }, tx, 'lock');
    return row && pick(row, ['key', 'displayName', 'group']);
  }

  override async replaceRole(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    { key, displayName, group }: ProjectRole,
  ): Promise<ResourceDetails | undefined> {
    return await this.roles.changeOne(tx, { orgId, projectId, key }, { displayName, group });
  }

  override async removeRole(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    key: string,
  ): Promise<ResourceDetails | undefined> {
    return await this.roles.removeOne(tx, { orgId, projectId, key });
  }
}

function projectOf(row: ProjectEntity): Project {
  const { resourceUri, ...settings } = pick(row, ['id', 'state', ...SETTINGS]);
  return { ...settings, ...(resourceUri !== null && { resourceUri }), details: detailsOf(row) };
}
