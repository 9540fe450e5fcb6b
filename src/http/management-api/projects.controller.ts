import { HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import {
  type CreatedOidcApplication,
  CreateOidcApplication,
} from '../../domain/clients/create-oidc-application.js';
import { CreateProject } from '../../domain/clients/create-project.js';
import { projectNotFound } from '../../domain/clients/project-not-found.js';
import { AnswerOnce } from '../../domain/idempotency/answer-once.js';
import type { ProjectId } from '../../domain/shared/ids.js';
import { type ApiCall, Call } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { createdDetailsSchema, idSchema } from '../shared/answer-schemas.js';
import { Documented } from '../shared/documented.js';
import { createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readNewOidcApplication, readOidcApplication } from '../shared/oidc-application-body.js';
import { readProject } from '../shared/project-body.js';

const PROJECT_ID = new PathId(projectNotFound);

const projectCreated = z.strictObject({ id: idSchema, details: createdDetailsSchema });
const applicationCreated = z.strictObject({
  appId: idSchema,
  details: createdDetailsSchema,
  clientId: idSchema,
  clientSecret: z.string().optional(),
  noneCompliant: z.boolean().optional(),
  complianceProblems: z.array(z.strictObject({ key: z.string(), localizedMessage: z.string() })).optional(),
});

/** Projects and the applications in them. */
@ApiController('management/v1')
export class ProjectsController {
  constructor(
    private readonly answerOnce: AnswerOnce,
    private readonly createProject: CreateProject,
    private readonly createOidcApplication: CreateOidcApplication,
  ) {}

  @Post('projects')
  @Documented({ summary: 'Create a project', body: readProject, answer: projectCreated })
  @HttpCode(200)
  @RequiresPermission('project.write')
  async addProject(@Call() call: ApiCall): Promise<{ id: ProjectId; details: DetailsResponse }> {
    const project = { ...readProject(call.body), orgId: call.orgId };
    return await this.answerOnce.run(call, async () => async (tx) => {
      const { id, details } = await this.createProject.execute(tx, project, call.caller);
      return { id, details: createdDetails(details) };
    });
  }

  @Post('projects/:projectId/apps/oidc')
  @Documented({
    summary: 'Create an OpenID Connect application',
    description:
      'The secret is shown this once. `complianceProblems` are reasons why the application as it is does not follow the standards.',
    body: readNewOidcApplication,
    answer: applicationCreated,
  })
  @HttpCode(200)
  @RequiresPermission('project.app.write')
  async addOidcApplication(@Call() call: ApiCall, @Param('projectId', PROJECT_ID) projectId: string) {
    const settings = readOidcApplication(call.orgId, projectId as ProjectId, call.body);
    return await this.answerOnce.run(call, async () => {
      await this.createOidcApplication.check(settings);
      return async (tx) =>
        applicationResponse(await this.createOidcApplication.store(tx, settings, call.acting));
    });
  }
}

function applicationResponse({ id, clientId, clientSecret, details, problems }: CreatedOidcApplication) {
  return {
    appId: id,
    details: createdDetails(details),
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(problems.length > 0 && { noneCompliant: true, complianceProblems: problems }),
  };
}
