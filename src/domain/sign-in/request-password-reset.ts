import { Injectable } from '@nestjs/common';
import type { AuthRequestId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import type { User } from '../users/user.js';
import { UsersStore } from '../users/users.store.js';
import {
  EnqueueVerification,
  type VerificationToEnqueue,
} from '../users/verification/enqueue-verification.js';
import { NotifyAccounts } from './notify-accounts.js';
import { ResetHandles } from './reset-handles.js';
import { canonicalTyped, ResolveLoginName } from './resolve-login-name.js';
import { ResponseTimePadding } from './response-time-padding.js';
import type { SignInPlace } from './sign-in-names.store.js';

export interface PasswordResetRequest {
  readonly loginName: string;
  /** The sign-in that it was asked for in; it does not travel in the mail. */
  readonly flowId?: AuthRequestId | undefined;
  readonly place: SignInPlace;
}

/**
 * Sends a code to whoever forgot a password. Every name gets the same answer at the same time: one that means nobody,
 * a user who is shut out, one who had a code a moment ago. A user without a password yet gets the initialisation mail
 * again. The address need not be verified: the code proves it. For an address that could mean several accounts, its
 * owner is told by mail which (`NotifyAccounts`); the page knows nothing of that either.
 */
@Injectable()
export class RequestPasswordReset {
  constructor(
    private readonly resolveLoginName: ResolveLoginName,
    private readonly users: UsersStore,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly notifyAccounts: NotifyAccounts,
    private readonly handles: ResetHandles,
    private readonly unitOfWork: UnitOfWork,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly log: Log,
  ) {}

  /** @returns the handle for the pages that follow */
  async execute({ loginName, flowId, place }: PasswordResetRequest): Promise<string> {
    const startedAt = performance.now();
    const named = await this.resolveLoginName.resolve(loginName, place);
    const user = named && (await this.users.find(named.orgId, named.userId));
    const verification = user && verificationFor(user, flowId);
    const sent =
      verification !== undefined &&
      (await this.unitOfWork.run((tx) => this.enqueueVerification.executeUnlessRecent(tx, verification)));
    const notified = named === undefined ? await this.notifyOwner(loginName, place) : 0;
    // never the typed name: people type passwords into that field
    const reason =
      user === undefined ? 'unknown name' : verification === undefined ? 'user not active' : 'too soon';
    const outcome = sent ? { purpose: verification.purpose } : { nothingSent: reason };
    this.log.info('password reset requested', {
      userId: user?.id,
      ...outcome,
      ...(notified > 0 && { told: notified }),
    });
    const handle = this.handles.make(user?.id);
    await this.responseTimePadding.settle(startedAt);
    return handle;
  }

  /** @returns of how many accounts the owner of the address is told */
  private async notifyOwner(loginName: string, place: SignInPlace): Promise<number> {
    const address = canonicalTyped(loginName);
    return address?.includes('@') === true ? await this.notifyAccounts.execute(address, place) : 0;
  }
}

/** What such a user is sent; nothing for programs and for those who are shut out (security S046). */
function verificationFor(user: User, flowId: AuthRequestId | undefined): VerificationToEnqueue | undefined {
  if (user.type !== 'human' || user.email.address === '') return undefined;
  const { id: userId, orgId, state } = user;
  const target = user.email.address;
  switch (state) {
    case 'active':
      return { orgId, userId, purpose: 'reset_password', target, flowId };
    case 'initial':
      return { orgId, userId, purpose: 'initialise', target };
    case 'inactive':
    case 'locked':
      return undefined;
  }
}
