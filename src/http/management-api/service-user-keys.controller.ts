import { Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { serviceUserKeyNotFound, ServiceUserKeys } from '../../domain/service-users/service-user-keys.js';
import type { OrgId, ServiceUserKeyId, UserId } from '../../domain/shared/ids.js';
import { changedSchema, listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, type ListResponse } from '../shared/lists.js';
import { pageParameters, readPageParameters } from '../shared/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readNewKey, readNothing } from '../shared/service-user-bodies.js';
import {
  addedKeyResponse,
  addedKeySchema,
  keyResponse,
  keySchema,
  type AddedKeyResponse,
  type KeyResponse,
} from './key-responses.js';
import { changeOf, USER_ID } from './service-users.controller.js';

const KEY_ID = new PathId(serviceUserKeyNotFound);

/** The keys with which a service user signs assertions for the JWT profile grant. */
@ApiController('management/v1')
export class ServiceUserKeysController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly keys: ServiceUserKeys,
  ) {}

  @Post('users/:id/keys')
  @HttpCode(200)
  @RequiresPermission('user.write')
  @Documented({
    summary: 'Add a key to a service user',
    description:
      'Without `publicKey` a pair is made, and `keyDetails` is the key file in base64: it is shown this once.',
    body: readNewKey,
    answer: addedKeySchema,
  })
  async add(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<AddedKeyResponse> {
    const { publicKey, expirationDate } = readNewKey(call.body);
    const change = changeOf(call, id);
    return await this.idempotentRequests.run(call, async () => {
      const prepared = await this.keys.prepare(change, publicKey, expirationDate);
      return async (tx) => addedKeyResponse(await this.keys.store(tx, change, prepared));
    });
  }

  @Get('users/:id/keys')
  @RequiresPermission('user.read')
  @Documented({
    summary: 'List the keys of a service user',
    query: pageParameters,
    answer: listSchema(keySchema),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Param('id', USER_ID) id: string,
    @Query() query: unknown,
  ): Promise<ListResponse<KeyResponse>> {
    return listResponse(await this.keys.list(orgId, id as UserId, readPageParameters(query)), keyResponse);
  }

  @Get('users/:id/keys/:keyId')
  @RequiresPermission('user.read')
  @Documented({ summary: 'Find a key of a service user', answer: z.strictObject({ key: keySchema }) })
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('id', USER_ID) id: string,
    @Param('keyId', KEY_ID) keyId: string,
  ): Promise<{ key: KeyResponse }> {
    return { key: keyResponse(await this.keys.get(orgId, id as UserId, keyId as ServiceUserKeyId)) };
  }

  @Delete('users/:id/keys/:keyId')
  @RequiresPermission('user.write')
  @Documented({
    summary: 'Remove a key of a service user',
    description: 'The tokens of the user end at once.',
    answer: changedSchema,
  })
  async remove(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
    @Param('keyId', KEY_ID) keyId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const details = await this.keys.remove(tx, changeOf(call, id), keyId as ServiceUserKeyId);
      return { details: changedDetails(details) };
    });
  }
}
