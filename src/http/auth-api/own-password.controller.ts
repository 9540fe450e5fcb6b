import { Body, Put } from '@nestjs/common';
import type { z } from 'zod';
import { ChangeOwnPassword } from '../../domain/accounts/change-own-password.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { Operation } from '../shared/operation.js';
import { AsksFor } from '../shared/self.guard.js';
import { Source } from '../shared/server/source.js';
import { ownAccount, ownPasswordBody } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

/** The own password, changed by whoever knows the one before. */
@SelfController('auth/v1/users/me/password')
export class OwnPasswordController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly changePassword: ChangeOwnPassword,
  ) {}

  @Put()
  @AsksFor('fresh')
  @Operation({
    operationId: 'OwnAccount.replacePassword',
    summary: 'Change the own password',
    description:
      'Needs a fresh sign-in. Sessions, tokens and authorizations end at once, the one of this call among them.',
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Source() source: string,
    @Body({ schema: ownPasswordBody }) body: z.output<typeof ownPasswordBody>,
  ): Promise<WireAnswer> {
    const { oldPassword, newPassword } = body;
    return await this.idempotentRequests.changePrepared(call, () =>
      this.changePassword.prepare(ownAccount(call), oldPassword, newPassword, source),
    );
  }
}
