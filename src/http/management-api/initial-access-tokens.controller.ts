import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import {
  initialAccessTokenNotFound,
  InitialAccessTokens,
} from '../../domain/client-registration/initial-access/initial-access-tokens.js';
import { InitialAccessTokensStore } from '../../domain/client-registration/initial-access/initial-access-tokens.store.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { InitialAccessTokenId, OrgId } from '../../domain/shared/ids.js';
import type { PageQuery } from '../../domain/shared/page.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { addedTokenAnswer } from './added-token.schemas.js';
import {
  initialAccessTokenAnswer,
  initialAccessTokenListQuery,
  newInitialAccessTokenBody,
} from './initial-access-token.schemas.js';

const Token = () => Param('initialAccessTokenId', new PathId(initialAccessTokenNotFound));

/** The tokens by which applications register themselves with a project of the organization (docs/client-registration.md). */
@ApiController('management/v1/orgs/me/initial_access_tokens')
export class InitialAccessTokensController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly store: InitialAccessTokensStore,
    private readonly tokens: InitialAccessTokens,
  ) {}

  @Post()
  @Operation({
    summary: 'Make an initial access token',
    description:
      'Whoever holds it registers applications with the project, and does nothing else. The token is shown this once. It ' +
      'opens nothing where `CLIENT_REGISTRATION` is off.',
    permission: 'project.app.write',
    stepUp: 'always',
    answer: addedTokenAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: newInitialAccessTokenBody }) settings: z.output<typeof newInitialAccessTokenBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) =>
      this.tokens.add(tx, call.orgId, settings, call.caller),
    );
  }

  @Get()
  @Operation({
    summary: 'List initial access tokens',
    permission: 'project.app.read',
    answer: listAnswer(initialAccessTokenAnswer),
  })
  async list(@ActingOrg() orgId: OrgId, @Query({ schema: initialAccessTokenListQuery }) page: PageQuery) {
    return await this.store.list(orgId, page);
  }

  @Get(':initialAccessTokenId')
  @Operation({
    summary: 'Find an initial access token',
    description: 'Never the token itself.',
    permission: 'project.app.read',
    answer: z.object({ initialAccessToken: initialAccessTokenAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @Token() id: InitialAccessTokenId) {
    return { initialAccessToken: await this.tokens.get(orgId, id) };
  }

  @Delete(':initialAccessTokenId')
  @Operation({
    summary: 'Remove an initial access token',
    description: 'It stops at once; what registered with it stays.',
    permission: 'project.app.write',
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall, @Token() id: InitialAccessTokenId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.tokens.remove(tx, call.orgId, id, call.caller),
    );
  }
}
