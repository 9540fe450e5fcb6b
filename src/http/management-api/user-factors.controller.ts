import { Delete, Get, Param } from '@nestjs/common';
import { ResetFactors } from '../../domain/accounts/reset-factors.js';
import { RemoveCodeFactor } from '../../domain/factors/codes/remove-code-factor.js';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { RemoveTotp } from '../../domain/factors/totp/remove-totp.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { CodeFactorKind } from '../../domain/policies/factor-policy.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { codeKind, factorsAnswer } from '../shared/schemas/factor.schemas.js';
import { User } from './users.controller.js';

/** What a user of the organization shows besides a password. Passkeys have routes of their own. */
@ApiController('management/v1/users/:id/factors')
export class UserFactorsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly factors: FactorsStore,
    private readonly resetFactors: ResetFactors,
    private readonly removeTotp: RemoveTotp,
    private readonly removeCodeFactor: RemoveCodeFactor,
  ) {}

  @Get()
  @Operation({ summary: 'Find the second factors of a user', permission: 'user.read', answer: factorsAnswer })
  async find(@ActingOrg() orgId: OrgId, @User() id: UserId) {
    const user = await this.findUser.find(orgId, id);
    return await this.factors.findUsable(user.id);
  }

  @Delete()
  @Operation({
    summary: 'Reset the second factors of a user',
    description:
      'The authenticator app, passkeys and recovery codes are forgotten, and the password alone signs in. Sessions, ' +
      'tokens and authorizations of the user end; the user is told by mail. Nobody resets their own.',
    permission: 'user.write',
    answer: changeAnswer,
  })
  async reset(@Call() call: ApiCall, @User() userId: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) => this.resetFactors.execute(tx, target));
  }

  @Delete('totp')
  @Operation({
    summary: 'Remove the authenticator app of a user',
    description:
      'Its codes are not asked for any more. Sessions, tokens and authorizations of the user end; the user is told by mail. ' +
      'Nobody removes their own here.',
    permission: 'user.write',
    answer: changeAnswer,
  })
  async removeApp(@Call() call: ApiCall, @User() userId: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) => this.removeTotp.ofUser(tx, target));
  }

  @Delete('codes/:kind')
  @Operation({
    summary: 'Have no codes sent to a user any more',
    description:
      'By e-mail or SMS, as a second factor. Sessions, tokens and authorizations of the user end; the user is told by mail. ' +
      'Nobody removes their own here.',
    permission: 'user.write',
    answer: changeAnswer,
  })
  async removeCodes(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @Param('kind', { schema: codeKind }) kind: CodeFactorKind,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) => this.removeCodeFactor.ofUser(tx, target, kind));
  }
}
