import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { scimTokenNotFound, ScimTokens } from '../../domain/scim/scim-tokens.js';
import { ScimTokensStore } from '../../domain/scim/scim-tokens.store.js';
import type { OrgId, ScimTokenId } from '../../domain/shared/ids.js';
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
import { newScimTokenBody, scimTokenAnswer, scimTokenListQuery } from './scim-token.schemas.js';

const Token = () => Param('scimTokenId', new PathId(scimTokenNotFound));
const read = 'org.read';
const write = 'org.write';

/** The tokens by which directories provision users of the organization that the call acts in (docs/scim.md). */
@ApiController('management/v1/orgs/me/scim_tokens')
export class ScimTokensController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly store: ScimTokensStore,
    private readonly tokens: ScimTokens,
  ) {}

  @Post()
  @Operation({
    summary: 'Make a SCIM token',
    description:
      'Whoever holds it creates, changes and deletes users of the organization by SCIM, and nothing else. The token is shown ' +
      'this once. Without `expirationDate` it lives until it is removed.',
    permission: write,
    stepUp: 'always',
    answer: addedTokenAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: newScimTokenBody }) settings: z.output<typeof newScimTokenBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) =>
      this.tokens.add(tx, call.orgId, settings, call.caller),
    );
  }

  @Get()
  @Operation({ summary: 'List SCIM tokens', permission: read, answer: listAnswer(scimTokenAnswer) })
  async list(@ActingOrg() orgId: OrgId, @Query({ schema: scimTokenListQuery }) page: PageQuery) {
    return await this.store.list(orgId, page);
  }

  @Get(':scimTokenId')
  @Operation({
    summary: 'Find a SCIM token',
    description: 'Never the token itself.',
    permission: read,
    answer: z.object({ scimToken: scimTokenAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @Token() id: ScimTokenId) {
    return { scimToken: await this.tokens.get(orgId, id) };
  }

  @Delete(':scimTokenId')
  @Operation({
    summary: 'Remove a SCIM token',
    description: 'It stops at once.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall, @Token() id: ScimTokenId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.tokens.remove(tx, call.orgId, id, call.caller),
    );
  }
}
