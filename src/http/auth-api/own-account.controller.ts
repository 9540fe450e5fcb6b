import { Body, Get, Put } from '@nestjs/common';
import type { z } from 'zod';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { FindUser } from '../../domain/users/find-user.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { Operation } from '../shared/operation.js';
import { profileAnswer, profileBody, REPLACED_PROFILE } from '../shared/schemas/human.schemas.js';
import { foundUserAnswer } from '../shared/schemas/user.schemas.js';
import { AsksFor } from '../shared/self.guard.js';
import { ownAccount } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

/** What users see of their own account, and their own profile. What people reach and let them in by has controllers of its own. */
@SelfController('auth/v1/users/me')
export class OwnAccountController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly changeProfile: ChangeProfile,
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
    return await this.idempotentRequests.change(call, (tx) =>
      this.changeProfile.execute(tx, ownAccount(call), profile),
    );
  }
}
