import { Injectable } from '@nestjs/common';
import { codeSentAMomentAgo } from '../notifications/abuse/sms-refused.js';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import type { HumanUser } from '../users/user.js';
import { UsersStore } from '../users/users.store.js';
import {
  EnqueueVerification,
  type VerificationToEnqueue,
} from '../users/verification/enqueue-verification.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { AccountChanges, requireHuman, type AccountChange, type LockedHuman } from './account-changes.js';

/**
 * Changes an e-mail address. While the present one is verified the new one waits beside it until its code is entered:
 * a typo locks nobody out, and an unproven address is never a login name. The verified
 * address is notified at once.
 */
@Injectable()
export class ChangeEmail {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly enqueueNotification: EnqueueNotification,
  ) {}

  /**
   * @param asked `verified`: a manager marks the address as verified, and no code is sent
   * @throws ApiError not-found, permission-denied, already-exists, failed-precondition for a service user
   */
  async execute(tx: Tx, change: AccountChange, asked: HumanUser['email']): Promise<ResourceDetails> {
    return await this.replace(
      tx,
      change,
      asked,
      requireHuman(await this.account.lockCoveredForUpdate(tx, change)),
    );
  }

  /**
   * By the owner, who cannot mark it as verified: `verified` and `pending` must equal the current state.
   * @throws ApiError invalid-argument, and as `execute` does
   */
  async executeOwn(tx: Tx, change: AccountChange, asked: HumanUser['email']): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.lockCoveredForUpdate(tx, change));
    const { address, verified, pending } = user.email;
    if (asked.verified && !(verified && asked.address === address)) {
      throw new ApiError(
        'invalid-argument',
        'isEmailVerified cannot be changed: a code verifies the address',
      );
    }
    if (asked.pending !== undefined && asked.pending !== pending) {
      throw new ApiError('invalid-argument', 'pendingEmail cannot be changed: send a new address as email');
    }
    return await this.replace(tx, change, asked, user);
  }

  private async replace(
    tx: Tx,
    change: AccountChange,
    asked: HumanUser['email'],
    user: LockedHuman,
  ): Promise<ResourceDetails> {
    const before = user.email;
    const after = changed(user, asked);
    const details = await this.users.replaceEmail(tx, user, after, canonicalName(after.address));
    // sent back as it was read: whoever waits for a code has it already
    const waits = asked.pending !== undefined && asked.pending === before.pending;
    // codes that went to a former address, or to one that waited, prove nothing any more
    if (!waits) await this.codes.endLive(tx, user.id, 'verify_email');
    if (after.address !== before.address) {
      await this.codes.endLive(tx, user.id, 'reset_password');
      await this.codes.endLive(tx, user.id, 'initialise');
    }
    const verification = waits ? undefined : verificationFor(user, after);
    if (verification !== undefined) await this.enqueueVerification.execute(tx, verification);
    if (before.verified && asked.address !== before.address)
      await this.notifyFormerAddress(tx, user, before.address);
    await this.account.record(tx, change, details, 'user.human.email.changed', ['email']);
    return details;
  }

  /**
   * Sends the code for the address that waits for one, within the limits of what anybody can have sent.
   * @throws ApiError failed-precondition when there is none, resource-exhausted when the last code is too recent
   */
  async resend(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.lockForUpdate(tx, change));
    const verification = verificationFor(user, user.email);
    if (verification === undefined) {
      throw new ApiError('failed-precondition', 'Email is already verified', 'COMMAND-9ds34');
    }
    if (!(await this.enqueueVerification.executeUnlessRecent(tx, verification))) throw tooSoon();
    const details = await this.users.countChange(tx, user);
    await this.account.record(tx, change, details, 'user.human.email.code.added');
    return details;
  }

  /** Sent to the former address, which its owner reads; it is encrypted with the message and erased with it. */
  private async notifyFormerAddress(
    tx: Tx,
    { orgId, id: userId }: LockedHuman,
    address: string,
  ): Promise<void> {
    await this.enqueueNotification.execute(tx, {
      orgId,
      userId,
      template: 'email_changed',
      codeId: null,
      code: address,
      expiresAt: null,
    });
  }
}

function changed({ state, email: before }: LockedHuman, asked: HumanUser['email']): HumanUser['email'] {
  // nobody signs in by an address before there is a password
  if (asked.verified || !before.verified || state === 'initial') return asked;
  // back to the address that counts: whatever waited is given up
  if (asked.address === before.address) return { address: before.address, verified: true };
  return { address: before.address, verified: true, pending: asked.address };
}

/** The one mail that is due; a user without a password gets the link that also sets one. */
export function verificationFor(
  user: LockedHuman,
  email: HumanUser['email'],
): VerificationToEnqueue | undefined {
  const target = email.pending ?? (email.verified ? undefined : email.address);
  const { orgId, id: userId } = user;
  if (user.state === 'initial') return { orgId, userId, purpose: 'initialise', target: email.address };
  return target === undefined ? undefined : { orgId, userId, purpose: 'verify_email', target };
}

export function tooSoon(): ApiError {
  return codeSentAMomentAgo(60);
}
