import { Body, Delete, Param, Post } from '@nestjs/common';
import type { z } from 'zod';
import { AddCodeFactor } from '../../domain/factors/codes/add-code-factor.js';
import { RemoveCodeFactor } from '../../domain/factors/codes/remove-code-factor.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { CodeFactorKind } from '../../domain/policies/factor-policy.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { codeKind, codeSentAnswer, sentCodeBody } from '../shared/schemas/factor.schemas.js';
import { AsksFor, SetsUpFactor } from '../shared/self.guard.js';
import { Source } from '../shared/server/source.js';
import { ownAccount } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

/** Codes by e-mail or SMS as the caller's second factor. */
@SelfController('auth/v1/users/me/factors/codes')
@SetsUpFactor(true)
export class OwnCodeFactorsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly addCodeFactor: AddCodeFactor,
    private readonly removeCodeFactor: RemoveCodeFactor,
  ) {}

  @Post(':kind/_begin')
  @AsksFor('fresh')
  @Operation({
    summary: 'Begin to have codes sent',
    description:
      'Needs a fresh sign-in, and a verified e-mail address or phone number. Sends a code there, which is good for ten minutes, ' +
      'in the session of the token, and takes the place of one that was sent before.',
    answer: codeSentAnswer,
  })
  async beginCodes(
    @Call() call: ApiCall,
    @CallerParam() { orgId, userId, session }: Caller,
    @Param('kind', { schema: codeKind }) kind: CodeFactorKind,
    @Source() source: string,
  ) {
    checkBody(nothingBody, call.body);
    return { sent: await this.addCodeFactor.begin({ orgId, userId, session }, kind, source) };
  }

  @Post(':kind/_finish')
  @AsksFor('fresh')
  @Operation({
    summary: 'Have codes sent as a second factor',
    description:
      'Needs a fresh sign-in. Takes the code that was sent. From then on one is asked for at sign-in; the user is told by ' +
      'mail. Wrong codes count as wrong passwords do.',
    answer: changeAnswer,
  })
  async finishCodes(
    @Call() call: ApiCall,
    @CallerParam() { session }: Caller,
    @Param('kind', { schema: codeKind }) kind: CodeFactorKind,
    @Body({ schema: sentCodeBody }) { code }: z.output<typeof sentCodeBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.changePrepared(call, () =>
      this.addCodeFactor.prepare({ ...ownAccount(call), session }, kind, code),
    );
  }

  @Delete(':kind')
  @AsksFor('fresh')
  @Operation({
    summary: 'Have no codes sent any more',
    description:
      'Needs a fresh sign-in. Where nothing else is left to stand in for, the recovery codes go with it. The user is told by mail.',
    answer: changeAnswer,
  })
  async removeCodes(
    @Call() call: ApiCall,
    @Param('kind', { schema: codeKind }) kind: CodeFactorKind,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.removeCodeFactor.ofOwn(tx, ownAccount(call), kind),
    );
  }
}
