import { Body, Delete, Get, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import { ChangePhone } from '../../domain/accounts/change-phone.js';
import { RemovePhone } from '../../domain/accounts/remove-phone.js';
import { ResendPhoneCode } from '../../domain/accounts/resend-phone-code.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { requireOtherAccount } from '../../domain/permissions/require-other-account.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { phoneAnswer, phoneBody } from '../shared/schemas/human.schemas.js';
import { User } from './users.controller.js';

const read = 'user.read';
const write = 'user.write';

/** The phone number of a user, and its verification, by managers. */
@ApiController('management/v1/users/:id/phone')
export class UserPhoneController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly changePhone: ChangePhone,
    private readonly removePhone: RemovePhone,
    private readonly resendPhoneCode: ResendPhoneCode,
  ) {}

  @Get()
  @Operation({
    summary: 'Find the phone number of a user',
    operationId: 'UserAccounts.findPhone',
    permission: read,
    answer: phoneAnswer,
  })
  async findPhone(@ActingOrg() orgId: OrgId, @User() id: UserId) {
    return await this.findUser.findPart(orgId, id, 'phone');
  }

  @Put()
  @Operation({
    summary: 'Change the phone number of a user',
    operationId: 'UserAccounts.replacePhone',
    description: 'Of somebody else.',
    permission: write,
    stepUp: 'always',
    ifMatch: true,
    answer: changeAnswer,
  })
  async replacePhone(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Body({ schema: phoneBody }) phone: z.output<typeof phoneBody>,
  ): Promise<WireAnswer> {
    const target = userChange(call, id);
    requireOtherAccount(target);
    return await this.idempotentRequests.changePrepared(call, () =>
      this.changePhone.prepareReplace(target, phone),
    );
  }

  @Delete()
  @Operation({
    summary: 'Remove the phone number of a user',
    operationId: 'UserAccounts.removePhone',
    description: 'Of somebody else.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = userChange(call, id);
    requireOtherAccount(target);
    return await this.idempotentRequests.change(call, (tx) => this.removePhone.execute(tx, target));
  }

  @Post('_resend_verification')
  @Operation({
    summary: 'Send another code to a phone number',
    description: 'It takes the place of the one before. Limits apply: 429 says how long to wait.',
    permission: write,
    answer: changeAnswer,
  })
  async resend(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = userChange(call, id);
    return await this.idempotentRequests.changePrepared(call, () =>
      this.resendPhoneCode.prepare(target, undefined),
    );
  }
}
