import { Post } from '@nestjs/common';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { MakePasskeyLink } from '../../domain/passkeys/links/make-passkey-link.js';
import type { UserId } from '../../domain/shared/ids.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { passkeyLinkAnswer } from '../shared/schemas/user.schemas.js';
import { User } from './users.controller.js';

/** Links by which users of the organization add a passkey. The path is that of the compatible product. */
@ApiController('management/v1/users/:id/passwordless')
export class UserPasskeyLinksController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly makePasskeyLink: MakePasskeyLink,
  ) {}

  @Post('_link')
  @Operation({
    summary: 'Make a link by which a user adds a passkey',
    description:
      'Good for an hour and once, for whoever holds it, without a sign-in: pass it on where nobody else reads it. It ends ' +
      'the link before. Nobody makes one for themselves.',
    permission: 'user.write',
    stepUp: 'always',
    answer: passkeyLinkAnswer,
  })
  async make(@Call() call: ApiCall, @User() userId: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const change = userChange(call, userId);
    return await this.idempotentRequests.write(call, (tx) => this.makePasskeyLink.execute(tx, change));
  }
}
