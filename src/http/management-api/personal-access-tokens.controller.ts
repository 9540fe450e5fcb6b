import { Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { NEVER } from '../../domain/service-users/expiry.js';
import {
  personalAccessTokenNotFound,
  PersonalAccessTokens,
} from '../../domain/service-users/personal-access-tokens.js';
import type { PersonalAccessToken } from '../../domain/service-users/personal-access-tokens.store.js';
import type { OrgId, PersonalAccessTokenId, UserId } from '../../domain/shared/ids.js';
import {
  changedSchema,
  createdDetailsSchema,
  idSchema,
  listSchema,
  readDetailsSchema,
} from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { ActingOrg } from '../shared/caller.js';
import {
  changedDetails,
  createdDetails,
  readDetails,
  type DetailsResponse,
} from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, type ListResponse } from '../shared/lists.js';
import { pageParameters, readPageParameters } from '../shared/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readNewPersonalAccessToken, readNothing } from '../shared/service-user-bodies.js';
import { changeOf, USER_ID } from './service-users.controller.js';

const TOKEN_ID = new PathId(personalAccessTokenNotFound);

export interface AddedPersonalAccessTokenResponse {
  readonly tokenId: string;
  /** Shown this once. */
  readonly token: string;
  readonly details: DetailsResponse;
}

export interface PersonalAccessTokenResponse {
  readonly id: string;
  readonly details: DetailsResponse;
  readonly expirationDate: string;
}

const personalAccessTokenSchema = z.strictObject({
  id: idSchema,
  details: readDetailsSchema,
  expirationDate: z.iso.datetime(),
});

/** The personal access tokens of a service user. */
@ApiController('management/v1')
export class PersonalAccessTokensController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly tokens: PersonalAccessTokens,
  ) {}

  @Post('users/:id/pats')
  @HttpCode(200)
  @RequiresPermission('user.write')
  @Documented({
    summary: 'Make a personal access token for a service user',
    description: 'The token is shown this once. Without `expirationDate` it lives until it is removed.',
    body: readNewPersonalAccessToken,
    answer: z.strictObject({ tokenId: idSchema, token: z.string(), details: createdDetailsSchema }),
  })
  async add(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
  ): Promise<AddedPersonalAccessTokenResponse> {
    const { expirationDate } = readNewPersonalAccessToken(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const added = await this.tokens.add(tx, changeOf(call, id), expirationDate);
      return { tokenId: added.id, token: added.token, details: createdDetails(added.details) };
    });
  }

  @Get('users/:id/pats')
  @RequiresPermission('user.read')
  @Documented({
    summary: 'List the personal access tokens of a service user',
    query: pageParameters,
    answer: listSchema(personalAccessTokenSchema),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Param('id', USER_ID) id: string,
    @Query() query: unknown,
  ): Promise<ListResponse<PersonalAccessTokenResponse>> {
    const page = await this.tokens.list(orgId, id as UserId, readPageParameters(query));
    return listResponse(page, tokenResponse);
  }

  @Get('users/:id/pats/:tokenId')
  @RequiresPermission('user.read')
  @Documented({
    summary: 'Find a personal access token',
    description: 'Never the token itself.',
    answer: z.strictObject({ token: personalAccessTokenSchema }),
  })
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('id', USER_ID) id: string,
    @Param('tokenId', TOKEN_ID) tokenId: string,
  ): Promise<{ token: PersonalAccessTokenResponse }> {
    const token = await this.tokens.get(orgId, id as UserId, tokenId as PersonalAccessTokenId);
    return { token: tokenResponse(token) };
  }

  @Delete('users/:id/pats/:tokenId')
  @RequiresPermission('user.write')
  @Documented({
    summary: 'Remove a personal access token',
    description: 'It stops at once.',
    answer: changedSchema,
  })
  async remove(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
    @Param('tokenId', TOKEN_ID) tokenId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const details = await this.tokens.remove(tx, changeOf(call, id), tokenId as PersonalAccessTokenId);
      return { details: changedDetails(details) };
    });
  }
}

function tokenResponse({ id, expiresAt, details }: PersonalAccessToken): PersonalAccessTokenResponse {
  return { id, details: readDetails(details), expirationDate: (expiresAt ?? NEVER).toISOString() };
}
