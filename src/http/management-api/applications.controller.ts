import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApplicationRecordsStore } from '../../domain/clients/application-records.store.js';
import { applicationNotFound, ChangeApplication } from '../../domain/clients/change-application.js';
import { complianceProblems } from '../../domain/clients/oidc-compliance.js';
import { projectNotFound } from '../../domain/clients/project-not-found.js';
import { ProjectsStore } from '../../domain/clients/projects.store.js';
import { AnswerOnce } from '../../domain/idempotency/answer-once.js';
import type { ApplicationId, OrgId, ProjectId } from '../../domain/shared/ids.js';
import { type ApiCall, Call } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readApiApplication, readApiConfig } from '../shared/api-application-body.js';
import { bodyReader, name, readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { type ListResponse, listResponse, pageQuery, readNamedSearch } from '../shared/lists.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import {
  applicationResponse,
  type ApplicationResponse,
  type ComplianceResponse,
  complianceResponse,
} from '../shared/application-response.js';
import { readOidcConfig, readOidcConfigFields } from '../shared/oidc-application-body.js';
import { z } from 'zod';
import { changedSchema, createdDetailsSchema, idSchema, listSchema } from '../shared/answer-schemas.js';
import { Documented } from '../shared/documented.js';
import { applicationSchema, changedApplicationSchema } from './application-schemas.js';

const PROJECT_ID = new PathId(projectNotFound);
const APPLICATION_ID = new PathId(applicationNotFound);

export const readApplicationName = bodyReader({ name: name() });

/** Details of a change, with the secret that it made, if any: it is shown this once. */
export interface ChangedApplicationResponse extends ComplianceResponse {
  readonly clientSecret?: string;
  readonly details: DetailsResponse;
}

