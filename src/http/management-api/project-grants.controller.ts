import { Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ManageProjectGrants } from '../../domain/project-grants/manage-project-grants.js';
import {
  ProjectGrantsStore,
  type ProjectGrant,
  type ProjectGrantPlace,
} from '../../domain/project-grants/project-grants.store.js';
import { projectGrantNotFound, projectNotFound } from '../../domain/projects/project-not-found.js';
import type { OrgId, ProjectGrantId, ProjectId } from '../../domain/shared/ids.js';
import {
  changedSchema,
  createdDetailsSchema,
  idSchema,
  listSchema,
  readDetailsSchema,
} from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import {
  changedDetails,
  createdDetails,
  readDetails,
  type DetailsResponse,
} from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, readNamedSearch, type ListResponse } from '../shared/lists.js';
import { pageParameters, readPageParameters } from '../shared/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readNewProjectGrant, readProjectGrant } from '../shared/role-bodies.js';

const PROJECT_ID = new PathId(projectNotFound);
const GRANT_ID = new PathId(projectGrantNotFound);

const grantSchema = z.strictObject({
  grantId: idSchema,
  details: readDetailsSchema,
  projectId: idSchema,
  projectName: z.string(),
  projectOwnerId: idSchema,
  projectOwnerName: z.string(),
  grantedOrgId: idSchema,
  grantedRoleKeys: z.array(z.string()).optional(),
});

export type ProjectGrantResponse = z.output<typeof grantSchema>;

/** Projects of the organization that others may use. */
@ApiController('management/v1/projects/:projectId/grants')
export class ProjectGrantsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly manage: ManageProjectGrants,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('project.write')
  @Documented({
    summary: 'Grant a project to another organization',
    description:
      'Its applications and service users may have the project in their audience, and it may give its own users the ' +
      'roles of `roleKeys`.',
    body: readNewProjectGrant,
    answer: z.strictObject({ grantId: idSchema, details: createdDetailsSchema }),
  })
  async add(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<{ grantId: string; details: DetailsResponse }> {
    const wanted = readNewProjectGrant(call.body);
    const grant = {
      orgId: call.orgId,
      projectId: projectId as ProjectId,
      grantedOrgId: wanted.grantedOrgId as OrgId,
      roleKeys: wanted.roleKeys,
    };
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { id, details } = await this.manage.add(tx, grant, call.caller);
      return { grantId: id, details: createdDetails(details) };
    });
  }

  @Get()
  @RequiresPermission('project.read')
  @Documented({
    summary: 'List the grants of a project',
    query: pageParameters,
    answer: listSchema(grantSchema),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Query() query: unknown,
  ): Promise<ListResponse<ProjectGrantResponse>> {
    const page = readPageParameters(query);
    return listResponse(await this.manage.list(orgId, projectId as ProjectId, page), grantResponse);
  }

  @Get(':grantId')
  @RequiresPermission('project.read')
  @Documented({ summary: 'Get a project grant', answer: z.strictObject({ projectGrant: grantSchema }) })
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('grantId', GRANT_ID) grantId: string,
  ): Promise<{ projectGrant: ProjectGrantResponse }> {
    return { projectGrant: grantResponse(await this.manage.find(placeOf(orgId, projectId, grantId))) };
  }

  @Put(':grantId')
  @RequiresPermission('project.write')
  @Documented({
    summary: 'Replace the roles of a project grant',
    description: 'Users of the other organization lose at once what is not in `roleKeys` any more.',
    body: readProjectGrant,
    answer: changedSchema,
  })
  async replaceRoles(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('grantId', GRANT_ID) grantId: string,
  ): Promise<{ details: DetailsResponse }> {
    const wanted = readProjectGrant(call.body).roleKeys;
    const place = placeOf(call.orgId, projectId, grantId);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.replaceRoles(tx, place, wanted, call.caller)),
    }));
  }

  @Delete(':grantId')
  @RequiresPermission('project.write')
  @Documented({
    summary: 'Take a project grant away',
    description:
      'Tokens of the other organization that are for the project, and the roles it gave, end at once.',
    answer: changedSchema,
  })
  async remove(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('grantId', GRANT_ID) grantId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const place = placeOf(call.orgId, projectId, grantId);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.remove(tx, place, call.caller)),
    }));
  }
}

/** Projects of others that the organization may use. */
@ApiController('management/v1/granted_projects')
export class GrantedProjectsController {
  constructor(private readonly grants: ProjectGrantsStore) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('project.read')
  @Documented({
    summary: 'Search the projects that other organizations granted',
    body: readNamedSearch,
    answer: listSchema(grantSchema),
  })
  async list(@Call() { orgId, body }: ApiCall): Promise<ListResponse<ProjectGrantResponse>> {
    const query = pageQuery(readNamedSearch(body ?? {}));
    return listResponse(await this.grants.listGranted(orgId, query), grantResponse);
  }
}

function placeOf(orgId: OrgId, projectId: string, grantId: string): ProjectGrantPlace {
  return { orgId, projectId: projectId as ProjectId, id: grantId as ProjectGrantId };
}

function grantResponse(grant: ProjectGrant): ProjectGrantResponse {
  return {
    grantId: grant.id,
    details: readDetails(grant.details),
    projectId: grant.projectId,
    projectName: grant.projectName,
    projectOwnerId: grant.orgId,
    projectOwnerName: grant.orgName,
    grantedOrgId: grant.grantedOrgId,
    ...(grant.roleKeys.length > 0 && { grantedRoleKeys: [...grant.roleKeys] }),
  };
}
