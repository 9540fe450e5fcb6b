import { Injectable } from '@nestjs/common';
import { OweNotification } from '../notifications/owe-notification.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/canonical-name.js';
import type { HumanUser } from '../users/user.js';
import { OweVerification, type OwedVerification } from '../users/verification/owe-verification.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { AccountsStore } from './accounts.store.js';
import { type AccountChange, type HeldHuman, HoldAccount, requireHuman } from './hold-account.js';

/**
 * Changes an e-mail address. While the present one is verified the new one waits beside it until its code came back:
 * a typing mistake locks nobody out, and a name to sign in with is never an address that nobody proved. The verified
 * address hears of it at once.
 */
@Injectable()
export class ChangeEmail {
  constructor(
    private readonly account: HoldAccount,
    private readonly accounts: AccountsStore,
    private readonly codes: VerificationCodesStore,
    private readonly oweVerification: OweVerification,
    private readonly oweNotification: OweNotification,
  ) {}

  /**
   * @param asked `verified`: a manager vouches for the address, and no code is asked for
   * @throws ApiError not-found, permission-denied, already-exists, failed-precondition for a service user
   */
  async execute(
    tx: Tx,
    change: AccountChange,
    asked: { readonly address: string; readonly verified: boolean },
  ): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.holdCovered(tx, change));
    const before = user.is.email;
    const after = changed(user, asked);
    const details = await this.accounts.replaceEmail(tx, user, after, canonicalName(after.address));
    // codes that went to a former address, or to one that waited, prove nothing any more
    await this.codes.endLive(tx, user.id, 'verify_email');
    if (after.address !== before.address) {
      await this.codes.endLive(tx, user.id, 'reset_password');
      await this.codes.endLive(tx, user.id, 'initialise');
    }
    const owed = owedTo(user, after);
    if (owed !== undefined) await this.oweVerification.execute(tx, owed);
    if (before.verified && asked.address !== before.address) await this.tell(tx, user, before.address);
    await this.account.record(tx, change, details, 'user.human.email.changed', ['email']);
    return details;
  }

  /**
   * Sends the code for the address that waits for one, within the limits of what anybody can have sent.
   * @throws ApiError failed-precondition when there is none, resource-exhausted when the last code is too recent
   */
  async resend(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.hold(tx, change));
    const owed = owedTo(user, user.is.email);
    if (owed === undefined) {
      throw new ApiError('failed-precondition', 'Email is already verified', 'COMMAND-9ds34');
    }
    if (!(await this.oweVerification.executeUnlessRecent(tx, owed))) throw tooSoon();
    return user.details;
  }

  /** Told where the owner reads it: the address itself is sealed with the message and gone with it. */
  private async tell(tx: Tx, { orgId, id: userId }: HeldHuman, address: string): Promise<void> {
    await this.oweNotification.execute(tx, {
      orgId,
      userId,
      template: 'email_changed',
      codeId: null,
      code: address,
      expiresAt: null,
    });
  }
}

function changed(
  { state, is: { email: before } }: HeldHuman,
  asked: { readonly address: string; readonly verified: boolean },
): HumanUser['email'] {
  // nobody signs in by an address before there is a password
  if (asked.verified || !before.verified || state === 'initial') return asked;
  // back to the address that counts: whatever waited is given up
  if (asked.address === before.address) return { address: before.address, verified: true };
  return { address: before.address, verified: true, pending: asked.address };
}

/** The one mail that is due; a user without a password gets the link that also sets one. */
export function owedTo(user: HeldHuman, email: HumanUser['email']): OwedVerification | undefined {
  const target = email.pending ?? (email.verified ? undefined : email.address);
  const { orgId, id: userId } = user;
  if (user.state === 'initial') return { orgId, userId, purpose: 'initialise', target: email.address };
  return target === undefined ? undefined : { orgId, userId, purpose: 'verify_email', target };
}

export function tooSoon(): ApiError {
  return new ApiError('resource-exhausted', 'A code was sent a moment ago', 'COMMAND-8Kd2s', 60);
}
