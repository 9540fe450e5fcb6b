import { Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { applicationNotFound } from '../../domain/applications/application.js';
import type { ApplicationPlace } from '../../domain/applications/applications.store.js';
import { AddApplicationKey } from '../../domain/applications/keys/add-application-key.js';
import { applicationKeyNotFound, ApplicationKeys } from '../../domain/applications/keys/application-keys.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { projectNotFound } from '../../domain/projects/project-not-found.js';
import type { ApplicationId, ApplicationKeyId, OrgId, ProjectId } from '../../domain/shared/ids.js';
import { changedSchema, listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, readSearch, type ListResponse } from '../shared/lists.js';
import { pageParameters, readPageParameters } from '../shared/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readNewKey } from '../shared/service-user-bodies.js';
import {
  addedKeyResponse,
  addedKeySchema,
  keyResponse,
  keySchema,
  type AddedKeyResponse,
  type KeyResponse,
} from './key-responses.js';

const PROJECT_ID = new PathId(projectNotFound);
const APPLICATION_ID = new PathId(applicationNotFound);
const KEY_ID = new PathId(applicationKeyNotFound);

/** The keys that an application signs its assertions with (private_key_jwt). */
@ApiController('management/v1/projects/:projectId/apps/:appId/keys')
export class ApplicationKeysController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly addKey: AddApplicationKey,
    private readonly keys: ApplicationKeys,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Add a key to an application',
    description:
      'Makes a pair and answers its key file in base64, which is shown this once; or, with `publicKey` as a PEM or a ' +
      'JWK, keeps that: RSA of 2048 to 4096 bits, P-256 or Ed25519. The id is the `kid` of assertions.',
    body: readNewKey,
    answer: addedKeySchema,
  })
  async add(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<AddedKeyResponse> {
    const { publicKey, expirationDate } = readNewKey(call.body);
    const place = placeOf(call.orgId, projectId, appId);
    return await this.idempotentRequests.run(call, async () => {
      const prepared = await this.addKey.prepare(place, publicKey, expirationDate);
      return async (tx) => addedKeyResponse(await this.addKey.store(tx, place, prepared, call.acting));
    });
  }

  @Get()
  @RequiresPermission('project.app.read')
  @Documented({
    summary: 'List the keys of an application',
    query: pageParameters,
    answer: listSchema(keySchema),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
    @Query() query: unknown,
  ): Promise<ListResponse<KeyResponse>> {
    const page = readPageParameters(query);
    return listResponse(await this.keys.list(placeOf(orgId, projectId, appId), page), keyResponse);
  }

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('project.app.read')
  @Documented({
    summary: 'Search the keys of an application',
    body: readSearch,
    answer: listSchema(keySchema),
  })
  async search(
    @Call() { orgId, body }: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
  ): Promise<ListResponse<KeyResponse>> {
    const page = pageQuery(readSearch(body ?? {}));
    return listResponse(await this.keys.list(placeOf(orgId, projectId, appId), page), keyResponse);
  }

  @Get(':keyId')
  @RequiresPermission('project.app.read')
  @Documented({ summary: 'Find a key of an application', answer: z.strictObject({ key: keySchema }) })
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
    @Param('keyId', KEY_ID) keyId: string,
  ): Promise<{ key: KeyResponse }> {
    const place = placeOf(orgId, projectId, appId);
    return { key: keyResponse(await this.keys.get(place, keyId as ApplicationKeyId)) };
  }

  @Delete(':keyId')
  @RequiresPermission('project.app.write')
  @Documented({
    summary: 'Remove a key of an application',
    description: 'From then on nobody takes the key, nor the tokens that the application holds.',
    answer: changedSchema,
  })
  async remove(
    @Call() call: ApiCall,
    @Param('projectId', PROJECT_ID) projectId: string,
    @Param('appId', APPLICATION_ID) appId: string,
    @Param('keyId', KEY_ID) keyId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const place = placeOf(call.orgId, projectId, appId);
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const details = await this.keys.remove(tx, place, keyId as ApplicationKeyId, call.caller);
      return { details: changedDetails(details) };
    });
  }
}

function placeOf(orgId: OrgId, projectId: string, appId: string): ApplicationPlace {
  return { orgId, projectId: projectId as ProjectId, id: appId as ApplicationId };
}
