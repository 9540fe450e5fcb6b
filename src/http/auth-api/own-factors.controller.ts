import { Body, Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { MakeRecoveryCodes } from '../../domain/factors/recovery-codes/make-recovery-codes.js';
import { BeginTotp } from '../../domain/factors/totp/begin-totp.js';
import { FinishTotp } from '../../domain/factors/totp/finish-totp.js';
import { RemoveTotp } from '../../domain/factors/totp/remove-totp.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import {
  factorsAnswer,
  newTotpAnswer,
  recoveryCodesAnswer,
  totpCodeBody,
} from '../shared/schemas/factor.schemas.js';
import { AsksFor, SetsUpFactor } from '../shared/self.guard.js';
import { ownAccount } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

/** What the caller shows besides a password. */
@SelfController('auth/v1/users/me/factors')
@SetsUpFactor(true)
export class OwnFactorsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly factors: FactorsStore,
    private readonly beginTotp: BeginTotp,
    private readonly finishTotp: FinishTotp,
    private readonly removeTotp: RemoveTotp,
    private readonly makeRecoveryCodes: MakeRecoveryCodes,
  ) {}

  @Get()
  @AsksFor('read')
  @Operation({ summary: 'Find the own second factors', answer: factorsAnswer })
  async find(@CallerParam() { userId }: Caller) {
    return await this.factors.findUsable(userId);
  }

  @Post('totp/_begin')
  @AsksFor('fresh')
  @Operation({
    summary: 'Begin to add an authenticator app',
    description:
      'Needs a fresh sign-in. The secret is good for ten minutes, in the session of the token, and takes the place of one ' +
      'that was begun before. Nothing is asked for until `_finish`.',
    answer: newTotpAnswer,
  })
  async begin(@Call() call: ApiCall, @CallerParam() { orgId, userId, session }: Caller) {
    checkBody(nothingBody, call.body);
    return await this.beginTotp.execute({ orgId, userId, session });
  }

  @Post('totp/_finish')
  @AsksFor('fresh')
  @Operation({
    summary: 'Add an authenticator app',
    description:
      'Needs a fresh sign-in. Takes one code of the app, which is used up. From then on its codes are asked for at sign-in, ' +
      'in place of those of an app that was there before; the user is told by mail. Wrong codes count as wrong passwords do.',
    answer: changeAnswer,
  })
  async finish(
    @Call() call: ApiCall,
    @CallerParam() { session }: Caller,
    @Body({ schema: totpCodeBody }) { code }: z.output<typeof totpCodeBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.changePrepared(call, () =>
      this.finishTotp.prepare({ ...ownAccount(call), session }, code),
    );
  }

  @Post('recovery-codes')
  @AsksFor('fresh')
  @Operation({
    summary: 'Make recovery codes',
    description:
      'Needs a fresh sign-in, and a second factor that they stand in for. Earlier codes stop working. ' +
      'The user is told by mail, now and whenever one is used.',
    answer: recoveryCodesAnswer,
  })
  async makeCodes(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.write(call, (tx) =>
      this.makeRecoveryCodes.execute(tx, ownAccount(call)),
    );
  }

  @Delete('totp')
  @AsksFor('fresh')
  @Operation({
    summary: 'Remove the own authenticator app',
    description:
      'Needs a fresh sign-in. Its codes are not asked for any more; where nothing else is left to stand in for, the recovery ' +
      'codes go with it. The user is told by mail.',
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) => this.removeTotp.ofOwn(tx, ownAccount(call)));
  }
}
