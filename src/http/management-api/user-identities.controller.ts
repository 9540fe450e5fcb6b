import { Body, Delete, Get, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { AddIdentity } from '../../domain/identity-providers/identities/add-identity.js';
import { ListIdentities } from '../../domain/identity-providers/identities/list-identities.js';
import {
  identityNotFound,
  RemoveIdentity,
} from '../../domain/identity-providers/identities/remove-identity.js';
import type { UserIdentity } from '../../domain/identity-providers/identities/user-identities.store.js';
import { requireOtherAccount } from '../../domain/permissions/require-other-account.js';
import type { OrgId, UserId, UserIdentityId } from '../../domain/shared/ids.js';
import { answerFrom, changeAnswer, detailsOfChange, shownTime } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';
import { newUserIdentityBody } from '../shared/schemas/user-identity.schemas.js';
import { User } from './users.controller.js';

const Identity = () => Param('identityId', new PathId(identityNotFound));

const identityAnswer = answerFrom(
  z.object({
    id: idSchema,
    idpId: idSchema,
    idpName: z.string(),
    externalUserId: z.string(),
    displayName: z.string(),
    creationDate: shownTime,
    lastUsed: shownTime.optional(),
  }),
  ({ id, providerId, providerName, subject, displayName, createdAt, lastUsedAt }: UserIdentity) => ({
    id,
    idpId: providerId,
    idpName: providerName,
    externalUserId: subject,
    displayName,
    creationDate: createdAt,
    lastUsed: lastUsedAt ?? undefined,
  }),
);

/** Who a user of the organization is at identity providers. */
@ApiController('management/v1/users/:id/idps')
export class UserIdentitiesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly listIdentities: ListIdentities,
    private readonly addIdentity: AddIdentity,
    private readonly removeIdentity: RemoveIdentity,
  ) {}

  @Get()
  @Operation({
    summary: 'List the external identities of a user',
    permission: 'user.read',
    answer: z.object({ result: z.array(identityAnswer).readonly() }),
  })
  async list(@ActingOrg() orgId: OrgId, @User() id: UserId) {
    return { result: await this.listIdentities.execute(orgId, id) };
  }

  @Post()
  @Operation({
    summary: 'Add an external identity to a user',
    description: 'To somebody else. Whoever the provider calls so signs in as the user from then on.',
    permission: 'user.write',
    stepUp: 'always',
    answer: z.object({ id: idSchema, details: detailsOfChange }),
  })
  async add(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Body({ schema: newUserIdentityBody }) body: z.output<typeof newUserIdentityBody>,
  ): Promise<WireAnswer> {
    const { idpId: providerId, externalUserId: subject, displayName } = body;
    const change = userChange(call, userId);
    return await this.idempotentRequests.write(call, (tx) =>
      this.addIdentity.execute(tx, change, { providerId, subject, displayName }),
    );
  }

  @Delete(':identityId')
  @Operation({
    summary: 'Remove an external identity of a user',
    description:
      'Of somebody else, and not the last way in. Sessions, tokens and authorizations of the user end.',
    permission: 'user.write',
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Identity() id: UserIdentityId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const change = userChange(call, userId);
    requireOtherAccount(change);
    return await this.idempotentRequests.change(call, (tx) => this.removeIdentity.execute(tx, change, id));
  }
}
