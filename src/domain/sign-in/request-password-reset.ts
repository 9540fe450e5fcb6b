import { Injectable } from '@nestjs/common';
import type { AuthRequestId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { NotifyAccounts } from './notify-accounts.js';
import { ResetHandles } from './reset-handles.js';
import { canonicalTyped, ResolveLoginName } from './resolve-login-name.js';
import { ResponseTimePadding } from './response-time-padding.js';
import { SendResetCode } from './send-reset-code.js';
import type { SignInPlace } from './sign-in-names.store.js';

interface PasswordResetRequest {
  readonly loginName: string;
  /** The sign-in that it was asked for in; it does not travel in the mail. */
  readonly flowId?: AuthRequestId | undefined;
  readonly place: SignInPlace;
  /** The address of the request: what is sent is counted by it. */
  readonly source: string;
}

/**
 * Sends a code for a forgotten password. Every name gets the same answer after the same time: an unknown one,
 * a locked or deactivated user, one who was sent a code a moment ago. A user without a password yet gets the initialisation mail
 * again. The address need not be verified: the code proves it. For an address that could mean several accounts, its
 * owner gets a mail that lists them (`NotifyAccounts`); the page does not reveal that either.
 */
@Injectable()
export class RequestPasswordReset {
  constructor(
    private readonly resolveLoginName: ResolveLoginName,
    private readonly sendResetCode: SendResetCode,
    private readonly notifyAccounts: NotifyAccounts,
    private readonly handles: ResetHandles,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly log: Log,
  ) {}

  /** @returns the handle for the pages that follow */
  async execute({ loginName, flowId, place, source }: PasswordResetRequest): Promise<string> {
    const startedAt = performance.now();
    const named = await this.resolveLoginName.resolve(loginName, place);
    const { userId, ...outcome } = await this.sendResetCode.execute(named, flowId, source);
    const notified = named === undefined ? await this.notifyOwner(loginName, place, source) : 0;
    // never the typed name: people type passwords into that field
    this.log.info('password reset requested', {
      userId,
      ...outcome,
      ...(notified > 0 && { told: notified }),
    });
    const handle = this.handles.make(userId);
    await this.responseTimePadding.settle(startedAt);
    return handle;
  }

  /** @returns the number of accounts in the mail to the owner of the address */
  private async notifyOwner(loginName: string, place: SignInPlace, source: string): Promise<number> {
    const address = canonicalTyped(loginName);
    return address?.includes('@') === true ? await this.notifyAccounts.execute(address, place, source) : 0;
  }
}
