import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { ChangeEmail } from '../../domain/accounts/change-email.js';
import { ChangePhone } from '../../domain/accounts/change-phone.js';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import { ChangeUserName } from '../../domain/accounts/change-user-name.js';
import { DeleteUser } from '../../domain/accounts/delete-user.js';
import { SetPassword } from '../../domain/accounts/set-password.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { readUserName } from '../../domain/imports/records/human-record.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { FindUser, userNotFound } from '../../domain/users/find-user.js';
import { changedSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader, readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
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
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { Source } from '../shared/source.js';

export const readUserNameFields = bodyReader({
  userName: z.string({ error: 'must be a string' }).optional(),
});
/** `passwordChangeRequired`: the next sign-in asks for another one. So it does unless told otherwise. */
export const readPasswordFields = bodyReader({
  password: z.string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') }),
  passwordChangeRequired: z.boolean({ error: 'must be true or false' }).default(true),
});
const USER_ID = new PathId(userNotFound);

interface ChangeResponse {
  readonly details: DetailsResponse;
}

/** What managers change about a user of the organization that the call acts in. */
@ApiController('management/v1/users/:id')
export class UserAccountsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly findUser: FindUser,
    private readonly changeProfile: ChangeProfile,
    private readonly changeEmail: ChangeEmail,
    private readonly changePhone: ChangePhone,
    private readonly changeUserName: ChangeUserName,
    private readonly setPassword: SetPassword,
    private readonly deleteUser: DeleteUser,
  ) {}

  @Delete()
  @Documented({
    summary: 'Delete a user',
    description: 'Final: sessions, tokens and grants end at once, and the id is never used again.',
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async delete(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, id, (tx, target) => this.deleteUser.execute(tx, target));
  }

  @Get('profile')
  @Documented({ summary: 'Find the profile of a user', answer: profileAnswer })
  @RequiresPermission('user.read')
  async findProfile(@ActingOrg() orgId: OrgId, @Param('id', USER_ID) id: string): Promise<ProfileResponse> {
    return profileResponse(await this.findUser.find(orgId, id as UserId));
  }

  @Put('profile')
  @Documented({
    summary: 'Replace the profile of a user',
    description: REPLACED_PROFILE,
    body: readProfile,
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async replaceProfile(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangeResponse> {
    const profile = readProfile(call.body);
    return await this.change(call, id, (tx, target) => this.changeProfile.execute(tx, target, profile));
  }

  @Get('email')
  @Documented({ summary: 'Find the e-mail address of a user', answer: emailAnswer })
  @RequiresPermission('user.read')
  async findEmail(@ActingOrg() orgId: OrgId, @Param('id', USER_ID) id: string): Promise<EmailResponse> {
    return emailResponse(await this.findUser.find(orgId, id as UserId));
  }

  @Put('email')
  @Documented({
    summary: 'Change the e-mail address of a user',
    description: 'Beside a verified one it waits until its code came back, unless `isEmailVerified` is true.',
    body: readEmailFields,
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async replaceEmail(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangeResponse> {
    const email = readEmail(call.body);
    return await this.change(call, id, (tx, target) => this.changeEmail.execute(tx, target, email));
  }

  @Post('email/_resend_verification')
  @HttpCode(200)
  @Documented({ summary: 'Send another code to an e-mail address', answer: changedSchema })
  @RequiresPermission('user.write')
  async resendEmail(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, id, (tx, target) => this.changeEmail.resend(tx, target));
  }

  @Get('phone')
  @Documented({ summary: 'Find the phone number of a user', answer: phoneAnswer })
  @RequiresPermission('user.read')
  async findPhone(@ActingOrg() orgId: OrgId, @Param('id', USER_ID) id: string): Promise<PhoneResponse> {
    return phoneResponse(await this.findUser.find(orgId, id as UserId));
  }

  @Put('phone')
  @Documented({ summary: 'Change the phone number of a user', body: readPhoneFields, answer: changedSchema })
  @RequiresPermission('user.write')
  async replacePhone(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangeResponse> {
    const phone = readPhone(call.body);
    const target = targetOf(call, id);
    return await this.idempotentRequests.run(call, async () => {
      const replace = await this.changePhone.prepareReplace(target, phone);
      return async (tx) => ({ details: changedDetails(await replace(tx)) });
    });
  }

  @Delete('phone')
  @Documented({ summary: 'Remove the phone number of a user', answer: changedSchema })
  @RequiresPermission('user.write')
  async removePhone(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, id, (tx, target) => this.changePhone.remove(tx, target));
  }

  @Put('username')
  @Documented({ summary: 'Change the name of a user', body: readUserNameFields, answer: changedSchema })
  @RequiresPermission('user.write')
  async replaceUserName(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangeResponse> {
    const userName = readUserName(readUserNameFields(call.body).userName);
    return await this.change(call, id, (tx, target) => this.changeUserName.execute(tx, target, userName));
  }

  @Post('password')
  @HttpCode(200)
  @Documented({
    summary: 'Set the password of a user',
    description: 'Sessions, tokens and grants end at once.',
    body: readPasswordFields,
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async replacePassword(
    @Call() call: ApiCall,
    @Source() source: string,
    @Param('id', USER_ID) id: string,
  ): Promise<ChangeResponse> {
    const { password, passwordChangeRequired } = readPasswordFields(call.body);
    const target = targetOf(call, id);
    return await this.idempotentRequests.run(call, async () => {
      const prepared = await this.setPassword.prepare(call.orgId, password, passwordChangeRequired, source);
      return async (tx) => ({
        details: changedDetails(await this.setPassword.execute(tx, target, prepared)),
      });
    });
  }

  @Post('password/_reset')
  @HttpCode(200)
  @Documented({
    summary: 'Mail a code for a new password',
    description: 'The present password holds meanwhile.',
    answer: changedSchema,
  })
  @RequiresPermission('user.write')
  async resetPassword(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, id, (tx, target) => this.setPassword.sendReset(tx, target));
  }

  private async change(
    call: ApiCall,
    id: string,
    work: (tx: Tx, target: ReturnType<typeof targetOf>) => Promise<ResourceDetails>,
  ): Promise<ChangeResponse> {
    const target = targetOf(call, id);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await work(tx, target)),
    }));
  }
}

function targetOf({ orgId, acting }: ApiCall, id: string) {
  return { orgId, userId: id as UserId, ...acting };
}
