import { Body, Get, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import { ChangeEmail } from '../../domain/accounts/change-email.js';
import { VerifyOwnEmail } from '../../domain/accounts/verify-own-email.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { emailAnswer, emailBody } from '../shared/schemas/human.schemas.js';
import { AsksFor } from '../shared/self.guard.js';
import { codeBody, ownAccount } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

/** The own e-mail address: seen, changed and verified. */
@SelfController('auth/v1/users/me/email')
export class OwnEmailController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly changeEmail: ChangeEmail,
    private readonly verifyEmail: VerifyOwnEmail,
    private readonly limits: CallerLimits,
  ) {}

  @Get()
  @AsksFor('read')
  @Operation({
    operationId: 'OwnAccount.findEmail',
    summary: 'Find the own e-mail address',
    answer: emailAnswer,
  })
  async find(@CallerParam() { orgId, userId }: Caller) {
    return await this.findUser.findPart(orgId, userId, 'email');
  }

  @Put()
  @AsksFor('fresh')
  @Operation({
    operationId: 'OwnAccount.replaceEmail',
    summary: 'Change the own e-mail address',
    description:
      'Needs a fresh sign-in. Beside a verified one it waits until its code came back; the verified one is told.',
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Body({ schema: emailBody }) email: z.output<typeof emailBody>,
  ): Promise<WireAnswer> {
    await this.limits.admitMail(call.caller);
    return await this.idempotentRequests.change(call, (tx) =>
      this.changeEmail.executeOwn(tx, ownAccount(call), email),
    );
  }

  @Post('_resend_verification')
  @AsksFor('write')
  @Operation({
    operationId: 'OwnAccount.resendEmail',
    summary: 'Send another code to the own e-mail address',
    answer: changeAnswer,
  })
  async resend(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) => this.changeEmail.resend(tx, ownAccount(call)));
  }

  @Post('_verify')
  @AsksFor('write')
  @Operation({
    operationId: 'OwnAccount.verify',
    summary: 'Verify the own e-mail address',
    description: 'A code takes three tries; the link in the mail has more.',
    answer: changeAnswer,
  })
  async verify(
    @Call() call: ApiCall,
    @Body({ schema: codeBody }) { code }: z.output<typeof codeBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.changePrepared(call, () =>
      this.verifyEmail.prepare(ownAccount(call), code),
    );
  }
}
