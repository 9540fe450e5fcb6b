import { Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { projectNotFound } from '../../domain/projects/project-not-found.js';
import { ProjectRoles, roleNotFound } from '../../domain/projects/project-roles.js';
import type { ProjectRolePlace, StoredProjectRole } from '../../domain/projects/project-roles.store.js';
import type { ProjectId } from '../../domain/shared/ids.js';
import {
  changedSchema,
  createdDetailsSchema,
  listSchema,
  readDetailsSchema,
} from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import {
  changedDetails,
  createdDetails,
  readDetails,
  type DetailsResponse,
} from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, readNamedSearch, type ListResponse } from '../shared/lists.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readNewRole, readRole } from '../shared/role-bodies.js';

const PROJECT_ID = new PathId(projectNotFound);
const ROLE_KEY = new PathId(roleNotFound);

export interface ProjectRoleResponse {
  readonly key: string;
  readonly details: DetailsResponse;
  readonly displayName: string;
  readonly group?: string;
}

const roleSchema = z.strictObject({
  key: z.string(),
  details: readDetailsSchema,
  displayName: z.string(),
  group: z.string().optional(),
});

/** Roles that the applications of a project know. */
@ApiController('management/v1/projects/:projectId/roles')
export class ProjectRolesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly roles: ProjectRoles,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('project.write')
  @Documented({
    summary: 'Add a role to a project',
    body: readNewRole,
    answer: z.strictObject({ details: createdDetailsSchema }),
  })
  async add(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<{ details: DetailsResponse }> {
    const { roleKey: key, displayName, group } = readNewRole(call.body);
    const role = { key, displayName, group };
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: createdDetails(await this.roles.add(tx, placeOf(call, projectId), role, call.caller)),
    }));
  }

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('project.read')
  @Documented({
    summary: 'Search the roles of a project',
    body: readNamedSearch,
    answer: listSchema(roleSchema),
  })
  async list(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<ListResponse<ProjectRoleResponse>> {
    const query = pageQuery(readNamedSearch(call.body ?? {}));
    return listResponse(await this.roles.list(placeOf(call, projectId), query), roleResponse);
  }

  @Put(':roleKey')
  @RequiresPermission('project.write')
  @Documented({ summary: 'Replace a role', body: readRole, answer: changedSchema })
  async replace(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('roleKey', ROLE_KEY) key: string,
  ): Promise<{ details: DetailsResponse }> {
    const role = { key, ...readRole(call.body) };
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.roles.replace(tx, placeOf(call, projectId), role, call.caller)),
    }));
  }

  @Delete(':roleKey')
  @RequiresPermission('project.write')
  @Documented({
    summary: 'Remove a role',
    description: 'Users who were granted it lose it at once.',
    answer: changedSchema,
  })
  async remove(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('roleKey', ROLE_KEY) key: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.roles.remove(tx, placeOf(call, projectId), key, call.caller)),
    }));
  }
}

function placeOf({ orgId }: ApiCall, projectId: string): ProjectRolePlace {
  return { orgId, projectId: projectId as ProjectId };
}

function roleResponse({ key, displayName, group, details }: StoredProjectRole): ProjectRoleResponse {
  return { key, details: readDetails(details), displayName, ...(group !== '' && { group }) };
}
