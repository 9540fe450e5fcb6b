import { Body, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { applicationNotFound } from '../../domain/applications/application.js';
import { ChangeApplication } from '../../domain/applications/change-application.js';
import { CreateOidcApplication } from '../../domain/applications/create-oidc-application.js';
import { complianceProblems } from '../../domain/applications/oidc-compliance.js';
import { ReadApplications } from '../../domain/applications/read-applications.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { projectNotFound } from '../../domain/projects/project-not-found.js';
import { ProjectsStore } from '../../domain/projects/projects.store.js';
import type { ApplicationId, OrgId, ProjectId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  apiConfigBody,
  applicationAnswer,
  applicationNameBody,
  applicationSearchBody,
  changedApplicationAnswer,
  createdApplicationAnswer,
  newApiApplicationBody,
  newOidcApplicationBody,
  oidcConfigBody,
} from '../shared/schemas/application.schemas.js';
import { Project } from './projects.controller.js';

export const App = () => Param('appId', new PathId(applicationNotFound));
const write = 'project.app.write';
const read = 'project.app.read';

/** The applications of a project: made, looked at, changed, put to rest and removed. */
@ApiController('management/v1/projects/:projectId/apps')
export class ApplicationsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly applications: ReadApplications,
    private readonly projects: ProjectsStore,
    private readonly createOidcApplication: CreateOidcApplication,
    private readonly changeApplication: ChangeApplication,
  ) {}

  @Post('_search')
  @Operation({ summary: 'Search applications', permission: read, answer: listAnswer(applicationAnswer) })
  async list(
    @ActingOrg() orgId: OrgId,
    @Project() projectId: ProjectId,
    @Body({ schema: applicationSearchBody }) search: z.output<typeof applicationSearchBody>,
  ) {
    if ((await this.projects.find(orgId, projectId)) === undefined) throw projectNotFound();
    return await this.applications.list(orgId, projectId, pageQuery(search));
  }

  @Post('oidc')
  @Operation({
    summary: 'Create an OpenID Connect application',
    operationId: 'Projects.addOidcApplication',
    description:
      'The secret is shown this once. `complianceProblems` are reasons why the application as it is does not follow the standards.',
    permission: write,
    stepUp: ['managementAccess'],
    answer: createdApplicationAnswer,
  })
  async addOidc(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Body({ schema: newOidcApplicationBody }) body: z.output<typeof newOidcApplicationBody>,
  ): Promise<WireAnswer> {
    const settings = { ...body, orgId: call.orgId, projectId };
    return await this.idempotentRequests.answer(call, async () => {
      await this.createOidcApplication.check(settings);
      await this.createOidcApplication.checkSector(settings);
      return async (tx) => await this.createOidcApplication.store(tx, settings, call.acting);
    });
  }

  @Post('api')
  @Operation({
    summary: 'Create an API application',
    description: 'The secret is shown this once.',
    permission: write,
    answer: createdApplicationAnswer,
  })
  async addApi(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Body({ schema: newApiApplicationBody }) body: z.output<typeof newApiApplicationBody>,
  ): Promise<WireAnswer> {
    const application = { ...body, orgId: call.orgId, projectId };
    return await this.idempotentRequests.answer(call, async () => {
      if (!(await this.projects.isActive(call.orgId, projectId))) throw projectNotFound();
      return async (tx) => await this.changeApplication.addApi(tx, application, call.caller);
    });
  }

  @Get(':appId')
  @Operation({
    summary: 'Find an application',
    permission: read,
    answer: z.object({ app: applicationAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @Project() projectId: ProjectId, @App() id: ApplicationId) {
    const app = await this.applications.find({ orgId, projectId, id });
    if (app === undefined) throw applicationNotFound();
    return { app };
  }

  @Put(':appId')
  @Operation({ summary: 'Rename an application', permission: write, ifMatch: true, answer: changeAnswer })
  async rename(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Body({ schema: applicationNameBody }) { name }: z.output<typeof applicationNameBody>,
  ): Promise<WireAnswer> {
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.change(call, (tx) =>
      this.changeApplication.rename(tx, place, name, call.acting),
    );
  }

  @Put(':appId/oidc_config')
  @Operation({
    summary: 'Replace the configuration of an OpenID Connect application',
    description:
      'A change to a method that takes a secret makes one, which is shown this once. `managementAccess` stays as it ' +
      'is where it is left out; less than before ends at once what it allowed. Who could not give an application its ' +
      'access cannot change it without lowering that. Another `subjectType` or sector ends all of its tokens.',
    permission: write,
    stepUp: 'always',
    ifMatch: true,
    answer: changedApplicationAnswer,
  })
  async replaceOidc(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Body({ schema: oidcConfigBody }) config: z.output<typeof oidcConfigBody>,
  ): Promise<WireAnswer> {
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.answer(call, async () => {
      await this.changeApplication.checkOidc(place, config);
      return async (tx) => ({
        ...(await this.changeApplication.replaceOidc(tx, place, config, call.acting)),
        problems: complianceProblems(config),
      });
    });
  }

  @Put(':appId/api_config')
  @Operation({
    summary: 'Replace the configuration of an API application',
    permission: write,
    stepUp: 'always',
    ifMatch: true,
    answer: changedApplicationAnswer,
  })
  async replaceApi(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Body({ schema: apiConfigBody }) config: z.output<typeof apiConfigBody>,
  ): Promise<WireAnswer> {
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.write(call, (tx) =>
      this.changeApplication.replaceApi(tx, place, config, call.caller),
    );
  }

  @Post(':appId/oidc_config/_generate_client_secret')
  @Operation({
    summary: 'Make a new secret for an OpenID Connect application',
    description: 'The old one stops at once; the new one is shown this once.',
    permission: write,
    stepUp: 'always',
    answer: changedApplicationAnswer,
  })
  async regenerateOidcSecret(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
  ): Promise<WireAnswer> {
    return await this.regenerateSecret('oidc', call, projectId, id);
  }

  @Post(':appId/api_config/_generate_client_secret')
  @Operation({
    summary: 'Make a new secret for an API application',
    description: 'The old one stops at once; the new one is shown this once.',
    permission: write,
    stepUp: 'always',
    answer: changedApplicationAnswer,
  })
  async regenerateApiSecret(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
  ): Promise<WireAnswer> {
    return await this.regenerateSecret('api', call, projectId, id);
  }

  @Post(':appId/_deactivate')
  @Operation({
    summary: 'Deactivate an application',
    description: 'Its tokens end at once.',
    permission: write,
    answer: changeAnswer,
  })
  async deactivate(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
  ): Promise<WireAnswer> {
    return await this.change('deactivate', call, projectId, id);
  }

  @Post(':appId/_reactivate')
  @Operation({ summary: 'Reactivate an application', permission: write, answer: changeAnswer })
  async reactivate(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
  ): Promise<WireAnswer> {
    return await this.change('reactivate', call, projectId, id);
  }

  @Delete(':appId')
  @Operation({
    summary: 'Remove an application',
    description: 'Its tokens end at once.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
  ): Promise<WireAnswer> {
    return await this.change('remove', call, projectId, id);
  }

  private async regenerateSecret(
    type: 'oidc' | 'api',
    call: ApiCall,
    projectId: ProjectId,
    id: ApplicationId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.write(call, (tx) =>
      this.changeApplication.regenerateSecret(tx, place, type, call.acting),
    );
  }

  private async change(
    change: 'deactivate' | 'reactivate' | 'remove',
    call: ApiCall,
    projectId: ProjectId,
    id: ApplicationId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.change(call, (tx) =>
      this.changeApplication[change](tx, place, call.caller),
    );
  }
}
