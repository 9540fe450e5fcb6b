import { Body, Get, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import type { AccountChange } from '../../domain/accounts/account-changes.js';
import { ChangeEmail } from '../../domain/accounts/change-email.js';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import { ChangeUserName } from '../../domain/accounts/change-user-name.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { requireOtherAccount } from '../../domain/permissions/require-other-account.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import {
  emailAnswer,
  emailBody,
  profileAnswer,
  profileBody,
  REPLACED_PROFILE,
} from '../shared/schemas/human.schemas.js';
import { userNameBody } from './user-account.schemas.js';
import { User } from './users.controller.js';

const read = 'user.read';
const write = 'user.write';

/**
 * What a human user has one of and a manager replaces: profile, e-mail address, user name. The phone number and the
 * password have files of their own.
 */
@ApiController('management/v1/users/:id')
export class UserAccountsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly changeProfile: ChangeProfile,
    private readonly changeEmail: ChangeEmail,
    private readonly changeUserName: ChangeUserName,
  ) {}

  @Get('profile')
  @Operation({ summary: 'Find the profile of a user', permission: read, answer: profileAnswer })
  async findProfile(@ActingOrg() orgId: OrgId, @User() id: UserId) {
    return await this.findUser.findPart(orgId, id, 'profile');
  }

  @Put('profile')
  @Operation({
    summary: 'Replace the profile of a user',
    description: REPLACED_PROFILE,
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceProfile(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Body({ schema: profileBody }) profile: z.output<typeof profileBody>,
  ): Promise<WireAnswer> {
    return await this.change(call, id, (tx, target) => this.changeProfile.execute(tx, target, profile));
  }

  @Get('email')
  @Operation({ summary: 'Find the e-mail address of a user', permission: read, answer: emailAnswer })
  async findEmail(@ActingOrg() orgId: OrgId, @User() id: UserId) {
    return await this.findUser.findPart(orgId, id, 'email');
  }

  @Put('email')
  @Operation({
    summary: 'Change the e-mail address of a user',
    description:
      'Of somebody else. Beside a verified one it waits until its code came back, unless `isEmailVerified` is true.',
    permission: write,
    stepUp: 'always',
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceEmail(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Body({ schema: emailBody }) email: z.output<typeof emailBody>,
  ): Promise<WireAnswer> {
    requireOtherAccount({ userId: id, ...call.acting });
    return await this.change(call, id, (tx, target) => this.changeEmail.execute(tx, target, email));
  }

  @Post('email/_resend_verification')
  @Operation({ summary: 'Send another code to an e-mail address', permission: write, answer: changeAnswer })
  async resendEmail(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, id, (tx, target) => this.changeEmail.resend(tx, target));
  }

  @Put('username')
  @Operation({ summary: 'Change the name of a user', permission: write, ifMatch: true, answer: changeAnswer })
  async replaceUserName(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Body({ schema: userNameBody }) { userName }: z.output<typeof userNameBody>,
  ): Promise<WireAnswer> {
    return await this.change(call, id, (tx, target) => this.changeUserName.execute(tx, target, userName));
  }

  private async change(
    call: ApiCall,
    id: UserId,
    work: (tx: Tx, target: AccountChange) => Promise<ResourceDetails>,
  ): Promise<WireAnswer> {
    const target = userChange(call, id);
    return await this.idempotentRequests.change(call, (tx) => work(tx, target));
  }
}
