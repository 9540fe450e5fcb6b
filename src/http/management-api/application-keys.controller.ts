import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { AddApplicationKey } from '../../domain/applications/keys/add-application-key.js';
import { applicationKeyNotFound, ApplicationKeys } from '../../domain/applications/keys/application-keys.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { ApplicationId, ApplicationKeyId, OrgId, ProjectId } from '../../domain/shared/ids.js';
import type { PageQuery } from '../../domain/shared/page.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  addedKeyAnswer,
  keyAnswer,
  keyListQuery,
  keySearchBody,
  newKeyBody,
} from '../shared/schemas/key.schemas.js';
import { App } from './applications.controller.js';
import { Project } from './projects.controller.js';

const Key = () => Param('keyId', new PathId(applicationKeyNotFound));
const write = 'project.app.write';
const read = 'project.app.read';

/** The keys that an application signs its assertions with (private_key_jwt). */
@ApiController('management/v1/projects/:projectId/apps/:appId/keys')
export class ApplicationKeysController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly addKey: AddApplicationKey,
    private readonly keys: ApplicationKeys,
  ) {}

  @Post()
  @Operation({
    summary: 'Add a key to an application',
    description:
      'Makes a pair and answers its key file in base64, which is shown this once; or, with `publicKey` as a PEM or a ' +
      'JWK, keeps that: RSA of 2048 to 4096 bits, P-256 or Ed25519. The id is the `kid` of assertions.',
    permission: write,
    stepUp: 'always',
    answer: addedKeyAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Body({ schema: newKeyBody }) { publicKey, expirationDate }: z.output<typeof newKeyBody>,
  ): Promise<WireAnswer> {
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.answer(call, async () => {
      const prepared = await this.addKey.prepare(place, publicKey, expirationDate);
      return async (tx) => await this.addKey.store(tx, place, prepared, call.acting);
    });
  }

  @Get()
  @Operation({ summary: 'List the keys of an application', permission: read, answer: listAnswer(keyAnswer) })
  async list(
    @ActingOrg() orgId: OrgId,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Query({ schema: keyListQuery }) page: PageQuery,
  ) {
    return await this.keys.list({ orgId, projectId, id }, page);
  }

  @Post('_search')
  @Operation({
    summary: 'Search the keys of an application',
    permission: read,
    answer: listAnswer(keyAnswer),
  })
  async search(
    @ActingOrg() orgId: OrgId,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Body({ schema: keySearchBody }) search: z.output<typeof keySearchBody>,
  ) {
    return await this.keys.list({ orgId, projectId, id }, pageQuery(search));
  }

  @Get(':keyId')
  @Operation({
    summary: 'Find a key of an application',
    permission: read,
    answer: z.object({ key: keyAnswer }),
  })
  async find(
    @ActingOrg() orgId: OrgId,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Key() keyId: ApplicationKeyId,
  ) {
    return { key: await this.keys.get({ orgId, projectId, id }, keyId) };
  }

  @Delete(':keyId')
  @Operation({
    summary: 'Remove a key of an application',
    description: 'From then on nobody takes the key, nor the tokens that the application holds.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Key() keyId: ApplicationKeyId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.change(call, (tx) =>
      this.keys.remove(tx, place, keyId, call.caller),
    );
  }
}
