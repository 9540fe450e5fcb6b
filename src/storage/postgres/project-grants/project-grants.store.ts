// SQL by hand: taking roles from a project grant, or removing it, records an event for each role assignment that changes, in one statement
import { Injectable } from '@nestjs/common';
import { Not, type EntityManager, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import {
  ProjectGrantsStore,
  type NewProjectGrant,
  type ProjectGrant,
  type ProjectGrantPlace,
} from '../../../domain/project-grants/project-grants.store.js';
import { projectGrantNotFound, projectNotFound } from '../../../domain/projects/project-not-found.js';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, ProjectId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { insertEvents } from '../events/insert-events.js';
import { is } from '../page-statement.js';
import { PagedQuery, Query, selecting } from '../query.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from '../sql.js';
import { COUNTED_BY, CountedTable, detailsOf, pick, Table, type CountedRow } from '../table.js';
import { OrganizationEntity } from '../tables/organization.entity.js';
import { ProjectGrantEntity, ProjectGrantRoleEntity } from '../tables/project-grant.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';

const SHOWN = [
  'id',
  'projectId',
  'projectName',
  'orgId',
  'orgName',
  'grantedOrgId',
  'grantedOrgName',
  'state',
  'roleKeys',
] as const satisfies readonly (keyof ProjectGrant)[];

/** With the names of its project and of both organizations, and its roles. */
function projectGrants(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ProjectGrantEntity, 'g'), [
    'id',
    'projectId',
    'grantedOrgId',
    'state',
    ...COUNTED_BY,
  ])
    .addSelect('p.name', 'projectName')
    .addSelect('o.name', 'orgName')
    .addSelect('t.name', 'grantedOrgName')
    .addSelect(roleKeysOf, 'roleKeys')
    .innerJoin(ProjectEntity, 'p', 'p.id = g.projectId')
    .innerJoin(OrganizationEntity, 'o', 'o.id = g.orgId')
    .innerJoin(OrganizationEntity, 't', 't.id = g.grantedOrgId');
}

function roleKeysOf(query: SelectQueryBuilder<ObjectLiteral>) {
  return query
    .select(`coalesce(array_agg(r.roleKey ORDER BY r.roleKey), '{}')`)
    .from(ProjectGrantRoleEntity, 'r')
    .where('r.projectGrantId = g.id');
}

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
    ${insertEvents('actorId', 'data')}
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
      ${insertEvents('actorId', 'data')}
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
  private readonly one: Query<GrantRow, ProjectGrantPlace>;
  private readonly given: PagedQuery<GrantRow, Pick<ProjectGrantPlace, 'orgId' | 'projectId'>>;
  private readonly received: PagedQuery<GrantRow, { grantedOrgId: OrgId }>;
  private readonly roles: Table<ProjectGrantRoleEntity>;
  private readonly organizations: Table<OrganizationEntity>;
  private readonly projects: Table<ProjectEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ProjectGrantEntity);
    const given = (entities: EntityManager) =>
      projectGrants(entities).where('g.orgId = :orgId AND g.projectId = :projectId');
    this.one = new Query(sql, 'project-grants-find', (entities) => given(entities).andWhere('g.id = :id'));
    const filters = { state: is('state') };
    this.given = new PagedQuery(sql, 'project-grants-list', given, { name: 'grantedOrgName', filters });
    const received = (entities: EntityManager) =>
      projectGrants(entities).where(`g.grantedOrgId = :grantedOrgId AND o.state = 'active'`);
    this.received = new PagedQuery(sql, 'project-grants-list-granted', received, {
      name: 'projectName',
      filters,
    });
    this.roles = new Table(sql, ProjectGrantRoleEntity);
    this.organizations = new Table(sql, OrganizationEntity);
    this.projects = new Table(sql, ProjectEntity);
  }

  override async add(tx: Tx, { id, orgId, projectId, grantedOrgId, roleKeys }: NewProjectGrant) {
    // first: a conflict must reveal neither another organization's project nor a removed organization
    if (!(await this.projects.exists({ orgId, id: projectId }, tx))) throw projectNotFound();
    if (!(await this.organizations.exists({ id: grantedOrgId, state: Not('removed' as const) }, tx))) {
      throw new ApiError('not-found', 'The organisation of grantedOrgId could not be found', 'COMMAND-g4Org');
    }
    const taken = () => new ApiError('already-exists', 'Project grant already exists', 'V3-DKcYh');
    const values = { ...(id !== undefined && { id }), orgId, projectId, grantedOrgId };
    const added = mapUniqueViolations(this.rows.add(tx, values), {
      project_grants_pkey: taken,
      project_grants_once: taken,
    });
    const row = await mapMissingReferences(added, { project_grants_project: projectNotFound });
    await this.addRoles(tx, row, roleKeys);
    return { id: row.id, details: detailsOf(row) };
  }

  override async find(place: ProjectGrantPlace): Promise<ProjectGrant | undefined> {
    const row = await this.one.row(place);
    return row && toProjectGrant(row);
  }

  override async list(orgId: OrgId, projectId: ProjectId, query: PageQuery): Promise<Page<ProjectGrant>> {
    return await this.given.list(query, { orgId, projectId }, toProjectGrant);
  }

  override async listGranted(grantedOrgId: OrgId, query: PageQuery): Promise<Page<ProjectGrant>> {
    return await this.received.list(query, { grantedOrgId }, toProjectGrant);
  }

  override async isGranted(tx: Tx | undefined, projectId: ProjectId, grantedOrgId: OrgId): Promise<boolean> {
    return await this.rows.exists({ projectId, grantedOrgId, state: 'active' }, tx);
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
    await this.addRoles(tx, place, roleKeys);
    return details;
  }

  override async setState(
    tx: Tx,
    { orgId, projectId, id }: ProjectGrantPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, { orgId, projectId, id, state: Not(state) }, { state });
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

  /** A transaction that assigns roles by this grant locks its row until it ends: after this lock, all of them are visible. */
  private async lockForUpdate(tx: Tx, { orgId, projectId, id }: ProjectGrantPlace): Promise<boolean> {
    return (await this.rows.find({ orgId, projectId, id }, tx, 'exclusive')) !== undefined;
  }

  private async addRoles(
    tx: Tx,
    { projectId, id: projectGrantId }: Pick<ProjectGrantPlace, 'projectId' | 'id'>,
    roleKeys: readonly string[],
  ): Promise<void> {
    const rows = roleKeys.toSorted().map((roleKey) => ({ projectGrantId, projectId, roleKey }));
    await mapMissingReferences(this.roles.addMissing(tx, rows), {
      project_grant_roles_role: () =>
        new ApiError('invalid-argument', 'roleKeys names a role that the project does not have'),
      project_grant_roles_grant: projectGrantNotFound,
    });
  }
}

function toProjectGrant(row: GrantRow): ProjectGrant {
  return { ...pick(row, SHOWN), details: detailsOf(row) };
}
