import { Body, Delete, Param, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ProjectRoles, roleNotFound } from '../../domain/projects/project-roles.js';
import type { OrgId, ProjectId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  createdProjectRoleAnswer,
  newProjectRoleBody,
  projectRoleAnswer,
  projectRoleBody,
  projectRoleSearchBody,
} from '../shared/schemas/project-role.schemas.js';
import { Project } from './projects.controller.js';

const RoleKey = () => Param('roleKey', new PathId(roleNotFound));
const write = 'project.write';

/** Roles that the applications of a project know. */
@ApiController('management/v1/projects/:projectId/roles')
export class ProjectRolesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly roles: ProjectRoles,
  ) {}

  @Post()
  @Operation({ summary: 'Add a role to a project', permission: write, answer: createdProjectRoleAnswer })
  async add(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Body({ schema: newProjectRoleBody }) role: z.output<typeof newProjectRoleBody>,
  ): Promise<WireAnswer> {
    const place = { orgId: call.orgId, projectId };
    return await this.idempotentRequests.change(call, (tx) => this.roles.add(tx, place, role, call.caller));
  }

  @Post('_search')
  @Operation({
    summary: 'Search the roles of a project',
    permission: 'project.read',
    answer: listAnswer(projectRoleAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Project() projectId: ProjectId,
    @Body({ schema: projectRoleSearchBody }) search: z.output<typeof projectRoleSearchBody>,
  ) {
    return await this.roles.list({ orgId, projectId }, pageQuery(search));
  }

  @Put(':roleKey')
  @Operation({ summary: 'Replace a role', permission: write, ifMatch: true, answer: changeAnswer })
  async replace(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @RoleKey() key: string,
    @Body({ schema: projectRoleBody }) body: z.output<typeof projectRoleBody>,
  ): Promise<WireAnswer> {
    const place = { orgId: call.orgId, projectId };
    return await this.idempotentRequests.change(call, (tx) =>
      this.roles.replace(tx, place, { key, ...body }, call.caller),
    );
  }

  @Delete(':roleKey')
  @Operation({
    summary: 'Remove a role',
    description:
      'Everybody who has it loses it at once and for good, also users of organizations that the project is granted to.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @RoleKey() key: string,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const place = { orgId: call.orgId, projectId };
    return await this.idempotentRequests.change(call, (tx) => this.roles.remove(tx, place, key, call.caller));
  }
}
