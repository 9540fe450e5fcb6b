import { HttpCode, Param, Post } from '@nestjs/common';
import { ResendPhoneCode } from '../../domain/accounts/resend-phone-code.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import type { UserId } from '../../domain/shared/ids.js';
import { userNotFound } from '../../domain/users/find-user.js';
import { changedSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { changedDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';

const USER_ID = new PathId(userNotFound);

/** What managers do about the verification of a user's phone number. */
@ApiController('management/v1/users/:id/phone')
export class UserPhoneController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly resendPhoneCode: ResendPhoneCode,
  ) {}

  @Post('_resend_verification')
  @HttpCode(200)
  @Documented({
    summary: 'Send another code to a phone number',
    description: 'It takes the place of the one before. Limits apply: 429 says how long to wait.',
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async resend(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
  ): Promise<{ readonly details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const target = { orgId: call.orgId, userId: id as UserId, ...call.acting };
    return await this.idempotentRequests.run(call, async () => {
      const enqueue = await this.resendPhoneCode.prepare(target, undefined);
      return async (tx) => ({ details: changedDetails(await enqueue(tx)) });
    });
  }
}
