import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import {
  ManageRoleAssignments,
  roleAssignmentNotFound,
} from '../../domain/role-assignments/manage-role-assignments.js';
import {
  RoleAssignmentsStore,
  type RoleAssignment,
} from '../../domain/role-assignments/role-assignments.store.js';
import type { OrgId, ProjectGrantId, ProjectId, RoleAssignmentId, UserId } from '../../domain/shared/ids.js';
import { FindUser, userNotFound } from '../../domain/users/find-user.js';
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
import { listResponse, pageQuery, readSearch, type ListResponse } from '../shared/lists.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readNewRoleAssignment, readRoleAssignment } from '../shared/role-bodies.js';

const USER_ID = new PathId(userNotFound);
const GRANT_ID = new PathId(roleAssignmentNotFound);

export interface RoleAssignmentResponse {
  readonly id: string;
  readonly details: DetailsResponse;
  readonly userId: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly projectGrantId?: string;
  readonly roleKeys?: readonly string[];
  readonly state: string;
}

const grantSchema = z.strictObject({
  id: idSchema,
  details: readDetailsSchema,
  userId: idSchema,
  projectId: idSchema,
  projectName: z.string(),
  projectGrantId: idSchema.optional(),
  roleKeys: z.array(z.string()).optional(),
  state: z.enum(['USER_GRANT_STATE_ACTIVE', 'USER_GRANT_STATE_INACTIVE']),
});

/** Roles of projects that a user of the organization holds. */
@ApiController('management/v1/users/:userId/grants')
export class UserGrantsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly grants: RoleAssignmentsStore,
    private readonly users: FindUser,
    private readonly manage: ManageRoleAssignments,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('user.grant.write')
  @Documented({
    summary: 'Give a user roles of a project',
    description:
      "Of another organization's project only those that it granted, by `projectGrantId` (see granted projects).",
    body: readNewRoleAssignment,
    answer: z.strictObject({ userGrantId: idSchema, details: createdDetailsSchema }),
  })
  async add(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
  ): Promise<{ userGrantId: string; details: DetailsResponse }> {
    const { projectId, projectGrantId, ...roles } = readNewRoleAssignment(call.body);
    const grant = {
      orgId: call.orgId,
      userId: userId as UserId,
      projectId: projectId as ProjectId,
      projectGrantId: projectGrantId as ProjectGrantId | undefined,
      ...roles,
    };
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { id, details } = await this.manage.add(tx, grant, call.caller);
      return { userGrantId: id, details: createdDetails(details) };
    });
  }

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('user.grant.read')
  @Documented({
    summary: 'Search the role grants of a user',
    body: readSearch,
    answer: listSchema(grantSchema),
  })
  async list(
    @Call() { orgId, body }: ApiCall,
    @Param('userId', USER_ID) userId: string,
  ): Promise<ListResponse<RoleAssignmentResponse>> {
    const query = pageQuery(readSearch(body ?? {}));
    await this.users.find(orgId, userId as UserId);
    return listResponse(await this.grants.list(orgId, userId as UserId, query), grantResponse);
  }

  @Get(':grantId')
  @RequiresPermission('user.grant.read')
  @Documented({ summary: 'Get a role grant', answer: z.strictObject({ userGrant: grantSchema }) })
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('userId', USER_ID) userId: string,
    @Param('grantId', GRANT_ID) grantId: string,
  ): Promise<{ userGrant: RoleAssignmentResponse }> {
    const found = await this.grants.find(placeOf(orgId, userId, grantId));
    if (found === undefined) throw roleAssignmentNotFound();
    return { userGrant: grantResponse(found) };
  }

  @Put(':grantId')
  @RequiresPermission('user.grant.write')
  @Documented({ summary: 'Replace the roles of a grant', body: readRoleAssignment, answer: changedSchema })
  async replaceRoles(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
    @Param('grantId', GRANT_ID) grantId: string,
  ): Promise<{ details: DetailsResponse }> {
    const wanted = readRoleAssignment(call.body).roleKeys;
    const place = placeOf(call.orgId, userId, grantId);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.replaceRoles(tx, place, wanted, call.caller)),
    }));
  }

  @Post(':grantId/_deactivate')
  @HttpCode(200)
  @RequiresPermission('user.grant.write')
  @Documented({
    summary: 'Put a role grant to rest',
    description: 'The user does not hold its roles meanwhile.',
    answer: changedSchema,
  })
  async deactivate(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
    @Param('grantId', GRANT_ID) grantId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('deactivate', call, userId, grantId);
  }

  @Post(':grantId/_reactivate')
  @HttpCode(200)
  @RequiresPermission('user.grant.write')
  @Documented({ summary: 'Wake a role grant', answer: changedSchema })
  async reactivate(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
    @Param('grantId', GRANT_ID) grantId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('reactivate', call, userId, grantId);
  }

  @Delete(':grantId')
  @RequiresPermission('user.grant.write')
  @Documented({ summary: 'Take a role grant away', answer: changedSchema })
  async remove(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
    @Param('grantId', GRANT_ID) grantId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('remove', call, userId, grantId);
  }

  private async change(
    change: 'deactivate' | 'reactivate' | 'remove',
    call: ApiCall,
    userId: string,
    grantId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const place = placeOf(call.orgId, userId, grantId);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage[change](tx, place, call.caller)),
    }));
  }
}

function placeOf(orgId: OrgId, userId: string, grantId: string) {
  return { orgId, userId: userId as UserId, id: grantId as RoleAssignmentId };
}

function grantResponse(grant: RoleAssignment): RoleAssignmentResponse {
  return {
    id: grant.id,
    details: readDetails(grant.details),
    userId: grant.userId,
    projectId: grant.projectId,
    projectName: grant.projectName,
    ...(grant.projectGrantId !== undefined && { projectGrantId: grant.projectGrantId }),
    ...(grant.roleKeys.length > 0 && { roleKeys: grant.roleKeys }),
    state: grant.state === 'active' ? 'USER_GRANT_STATE_ACTIVE' : 'USER_GRANT_STATE_INACTIVE',
  };
}
