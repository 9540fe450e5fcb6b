import { Body, Get, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import { ChangeEmail } from '../../domain/accounts/change-email.js';
import { ChangeOwnPassword } from '../../domain/accounts/change-own-password.js';
import { ChangePhone } from '../../domain/accounts/change-phone.js';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import { VerifyOwnEmail } from '../../domain/accounts/verify-own-email.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import {
  emailAnswer,
  emailBody,
  phoneAnswer,
  phoneBody,
  profileAnswer,
  profileBody,
  REPLACED_PROFILE,
} from '../shared/human.schemas.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { SelfController } from '../shared/self-controller.js';
import { AsksFor } from '../shared/self.guard.js';
import { Source } from '../shared/source.js';
import { foundUserAnswer } from '../shared/user.schemas.js';
import { codeBody, ownAccount, ownPasswordBody } from './own-account.schemas.js';

/** What users see and change of their own account. */
@SelfController('auth/v1/users/me')
export class OwnAccountController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly changeProfile: ChangeProfile,
    private readonly changeEmail: ChangeEmail,
    private readonly verifyEmail: VerifyOwnEmail,
    private readonly changePhone: ChangePhone,
    private readonly changePassword: ChangeOwnPassword,
    private readonly limits: CallerLimits,
  ) {}

  @Get()
  @AsksFor('read')
  @Operation({ summary: 'Find the own account', answer: foundUserAnswer })
  async find(@CallerParam() { orgId, userId }: Caller) {
    return { user: await this.findUser.find(orgId, userId) };
  }

  @Get('profile')
  @AsksFor('read')
  @Operation({ summary: 'Find the own profile', answer: profileAnswer })
  async findProfile(@CallerParam() { orgId, userId }: Caller) {
    return await this.findUser.findPart(orgId, userId, 'profile');
  }

  @Put('profile')
  @AsksFor('write')
  @Operation({ summary: 'Replace the own profile', description: REPLACED_PROFILE, answer: changeAnswer })
  async replaceProfile(
    @Call() call: ApiCall,
    @Body({ schema: profileBody }) profile: z.output<typeof profileBody>,
  ): Promise<WireAnswer> {
    return await this.change(call, (tx) => this.changeProfile.execute(tx, ownAccount(call), profile));
  }

  @Get('email')
  @AsksFor('read')
  @Operation({ summary: 'Find the own e-mail address', answer: emailAnswer })
  async findEmail(@CallerParam() { orgId, userId }: Caller) {
    return await this.findUser.findPart(orgId, userId, 'email');
  }

  @Put('email')
  @AsksFor('fresh')
  @Operation({
    summary: 'Change the own e-mail address',
    description:
      'Needs a fresh sign-in. Beside a verified one it waits until its code came back; the verified one is told.',
    answer: changeAnswer,
  })
  async replaceEmail(
    @Call() call: ApiCall,
    @Body({ schema: emailBody }) email: z.output<typeof emailBody>,
  ): Promise<WireAnswer> {
    await this.limits.admitMail(call.caller);
    return await this.change(call, (tx) => this.changeEmail.executeOwn(tx, ownAccount(call), email));
  }

  @Post('email/_resend_verification')
  @AsksFor('write')
  @Operation({ summary: 'Send another code to the own e-mail address', answer: changeAnswer })
  async resendEmail(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, (tx) => this.changeEmail.resend(tx, ownAccount(call)));
  }

  @Post('email/_verify')
  @AsksFor('write')
  @Operation({
    summary: 'Verify the own e-mail address',
    description: 'A code takes three tries; the link in the mail has more.',
    answer: changeAnswer,
  })
  async verify(
    @Call() call: ApiCall,
    @Body({ schema: codeBody }) { code }: z.output<typeof codeBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.answer(call, async () => {
      const confirm = await this.verifyEmail.prepare(ownAccount(call), code);
      return async (tx) => ({ details: await confirm(tx) });
    });
  }

  @Get('phone')
  @AsksFor('read')
  @Operation({ summary: 'Find the own phone number', answer: phoneAnswer })
  async findPhone(@CallerParam() { orgId, userId }: Caller) {
    return await this.findUser.findPart(orgId, userId, 'phone');
  }

  @Put('phone')
  @AsksFor('fresh')
  @Operation({
    summary: 'Change the own phone number',
    description:
      'Needs a fresh sign-in. It is unverified afterwards; its code is sent where an SMS provider and the limits allow it.',
    answer: changeAnswer,
  })
  async replacePhone(
    @Call() call: ApiCall,
    @Source() source: string,
    @Body({ schema: phoneBody }) phone: z.output<typeof phoneBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.answer(call, async () => {
      const replace = await this.changePhone.prepareReplace(ownAccount(call), phone, source);
      return async (tx) => ({ details: await replace(tx) });
    });
  }

  @Put('password')
  @AsksFor('fresh')
  @Operation({
    summary: 'Change the own password',
    description:
      'Needs a fresh sign-in. Sessions, tokens and grants end at once, the one of this call among them.',
    answer: changeAnswer,
  })
  async replacePassword(
    @Call() call: ApiCall,
    @Source() source: string,
    @Body({ schema: ownPasswordBody }) body: z.output<typeof ownPasswordBody>,
  ): Promise<WireAnswer> {
    const { oldPassword, newPassword } = body;
    return await this.idempotentRequests.answer(call, async () => {
      const change = await this.changePassword.prepare(ownAccount(call), oldPassword, newPassword, source);
      return async (tx) => ({ details: await change(tx) });
    });
  }

  private async change(call: ApiCall, work: (tx: Tx) => Promise<ResourceDetails>): Promise<WireAnswer> {
    return await this.idempotentRequests.answer(call, async () => async (tx) => ({
      details: await work(tx),
    }));
  }
}
