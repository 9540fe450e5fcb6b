import { Delete, Get, Param } from '@nestjs/common';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ListPasskeys } from '../../domain/passkeys/manage/list-passkeys.js';
import { RemovePasskeyOfUser } from '../../domain/passkeys/manage/remove-passkey-of-user.js';
import { passkeyNotFound } from '../../domain/passkeys/manage/remove-passkey.js';
import type { OrgId, PasskeyId, UserId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { passkeysAnswer } from '../shared/schemas/passkey.schemas.js';
import { User } from './users.controller.js';

const PasskeyParam = () => Param('passkeyId', new PathId(passkeyNotFound));

/** The passkeys of a user of the organization. Nobody adds one but the user. */
@ApiController('management/v1/users/:id/passkeys')
export class UserPasskeysController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly listPasskeys: ListPasskeys,
    private readonly removePasskey: RemovePasskeyOfUser,
  ) {}

  @Get()
  @Operation({ summary: 'List the passkeys of a user', permission: 'user.read', answer: passkeysAnswer })
  async list(@ActingOrg() orgId: OrgId, @User() id: UserId) {
    return { result: await this.listPasskeys.execute(orgId, id) };
  }

  @Delete(':passkeyId')
  @Operation({
    summary: 'Remove a passkey of a user',
    description:
      'Nobody signs in with it any more. Sessions, tokens and authorizations of the user end; the user is told by mail. ' +
      'Nobody removes their own here.',
    permission: 'user.write',
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @User() userId: UserId,
    @PasskeyParam() id: PasskeyId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const target = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) => this.removePasskey.execute(tx, target, id));
  }
}
