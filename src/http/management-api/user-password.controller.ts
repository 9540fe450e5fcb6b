import { Body, Post } from '@nestjs/common';
import type { z } from 'zod';
import { SendPasswordReset } from '../../domain/accounts/send-password-reset.js';
import { SetPassword } from '../../domain/accounts/set-password.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { requireOtherAccount } from '../../domain/permissions/require-other-account.js';
import type { UserId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { Source } from '../shared/server/source.js';
import { passwordBody } from './user-account.schemas.js';
import { User } from './users.controller.js';

const write = 'user.write';

/** The password of a user, by managers: set by them, or by the user with a code that is mailed. */
@ApiController('management/v1/users/:id/password')
export class UserPasswordController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly setPassword: SetPassword,
    private readonly sendPasswordReset: SendPasswordReset,
  ) {}

  @Post()
  @Operation({
    summary: 'Set the password of a user',
    operationId: 'UserAccounts.replacePassword',
    description: 'Of somebody else. Sessions, tokens and authorizations end at once.',
    permission: write,
    stepUp: 'always',
    answer: changeAnswer,
  })
  async replacePassword(
    @Call() call: ApiCall,
    @Source() source: string,
    @User() id: UserId,
    @Body({ schema: passwordBody }) body: z.output<typeof passwordBody>,
  ): Promise<WireAnswer> {
    const { password, passwordChangeRequired } = body;
    const target = userChange(call, id);
    requireOtherAccount(target);
    return await this.idempotentRequests.changePrepared(call, async () => {
      const prepared = await this.setPassword.prepare(target, password, passwordChangeRequired, source);
      return (tx) => this.setPassword.execute(tx, target, prepared);
    });
  }

  @Post('_reset')
  @Operation({
    summary: 'Mail a code for a new password',
    operationId: 'UserAccounts.resetPassword',
    description: 'The present password holds meanwhile.',
    permission: write,
    answer: changeAnswer,
  })
  async resetPassword(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = userChange(call, id);
    return await this.idempotentRequests.change(call, (tx) => this.sendPasswordReset.execute(tx, target));
  }
}
