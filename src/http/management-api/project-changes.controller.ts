import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ChangeProject } from '../../domain/projects/change-project.js';
import { projectNotFound } from '../../domain/projects/project-not-found.js';
import { ProjectsStore, type Project } from '../../domain/projects/projects.store.js';
import type { OrgId, ProjectId } from '../../domain/shared/ids.js';
import { changedSchema, idSchema, listSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, readNamedSearch, type ListResponse } from '../shared/lists.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readProject } from '../shared/project-body.js';

const PROJECT_ID = new PathId(projectNotFound);

/** A project as the API shows it; what is false is left out (protocol §0.1). */
export interface ProjectResponse {
  readonly id: string;
  readonly details: DetailsResponse;
  readonly name: string;
  readonly state: string;
  readonly projectRoleAssertion?: true;
  readonly projectRoleCheck?: true;
  readonly hasProjectCheck?: true;
  readonly privateLabelingSetting: string;
}

const projectSchema = z.strictObject({
  id: idSchema,
  details: readDetailsSchema,
  name: z.string(),
  state: z.enum(['PROJECT_STATE_ACTIVE', 'PROJECT_STATE_INACTIVE']),
  projectRoleAssertion: z.boolean().optional(),
  projectRoleCheck: z.boolean().optional(),
  hasProjectCheck: z.boolean().optional(),
  privateLabelingSetting: z.string(),
});

/** The projects of the organization that the call acts in: looked at, changed, put to rest and removed. */
@ApiController('management/v1/projects')
export class ProjectChangesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly projects: ProjectsStore,
    private readonly changeProject: ChangeProject,
  ) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('project.read')
  @Documented({ summary: 'Search projects', body: readNamedSearch, answer: listSchema(projectSchema) })
  async list(@Call() call: ApiCall): Promise<ListResponse<ProjectResponse>> {
    const query = pageQuery(readNamedSearch(call.body ?? {}));
    return listResponse(await this.projects.list(call.orgId, query), projectResponse);
  }

  @Get(':projectId')
  @RequiresPermission('project.read')
  @Documented({ summary: 'Find a project', answer: z.strictObject({ project: projectSchema }) })
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<{ project: ProjectResponse }> {
    const project = await this.projects.find(orgId, projectId as ProjectId);
    if (project === undefined) throw projectNotFound();
    return { project: projectResponse(project) };
  }

  @Put(':projectId')
  @RequiresPermission('project.write')
  @Documented({ summary: 'Replace the settings of a project', body: readProject, answer: changedSchema })
  async replace(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<{ details: DetailsResponse }> {
    const settings = readProject(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const change = changeOf(call, projectId);
      return { details: changedDetails(await this.changeProject.replace(tx, change, settings)) };
    });
  }

  @Post(':projectId/_deactivate')
  @HttpCode(200)
  @RequiresPermission('project.write')
  @Documented({
    summary: 'Deactivate a project',
    description: 'Its applications stop, and their tokens end at once.',
    answer: changedSchema,
  })
  async deactivate(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('deactivate', call, projectId);
  }

  @Post(':projectId/_reactivate')
  @HttpCode(200)
  @RequiresPermission('project.write')
  @Documented({ summary: 'Reactivate a project', answer: changedSchema })
  async reactivate(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('reactivate', call, projectId);
  }

  @Delete(':projectId')
  @RequiresPermission('project.write')
  @Documented({
    summary: 'Remove a project',
    description: 'With its applications, roles and role grants.',
    answer: changedSchema,
  })
  async remove(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('remove', call, projectId);
  }

  private async change(
    change: 'deactivate' | 'reactivate' | 'remove',
    call: ApiCall,
    projectId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.changeProject[change](tx, changeOf(call, projectId))),
    }));
  }
}

function changeOf({ orgId, caller }: ApiCall, projectId: string) {
  return { orgId, projectId: projectId as ProjectId, actorId: caller };
}

function projectResponse(project: Project): ProjectResponse {
  return {
    id: project.id,
    details: readDetails(project.details),
    name: project.name,
    state: project.state === 'active' ? 'PROJECT_STATE_ACTIVE' : 'PROJECT_STATE_INACTIVE',
    ...(project.projectRoleAssertion && { projectRoleAssertion: true }),
    ...(project.projectRoleCheck && { projectRoleCheck: true }),
    ...(project.hasProjectCheck && { hasProjectCheck: true }),
    privateLabelingSetting: project.privateLabelingSetting,
  };
}