/** The applications of a project: looked at, changed, put to rest and removed; APIs are added here, too. */
@ApiController('management/v1/projects/:projectId/apps')
export class ApplicationsController {
  constructor(
    private readonly answerOnce: AnswerOnce,
    private readonly records: ApplicationRecordsStore,
    private readonly projects: ProjectsStore,
    private readonly applications: ChangeApplication,
  ) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('project.app.read')
  @Documented({
    summary: 'Search applications',
    body: readNamedSearch,
    answer: listSchema(applicationSchema),
  })
  async list(
    @Call() { orgId, body }: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<ListResponse<ApplicationResponse>> {
    const query = pageQuery(readNamedSearch(body ?? {}));
    if ((await this.projects.find(orgId, projectId as ProjectId)) === undefined) throw projectNotFound();
    return listResponse(await this.records.list(orgId, projectId as ProjectId, query), applicationResponse);
  }

  @Post('api')
  @HttpCode(200)
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Create an API application',
    description: 'The secret is shown this once.',
    body: readApiApplication,
    answer: z.strictObject({
      appId: idSchema,
      details: createdDetailsSchema,
      clientId: idSchema,
      clientSecret: z.string().optional(),
    }),
  })
  async addApi(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
  ): Promise<{ appId: string; details: DetailsResponse; clientId: string; clientSecret?: string }> {
    const {
      name,
      authMethodType: authMethod,
      assertionAudienceIssuerOnly: assertionIssuerOnly,
    } = readApiApplication(call.body);
    const place = { orgId: call.orgId, projectId: projectId as ProjectId };
    const application = { ...place, name, authMethod, assertionIssuerOnly };
    return await this.answerOnce.run(call, async () => {
      if (!(await this.projects.isActive(application.orgId, application.projectId))) throw projectNotFound();
      return async (tx) => {
        const { id, clientId, clientSecret, details } = await this.applications.addApi(
          tx,
          application,
          call.caller,
        );
        return {
          appId: id,
          details: createdDetails(details),
          clientId,
          ...(clientSecret !== undefined && { clientSecret }),
        };
      };
    });
  }

  @Get(':appId')
  @RequiresPermission('project.app.read')
  @Documented({ summary: 'Find an application', answer: z.strictObject({ app: applicationSchema }) })
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<{ app: ApplicationResponse }> {
    const found = await this.records.find(placeOf(orgId, projectId, appId));
    if (found === undefined) throw applicationNotFound();
    return { app: applicationResponse(found) };
  }

  @Put(':appId')
  @RequiresPermission('project.app.write')
  @Documented({ summary: 'Rename an application', body: readApplicationName, answer: changedSchema })
  async rename(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<{ details: DetailsResponse }> {
    const { name } = readApplicationName(call.body);
    const place = placeOf(call.orgId, projectId, appId);
    return await this.answerOnce.run(call, async () => async (tx) => ({
      details: changedDetails(await this.applications.rename(tx, place, name, call.acting)),
    }));
  }

  @Put(':appId/oidc_config')
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Replace the configuration of an OpenID Connect application',
    description:
      'A change to a method that takes a secret makes one, which is shown this once. `managementAccess` stays as it ' +
      'is where it is left out; less than before ends at once what it allowed. Who could not give an application its ' +
      'access cannot change it without lowering that.',
    body: readOidcConfigFields,
    answer: changedApplicationSchema,
  })
  async replaceOidc(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<ChangedApplicationResponse> {
    const config = readOidcConfig(call.body);
    const place = placeOf(call.orgId, projectId, appId);
    return await this.answerOnce.run(call, async () => async (tx) => {
      const { details, ...secret } = await this.applications.replaceOidc(tx, place, config, call.acting);
      const problems = complianceProblems(config);
      return { details: changedDetails(details), ...secret, ...complianceResponse(problems) };
    });
  }

  @Put(':appId/api_config')
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Replace the configuration of an API application',
    body: readApiConfig,
    answer: changedApplicationSchema,
  })
  async replaceApi(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<ChangedApplicationResponse> {
    const { authMethodType: authMethod, assertionAudienceIssuerOnly } = readApiConfig(call.body);
    const config = { authMethod, assertionIssuerOnly: assertionAudienceIssuerOnly };
    const place = placeOf(call.orgId, projectId, appId);
    return await this.answerOnce.run(call, async () => async (tx) => {
      const { details, ...secret } = await this.applications.replaceApi(tx, place, config, call.caller);
      return { details: changedDetails(details), ...secret };
    });
  }

  @Post(':appId/oidc_config/_generate_client_secret')
  @HttpCode(200)
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Make a new secret for an OpenID Connect application',
    description: 'The old one stops at once; the new one is shown this once.',
    answer: changedApplicationSchema,
  })
  async regenerateOidcSecret(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<ChangedApplicationResponse> {
    return await this.regenerateSecret('oidc', call, projectId, appId);
  }

  @Post(':appId/api_config/_generate_client_secret')
  @HttpCode(200)
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Make a new secret for an API application',
    description: 'The old one stops at once; the new one is shown this once.',
    answer: changedApplicationSchema,
  })
  async regenerateApiSecret(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<ChangedApplicationResponse> {
    return await this.regenerateSecret('api', call, projectId, appId);
  }

  @Post(':appId/_deactivate')
  @HttpCode(200)
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Deactivate an application',
    description: 'Its tokens end at once.',
    answer: changedSchema,
  })
  async deactivate(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('deactivate', call, projectId, appId);
  }

  @Post(':appId/_reactivate')
  @HttpCode(200)
  @RequiresPermission('project.app.write')
  @Documented({ summary: 'Reactivate an application', answer: changedSchema })
  async reactivate(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('reactivate', call, projectId, appId);
  }

  @Delete(':appId')
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Remove an application',
    description: 'Its tokens end at once.',
    answer: changedSchema,
  })
  async remove(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.change('remove', call, projectId, appId);
  }

  private async regenerateSecret(
    kind: 'oidc' | 'api',
    call: ApiCall,
    projectId: string,
    appId: string,
  ): Promise<ChangedApplicationResponse> {
    readNothing(call.body ?? {});
    const place = placeOf(call.orgId, projectId, appId);
    return await this.answerOnce.run(call, async () => async (tx) => {
      const { details, clientSecret } = await this.applications.regenerateSecret(
        tx,
        place,
        kind,
        call.acting,
      );
      return { clientSecret, details: changedDetails(details) };
    });
  }

  private async change(
    change: 'deactivate' | 'reactivate' | 'remove',
    call: ApiCall,
    projectId: string,
    appId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const place = placeOf(call.orgId, projectId, appId);
    return await this.answerOnce.run(call, async () => async (tx) => ({
      details: changedDetails(await this.applications[change](tx, place, call.caller)),
    }));
  }
}

function placeOf(orgId: OrgId, projectId: string, appId: string) {
  return { orgId, projectId: projectId as ProjectId, id: appId as ApplicationId };
}
