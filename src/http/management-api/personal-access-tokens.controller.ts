import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import {
  personalAccessTokenNotFound,
  PersonalAccessTokens,
} from '../../domain/service-users/personal-access-tokens.js';
import type { OrgId, PersonalAccessTokenId, UserId } from '../../domain/shared/ids.js';
import type { PageQuery } from '../../domain/shared/page.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { addedTokenAnswer } from './added-token.schemas.js';
import { newTokenBody, tokenAnswer, tokenListQuery } from './personal-access-token.schemas.js';
import { User } from './users.controller.js';

const Token = () => Param('tokenId', new PathId(personalAccessTokenNotFound));
const read = 'user.read';
const write = 'user.write';

/** The personal access tokens of a service user. */
@ApiController('management/v1')
export class PersonalAccessTokensController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly tokens: PersonalAccessTokens,
  ) {}

  @Post('users/:id/pats')
  @Operation({
    summary: 'Make a personal access token for a service user',
    description: 'The token is shown this once. Without `expirationDate` it lives until it is removed.',
    permission: write,
    stepUp: 'always',
    answer: addedTokenAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Body({ schema: newTokenBody }) { expirationDate }: z.output<typeof newTokenBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) =>
      this.tokens.add(tx, userChange(call, id), expirationDate),
    );
  }

  @Get('users/:id/pats')
  @Operation({
    summary: 'List the personal access tokens of a service user',
    permission: read,
    answer: listAnswer(tokenAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @User() id: UserId,
    @Query({ schema: tokenListQuery }) page: PageQuery,
  ) {
    return await this.tokens.list(orgId, id, page);
  }

  @Get('users/:id/pats/:tokenId')
  @Operation({
    summary: 'Find a personal access token',
    description: 'Never the token itself.',
    permission: read,
    answer: z.object({ token: tokenAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @User() id: UserId, @Token() tokenId: PersonalAccessTokenId) {
    return { token: await this.tokens.get(orgId, id, tokenId) };
  }

  @Delete('users/:id/pats/:tokenId')
  @Operation({
    summary: 'Remove a personal access token',
    description: 'It stops at once.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Token() tokenId: PersonalAccessTokenId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.tokens.remove(tx, userChange(call, id), tokenId),
    );
  }
}
