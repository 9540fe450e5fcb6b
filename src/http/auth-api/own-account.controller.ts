import { Get, HttpCode, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { ChangeEmail } from '../../domain/accounts/change-email.js';
import { ChangeOwnPassword } from '../../domain/accounts/change-own-password.js';
import { ChangePhone } from '../../domain/accounts/change-phone.js';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import { VerifyOwnEmail } from '../../domain/accounts/verify-own-email.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changedSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { bodyReader, readNothing } from '../shared/api-fields.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { changedDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import {
  readEmail,
  readEmailFields,
  readPhone,
  readPhoneFields,
  readProfile,
  REPLACED_PROFILE,
} from '../shared/human-fields.js';
import {
  emailResponse,
  phoneResponse,
  profileResponse,
  type EmailResponse,
  type PhoneResponse,
  type ProfileResponse,
} from '../shared/human-responses.js';
import { emailAnswer, phoneAnswer, profileAnswer } from '../shared/human-schemas.js';
import { SelfController } from '../shared/self-controller.js';
import { AsksFor } from '../shared/self.guard.js';
import { Source } from '../shared/source.js';
import { userResponse } from '../shared/user-response.js';
import { userSchema } from '../shared/user-schemas.js';

const password = z.string({
  error: ({ input }) => (input === undefined ? 'is required' : 'must be a string'),
});
export const readOwnPasswordFields = bodyReader({ oldPassword: password, newPassword: password });
export const readCodeFields = bodyReader({ code: password });

interface ChangeResponse {
  readonly details: DetailsResponse;
}

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
  @Documented({ summary: 'Find the own account', answer: z.strictObject({ user: userSchema }) })
  async find(@CallerParam() { orgId, userId }: Caller) {
    return userResponse(await this.findUser.find(orgId, userId));
  }

  @Get('profile')
  @AsksFor('read')
  @Documented({ summary: 'Find the own profile', answer: profileAnswer })
  async findProfile(@CallerParam() { orgId, userId }: Caller): Promise<ProfileResponse> {
    return profileResponse(await this.findUser.find(orgId, userId));
  }

  @Put('profile')
  @AsksFor('write')
  @Documented({
    summary: 'Replace the own profile',
    description: REPLACED_PROFILE,
    body: readProfile,
    answer: changedSchema,
  })
  async replaceProfile(@Call() call: ApiCall): Promise<ChangeResponse> {
    const profile = readProfile(call.body);
    return await this.change(call, (tx) => this.changeProfile.execute(tx, own(call), profile));
  }

  @Get('email')
  @AsksFor('read')
  @Documented({ summary: 'Find the own e-mail address', answer: emailAnswer })
  async findEmail(@CallerParam() { orgId, userId }: Caller): Promise<EmailResponse> {
    return emailResponse(await this.findUser.find(orgId, userId));
  }

  @Put('email')
  @AsksFor('fresh')
  @Documented({
    summary: 'Change the own e-mail address',
    description:
      'Needs a fresh sign-in. Beside a verified one it waits until its code came back; the verified one is told.',
    body: readEmailFields,
    answer: changedSchema,
  })
  async replaceEmail(@Call() call: ApiCall): Promise<ChangeResponse> {
    const email = readEmail(call.body);
    await this.limits.admitMail(call.caller);
    return await this.change(call, (tx) => this.changeEmail.executeOwn(tx, own(call), email));
  }

  @Post('email/_resend_verification')
  @HttpCode(200)
  @AsksFor('write')
  @Documented({ summary: 'Send another code to the own e-mail address', answer: changedSchema })
  async resendEmail(@Call() call: ApiCall): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, (tx) => this.changeEmail.resend(tx, own(call)));
  }

  @Post('email/_verify')
  @HttpCode(200)
  @AsksFor('write')
  @Documented({
    summary: 'Verify the own e-mail address',
    description: 'A code takes three tries; the link in the mail has more.',
    body: readCodeFields,
    answer: changedSchema,
  })
  async verify(@Call() call: ApiCall): Promise<ChangeResponse> {
    const { code } = readCodeFields(call.body);
    return await this.idempotentRequests.run(call, async () => {
      const confirm = await this.verifyEmail.prepare(own(call), code);
      return async (tx) => ({ details: changedDetails(await confirm(tx)) });
    });
  }

  @Get('phone')
  @AsksFor('read')
  @Documented({ summary: 'Find the own phone number', answer: phoneAnswer })
  async findPhone(@CallerParam() { orgId, userId }: Caller): Promise<PhoneResponse> {
    return phoneResponse(await this.findUser.find(orgId, userId));
  }

  @Put('phone')
  @AsksFor('fresh')
  @Documented({
    summary: 'Change the own phone number',
    description:
      'Needs a fresh sign-in. It is unverified afterwards; its code is sent where an SMS provider and the limits allow it.',
    body: readPhoneFields,
    answer: changedSchema,
  })
  async replacePhone(@Call() call: ApiCall, @Source() source: string): Promise<ChangeResponse> {
    const phone = readPhone(call.body);
    return await this.idempotentRequests.run(call, async () => {
      const replace = await this.changePhone.prepareReplace(own(call), phone, source);
      return async (tx) => ({ details: changedDetails(await replace(tx)) });
    });
  }

  @Put('password')
  @AsksFor('fresh')
  @Documented({
    summary: 'Change the own password',
    description:
      'Needs a fresh sign-in. Sessions, tokens and grants end at once, the one of this call among them.',
    body: readOwnPasswordFields,
    answer: changedSchema,
  })
  async replacePassword(@Call() call: ApiCall, @Source() source: string): Promise<ChangeResponse> {
    const { oldPassword, newPassword } = readOwnPasswordFields(call.body);
    return await this.idempotentRequests.run(call, async () => {
      const change = await this.changePassword.prepare(own(call), oldPassword, newPassword, source);
      return async (tx) => ({ details: changedDetails(await change(tx)) });
    });
  }

  private async change(call: ApiCall, work: (tx: Tx) => Promise<ResourceDetails>): Promise<ChangeResponse> {
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await work(tx)),
    }));
  }
}

function own({ orgId, caller, acting }: ApiCall) {
  return { orgId, userId: caller, ...acting };
}
