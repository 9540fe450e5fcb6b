import { HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { CreateProject } from '../../domain/projects/create-project.js';
import type { ProjectId } from '../../domain/shared/ids.js';
import { createdDetailsSchema, idSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readProject } from '../shared/project-body.js';

const projectCreated = z.strictObject({ id: idSchema, details: createdDetailsSchema });

/** Projects, the roof over applications that share roles and settings. */
@ApiController('management/v1')
export class ProjectsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly createProject: CreateProject,
  ) {}

  @Post('projects')
  @Documented({ summary: 'Create a project', body: readProject, answer: projectCreated })
  @HttpCode(200)
  @RequiresPermission('project.write')
  async addProject(@Call() call: ApiCall): Promise<{ id: ProjectId; details: DetailsResponse }> {
    const project = { ...readProject(call.body), orgId: call.orgId };
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { id, details } = await this.createProject.execute(tx, project, call.caller);
      return { id, details: createdDetails(details) };
    });
  }
}
