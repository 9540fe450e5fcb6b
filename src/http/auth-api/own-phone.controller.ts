import { Body, Post } from '@nestjs/common';
import { z } from 'zod';
import { ResendPhoneCode } from '../../domain/accounts/resend-phone-code.js';
import { VerifyOwnPhone } from '../../domain/accounts/verify-own-phone.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { Operation } from '../shared/operation.js';
import { AsksFor, SetsUpFactor } from '../shared/self.guard.js';
import { Source } from '../shared/server/source.js';
import { codeBody, ownAccount } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

/** Unlike calls that take no body, this one wants it. */
const emptyBody = z.strictObject({});

/** Verification of the own phone number, which codes by SMS need. Where a message goes is never a caller's to say (security S134). */
@SelfController('auth/v1/users/me/phone')
@SetsUpFactor(true)
export class OwnPhoneController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly resendPhoneCode: ResendPhoneCode,
    private readonly verifyPhone: VerifyOwnPhone,
  ) {}

  /** Spec: the access token needs scope `openid` and nothing more. */
  @Post('_resend_verification')
  @AsksFor('use')
  @Operation({
    summary: 'Send another code to the own phone number',
    description:
      'It takes the place of the one before. The body is an empty object. Limits apply: 429 says how long to wait.',
    answer: changeAnswer,
  })
  async resend(
    @Call() call: ApiCall,
    @Source() source: string,
    @Body({ schema: emptyBody }) _body: object,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.changePrepared(call, () =>
      this.resendPhoneCode.prepare(ownAccount(call), source),
    );
  }

  @Post('_verify')
  @AsksFor('write')
  @Operation({
    summary: 'Verify the own phone number',
    description: 'A code takes five tries in all.',
    answer: changeAnswer,
  })
  async verify(
    @Call() call: ApiCall,
    @Body({ schema: codeBody }) { code }: z.output<typeof codeBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.changePrepared(call, () =>
      this.verifyPhone.prepare(ownAccount(call), code),
    );
  }
}
