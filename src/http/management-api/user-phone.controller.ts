import { Param, Post } from '@nestjs/common';
import { ResendPhoneCode } from '../../domain/accounts/resend-phone-code.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { UserId } from '../../domain/shared/ids.js';
import { userNotFound } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';

/** What managers do about the verification of a user's phone number. */
@ApiController('management/v1/users/:id/phone')
export class UserPhoneController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly resendPhoneCode: ResendPhoneCode,
  ) {}

  @Post('_resend_verification')
  @Operation({
    summary: 'Send another code to a phone number',
    description: 'It takes the place of the one before. Limits apply: 429 says how long to wait.',
    permission: 'user.write',
    answer: changeAnswer,
  })
  async resend(
    @Call() call: ApiCall,
    @Param('id', new PathId(userNotFound)) userId: UserId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = { orgId: call.orgId, userId, ...call.acting };
    return await this.idempotentRequests.answer(call, async () => {
      const enqueue = await this.resendPhoneCode.prepare(target, undefined);
      return async (tx) => ({ details: await enqueue(tx) });
    });
  }
}
