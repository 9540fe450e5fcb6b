import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { serviceUserKeyNotFound, ServiceUserKeys } from '../../domain/service-users/service-user-keys.js';
import type { OrgId, ServiceUserKeyId, UserId } from '../../domain/shared/ids.js';
import type { PageQuery } from '../../domain/shared/page.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { addedKeyAnswer, keyAnswer, keyListQuery, newKeyBody } from '../shared/schemas/key.schemas.js';
import { User } from './users.controller.js';

const Key = () => Param('keyId', new PathId(serviceUserKeyNotFound));
const write = 'user.write';
const read = 'user.read';

/** The keys with which a service user signs assertions for the JWT profile grant. */
@ApiController('management/v1/users/:id/keys')
export class ServiceUserKeysController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly keys: ServiceUserKeys,
  ) {}

  @Post()
  @Operation({
    summary: 'Add a key to a service user',
    description:
      'Without `publicKey` a pair is made, and `keyDetails` is the key file in base64: it is shown this once.',
    permission: write,
    stepUp: 'always',
    answer: addedKeyAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Body({ schema: newKeyBody }) { publicKey, expirationDate }: z.output<typeof newKeyBody>,
  ): Promise<WireAnswer> {
    const change = userChange(call, userId);
    return await this.idempotentRequests.answer(call, async () => {
      const prepared = await this.keys.prepare(change, publicKey, expirationDate);
      return async (tx) => await this.keys.store(tx, change, prepared);
    });
  }

  @Get()
  @Operation({
    summary: 'List the keys of a service user',
    permission: read,
    answer: listAnswer(keyAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @User() userId: UserId,
    @Query({ schema: keyListQuery }) page: PageQuery,
  ) {
    return await this.keys.list(orgId, userId, page);
  }

  @Get(':keyId')
  @Operation({
    summary: 'Find a key of a service user',
    permission: read,
    answer: z.object({ key: keyAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @User() userId: UserId, @Key() keyId: ServiceUserKeyId) {
    return { key: await this.keys.get(orgId, userId, keyId) };
  }

  @Delete(':keyId')
  @Operation({
    summary: 'Remove a key of a service user',
    description: 'The tokens of the user end at once.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Key() keyId: ServiceUserKeyId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const change = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) => this.keys.remove(tx, change, keyId));
  }
}
