import { HttpCode, Post } from '@nestjs/common';
import { ResendPhoneCode } from '../../domain/accounts/resend-phone-code.js';
import { VerifyOwnPhone } from '../../domain/accounts/verify-own-phone.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { changedSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { readNothing } from '../shared/api-fields.js';
import { changedDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { SelfController } from '../shared/self-controller.js';
import { AsksFor } from '../shared/self.guard.js';
import { Source } from '../shared/source.js';
import { readCodeFields } from './own-account.controller.js';

interface ChangeResponse {
  readonly details: DetailsResponse;
}

/** Verification of the own phone number. Where a message goes is never a caller's to say (security S134). */
@SelfController('auth/v1/users/me/phone')
export class OwnPhoneController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly resendPhoneCode: ResendPhoneCode,
    private readonly verifyPhone: VerifyOwnPhone,
  ) {}

  /** Spec: the access token needs scope `openid` and nothing more. */
  @Post('_resend_verification')
  @HttpCode(200)
  @AsksFor('read')
  @Documented({
    summary: 'Send another code to the own phone number',
    description:
      'It takes the place of the one before. The body is an empty object. Limits apply: 429 says how long to wait.',
    body: readNothing,
    bodyRequired: true,
    answer: changedSchema,
  })
  async resend(@Call() call: ApiCall, @Source() source: string): Promise<ChangeResponse> {
    readNothing(call.body);
    return await this.idempotentRequests.run(call, async () => {
      const enqueue = await this.resendPhoneCode.prepare(own(call), source);
      return async (tx) => ({ details: changedDetails(await enqueue(tx)) });
    });
  }

  @Post('_verify')
  @HttpCode(200)
  @AsksFor('write')
  @Documented({
    summary: 'Verify the own phone number',
    description: 'A code takes five tries in all.',
    body: readCodeFields,
    answer: changedSchema,
  })
  async verify(@Call() call: ApiCall): Promise<ChangeResponse> {
    const { code } = readCodeFields(call.body);
    return await this.idempotentRequests.run(call, async () => {
      const confirm = await this.verifyPhone.prepare(own(call), code);
      return async (tx) => ({ details: changedDetails(await confirm(tx)) });
    });
  }
}

function own({ orgId, caller, acting }: ApiCall) {
  return { orgId, userId: caller, ...acting };
}
