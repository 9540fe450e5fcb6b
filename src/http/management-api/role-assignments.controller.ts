import { Body, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { projectNotFound } from '../../domain/projects/project-not-found.js';
import {
  ManageRoleAssignments,
  roleAssignmentNotFound,
} from '../../domain/role-assignments/manage-role-assignments.js';
import { RoleAssignmentsStore } from '../../domain/role-assignments/role-assignments.store.js';
import type { OrgId, ProjectId, RoleAssignmentId, UserId } from '../../domain/shared/ids.js';
import { FindUser, userNotFound } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  createdRoleAssignmentAnswer,
  heldRoleAssignmentAnswer,
  newRoleAssignmentBody,
  projectRoleAssignmentSearchBody,
  roleAssignmentAnswer,
  roleAssignmentBody,
  roleAssignmentSearchBody,
} from '../shared/schemas/role-assignment.schemas.js';
import { Project } from './projects.controller.js';

const User = () => Param('userId', new PathId(userNotFound));
const Assignment = () => Param('grantId', new PathId(roleAssignmentNotFound));
const write = 'user.grant.write';
const read = 'user.grant.read';

/** Roles of projects that a user of the organization holds. */
@ApiController('management/v1/users/:userId/grants')
export class RoleAssignmentsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly store: RoleAssignmentsStore,
    private readonly users: FindUser,
    private readonly assignments: ManageRoleAssignments,
  ) {}

  @Post()
  @Operation({
    summary: 'Give a user roles of a project',
    operationId: 'UserGrants.add',
    description:
      "Of another organization's project only those that it granted, by `projectGrantId` (see granted projects).",
    permission: write,
    answer: createdRoleAssignmentAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Body({ schema: newRoleAssignmentBody }) body: z.output<typeof newRoleAssignmentBody>,
  ): Promise<WireAnswer> {
    const assignment = { ...body, orgId: call.orgId, userId };
    return await this.idempotentRequests.write(call, (tx) =>
      this.assignments.add(tx, assignment, call.caller),
    );
  }

  @Post('_search')
  @Operation({
    summary: 'Search the role grants of a user',
    operationId: 'UserGrants.list',
    description: 'A `nameQuery` is about the name of the project.',
    permission: read,
    answer: listAnswer(roleAssignmentAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @User() userId: UserId,
    @Body({ schema: roleAssignmentSearchBody }) search: z.output<typeof roleAssignmentSearchBody>,
  ) {
    await this.users.find(orgId, userId);
    return await this.store.list(orgId, userId, pageQuery(search));
  }

  @Get(':grantId')
  @Operation({
    summary: 'Get a role grant',
    operationId: 'UserGrants.find',
    permission: read,
    answer: z.object({ userGrant: roleAssignmentAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @User() userId: UserId, @Assignment() id: RoleAssignmentId) {
    const userGrant = await this.store.find({ orgId, userId, id });
    if (userGrant === undefined) throw roleAssignmentNotFound();
    return { userGrant };
  }

  @Put(':grantId')
  @Operation({
    summary: 'Replace the roles of a grant',
    operationId: 'UserGrants.replaceRoles',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceRoles(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Assignment() id: RoleAssignmentId,
    @Body({ schema: roleAssignmentBody }) { roleKeys }: z.output<typeof roleAssignmentBody>,
  ): Promise<WireAnswer> {
    const place = { orgId: call.orgId, userId, id };
    return await this.idempotentRequests.change(call, (tx) =>
      this.assignments.replaceRoles(tx, place, roleKeys, call.caller),
    );
  }

  @Post(':grantId/_deactivate')
  @Operation({
    summary: 'Put a role grant to rest',
    operationId: 'UserGrants.deactivate',
    description: 'The user does not hold its roles meanwhile.',
    permission: write,
    answer: changeAnswer,
  })
  async deactivate(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Assignment() id: RoleAssignmentId,
  ): Promise<WireAnswer> {
    return await this.change('deactivate', call, userId, id);
  }

  @Post(':grantId/_reactivate')
  @Operation({
    summary: 'Wake a role grant',
    operationId: 'UserGrants.reactivate',
    permission: write,
    answer: changeAnswer,
  })
  async reactivate(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Assignment() id: RoleAssignmentId,
  ): Promise<WireAnswer> {
    return await this.change('reactivate', call, userId, id);
  }

  @Delete(':grantId')
  @Operation({
    summary: 'Take a role grant away',
    operationId: 'UserGrants.remove',
    permission: write,
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Assignment() id: RoleAssignmentId,
  ): Promise<WireAnswer> {
    return await this.change('remove', call, userId, id);
  }

  private async change(
    change: 'deactivate' | 'reactivate' | 'remove',
    call: ApiCall,
    userId: UserId,
    id: RoleAssignmentId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const place = { orgId: call.orgId, userId, id };
    return await this.idempotentRequests.change(call, (tx) =>
      this.assignments[change](tx, place, call.caller),
    );
  }
}

/** The same by the project, which may be granted by another organization. */
@ApiController('management/v1/projects/:projectId/user_grants')
export class ProjectRoleAssignmentsController {
  constructor(private readonly store: RoleAssignmentsStore) {}

  @Post('_search')
  @Operation({
    summary: 'Search the role grants of a project',
    operationId: 'UserGrants.listOfProject',
    description:
      'Users of the organization who hold roles of the project, which may also be one that was granted to it. Users of other ' +
      'organizations are not among them. A `nameQuery` is about the display name of the user.',
    permission: read,
    answer: listAnswer(heldRoleAssignmentAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Project() projectId: ProjectId,
    @Body({ schema: projectRoleAssignmentSearchBody })
    search: z.output<typeof projectRoleAssignmentSearchBody>,
  ) {
    const found = await this.store.listOfProject(orgId, projectId, pageQuery(search));
    if (found === undefined) throw projectNotFound();
    return found;
  }
}
