import { Body, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ChangeProject } from '../../domain/projects/change-project.js';
import { CreateProject } from '../../domain/projects/create-project.js';
import { projectNotFound } from '../../domain/projects/project-not-found.js';
import { ReadProjects } from '../../domain/projects/read-projects.js';
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
  createdProjectAnswer,
  projectAnswer,
  projectBody,
  projectSearchBody,
} from '../shared/schemas/project.schemas.js';

export const Project = () => Param('projectId', new PathId(projectNotFound));
const write = 'project.write';
const read = 'project.read';

/** Projects of the organization that the call acts in, the roof over applications that share roles and settings. */
@ApiController('management/v1/projects')
export class ProjectsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly readProjects: ReadProjects,
    private readonly createProject: CreateProject,
    private readonly projects: ChangeProject,
  ) {}

  @Post()
  @Operation({
    summary: 'Create a project',
    operationId: 'Projects.addProject',
    permission: write,
    answer: createdProjectAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: projectBody }) body: z.output<typeof projectBody>,
  ): Promise<WireAnswer> {
    const project = { ...body, orgId: call.orgId };
    return await this.idempotentRequests.write(call, (tx) =>
      this.createProject.execute(tx, project, call.caller),
    );
  }

  @Post('_search')
  @Operation({
    summary: 'Search projects',
    operationId: 'ProjectChanges.list',
    permission: read,
    answer: listAnswer(projectAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Body({ schema: projectSearchBody }) search: z.output<typeof projectSearchBody>,
  ) {
    return await this.readProjects.list(orgId, pageQuery(search));
  }

  @Get(':projectId')
  @Operation({
    summary: 'Find a project',
    operationId: 'ProjectChanges.find',
    permission: read,
    answer: z.object({ project: projectAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @Project() projectId: ProjectId) {
    return { project: await this.readProjects.find(orgId, projectId) };
  }

  @Put(':projectId')
  @Operation({
    summary: 'Replace the settings of a project',
    operationId: 'ProjectChanges.replace',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Body({ schema: projectBody }) settings: z.output<typeof projectBody>,
  ): Promise<WireAnswer> {
    const change = { orgId: call.orgId, projectId, actorId: call.caller };
    return await this.idempotentRequests.change(call, (tx) => this.projects.replace(tx, change, settings));
  }

  @Post(':projectId/_deactivate')
  @Operation({
    summary: 'Deactivate a project',
    operationId: 'ProjectChanges.deactivate',
    description: 'Its applications stop, and their tokens end at once.',
    permission: write,
    answer: changeAnswer,
  })
  async deactivate(@Call() call: ApiCall, @Project() projectId: ProjectId): Promise<WireAnswer> {
    return await this.change('deactivate', call, projectId);
  }

  @Post(':projectId/_reactivate')
  @Operation({
    summary: 'Reactivate a project',
    operationId: 'ProjectChanges.reactivate',
    permission: write,
    answer: changeAnswer,
  })
  async reactivate(@Call() call: ApiCall, @Project() projectId: ProjectId): Promise<WireAnswer> {
    return await this.change('reactivate', call, projectId);
  }

  @Delete(':projectId')
  @Operation({
    summary: 'Remove a project',
    operationId: 'ProjectChanges.remove',
    description: 'With its applications, roles and role grants.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall, @Project() projectId: ProjectId): Promise<WireAnswer> {
    return await this.change('remove', call, projectId);
  }

  private async change(
    change: 'deactivate' | 'reactivate' | 'remove',
    call: ApiCall,
    projectId: ProjectId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const project = { orgId: call.orgId, projectId, actorId: call.caller };
    return await this.idempotentRequests.change(call, (tx) => this.projects[change](tx, project));
  }
}
