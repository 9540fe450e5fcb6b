import { Body, Delete, Get, Headers, Param, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ListPasskeys } from '../../domain/passkeys/manage/list-passkeys.js';
import { RemoveOwnPasskey } from '../../domain/passkeys/manage/remove-own-passkey.js';
import { passkeyNotFound } from '../../domain/passkeys/manage/remove-passkey.js';
import { RenamePasskey } from '../../domain/passkeys/manage/rename-passkey.js';
import { RegisterPasskey } from '../../domain/passkeys/register/register-passkey.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import type { PasskeyId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  addedPasskeyAnswer,
  beginPasskeyBody,
  finishPasskeyBody,
  passkeyNameBody,
  passkeyOptionsAnswer,
  passkeysAnswer,
} from '../shared/schemas/passkey.schemas.js';
import { AsksFor, SetsUpFactor } from '../shared/self.guard.js';
import { ownAccount } from './own-account.schemas.js';
import { SelfController } from './self-controller.js';

const PasskeyParam = () => Param('passkeyId', new PathId(passkeyNotFound));

/** The caller's own passkeys. Browsers make them on the service's own origin only. */
@SelfController('auth/v1/users/me/passkeys')
@SetsUpFactor(true)
export class OwnPasskeysController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly registerPasskey: RegisterPasskey,
    private readonly listPasskeys: ListPasskeys,
    private readonly renamePasskey: RenamePasskey,
    private readonly removePasskey: RemoveOwnPasskey,
  ) {}

  @Get()
  @AsksFor('read')
  @Operation({ summary: 'List the own passkeys', answer: passkeysAnswer })
  async list(@CallerParam() { orgId, userId }: Caller) {
    return { result: await this.listPasskeys.execute(orgId, userId) };
  }

  @Post('_begin')
  @AsksFor('fresh')
  @Operation({
    summary: 'Begin to add a passkey',
    description:
      'Needs a fresh sign-in. Gives what `navigator.credentials.create` takes; it is good for five minutes and once, ' +
      'for the session of the token.',
    answer: passkeyOptionsAnswer,
  })
  async begin(
    @CallerParam() caller: Caller,
    @Body({ schema: beginPasskeyBody }) { passwordless }: z.output<typeof beginPasskeyBody>,
  ) {
    return { publicKey: await this.registerPasskey.begin(registering(caller), wishOf(passwordless)) };
  }

  @Post('_finish')
  @AsksFor('fresh')
  @Operation({
    summary: 'Add a passkey',
    description:
      'Needs a fresh sign-in. Takes what the browser answered; without `name` it is called as the browser is. ' +
      'With `passwordless` one that cannot stand alone is refused. The user is told by mail.',
    answer: addedPasskeyAnswer,
  })
  async finish(
    @Call() call: ApiCall,
    @CallerParam() caller: Caller,
    @Headers('user-agent') browser: string | undefined,
    @Body({ schema: finishPasskeyBody }) body: z.output<typeof finishPasskeyBody>,
  ): Promise<WireAnswer> {
    const { credential, passwordless, name = describeBrowser(browser) ?? 'Passkey' } = body;
    return await this.idempotentRequests.answer(call, async () => {
      const store = await this.registerPasskey.prepare(registering(caller), credential, wishOf(passwordless));
      return async (tx) => await store(tx, name);
    });
  }

  @Put(':passkeyId')
  @AsksFor('write')
  @Operation({ summary: 'Name an own passkey', answer: changeAnswer })
  async rename(
    @Call() call: ApiCall,
    @PasskeyParam() id: PasskeyId,
    @Body({ schema: passkeyNameBody }) { name }: z.output<typeof passkeyNameBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.renamePasskey.execute(tx, ownAccount(call), id, name),
    );
  }

  @Delete(':passkeyId')
  @AsksFor('fresh')
  @Operation({
    summary: 'Remove an own passkey',
    description: 'Needs a fresh sign-in. Nobody signs in with it any more; the user is told by mail.',
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall, @PasskeyParam() id: PasskeyId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.removePasskey.execute(tx, ownAccount(call), id),
    );
  }
}

function registering({ orgId, userId, session, acting }: Caller) {
  return { orgId, userId, session, ...acting };
}

function wishOf(passwordless: boolean): 'required' | 'preferred' {
  return passwordless ? 'required' : 'preferred';
}
