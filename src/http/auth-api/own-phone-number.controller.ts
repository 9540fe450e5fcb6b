import { Body, Get, Put } from '@nestjs/common';
import type { z } from 'zod';
import { ChangePhone } from '../../domain/accounts/change-phone.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { Operation } from '../shared/operation.js';
import { phoneAnswer, phoneBody } from '../shared/schemas/human.schemas.js';
import { AsksFor } from '../shared/self.guard.js';
import { Source } from '../shared/server/source.js';
import { ownAccount } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

/** The own phone number: seen and changed. It is verified in `OwnPhoneController`, which whoever lacks a second factor reaches. */
@SelfController('auth/v1/users/me/phone')
export class OwnPhoneNumberController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly changePhone: ChangePhone,
  ) {}

  @Get()
  @AsksFor('read')
  @Operation({
    operationId: 'OwnAccount.findPhone',
    summary: 'Find the own phone number',
    answer: phoneAnswer,
  })
  async find(@CallerParam() { orgId, userId }: Caller) {
    return await this.findUser.findPart(orgId, userId, 'phone');
  }

  @Put()
  @AsksFor('fresh')
  @Operation({
    operationId: 'OwnAccount.replacePhone',
    summary: 'Change the own phone number',
    description:
      'Needs a fresh sign-in. It is unverified afterwards; its code is sent where an SMS provider and the limits allow it.',
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Source() source: string,
    @Body({ schema: phoneBody }) phone: z.output<typeof phoneBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.changePrepared(call, () =>
      this.changePhone.prepareReplace(ownAccount(call), phone, source),
    );
  }
}
