import { Injectable } from '@nestjs/common';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { SmsProviders, type SmsMode } from '../notifications/providers/sms-providers.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { HumanUser } from '../users/user.js';
import { UsersStore } from '../users/users.store.js';
import { EnqueuePhoneVerification } from '../users/verification/enqueue-phone-verification.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { AccountChanges, requireHuman, type AccountChange } from './account-changes.js';

/**
 * Sets a phone number. Unless a manager marks it as verified, it is unverified and, if there is a provider, sent a
 * code.
 */
@Injectable()
export class ChangePhone {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
    private readonly codes: VerificationCodesStore,
    private readonly enqueuePhoneVerification: EnqueuePhoneVerification,
    private readonly providers: SmsProviders,
    private readonly enqueueNotification: EnqueueNotification,
  ) {}

  /**
   * @param source network address of a user who changes their own; undefined for a manager, who may mark it as verified
   * @returns throws ApiError not-found, failed-precondition for a service user
   */
  async prepareReplace(
    change: AccountChange,
    phone: NonNullable<HumanUser['phone']>,
    source?: string,
  ): Promise<(tx: Tx) => Promise<ResourceDetails>> {
    const mode = await this.providers.mode();
    return (tx) => this.replace(tx, change, phone, { mode, source });
  }

  /** By a directory: the number is unverified, and no unrequested message is sent. @throws as above */
  async replaceQuietly(tx: Tx, change: AccountChange, number: string): Promise<ResourceDetails> {
    return await this.replace(
      tx,
      change,
      { number, verified: false },
      { mode: { kind: 'none' }, source: undefined },
    );
  }

  private async replace(
    tx: Tx,
    change: AccountChange,
    phone: NonNullable<HumanUser['phone']>,
    sms: { readonly mode: SmsMode; readonly source: string | undefined },
  ): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.lockCoveredForUpdate(tx, change));
    const before = user.phone;
    // an unchanged number keeps its state, unless a manager marks it as verified
    const same = before?.number === phone.number;
    if (phone.verified && sms.source !== undefined && !(same && before.verified)) {
      throw new ApiError('invalid-argument', 'isPhoneVerified cannot be changed: a code verifies the number');
    }
    const verified = phone.verified || (same && before.verified);
    const details = await this.users.replacePhone(tx, user, { number: phone.number, verified });
    // a code that went to another number proves nothing of this one
    if (verified || !same) await this.codes.endLive(tx, user.id, 'verify_phone');
    if (!verified && !same) await this.enqueueCode(tx, change, phone.number, sms);
    if (before !== undefined && !same) await this.notify(tx, change);
    await this.account.record(tx, change, details, 'user.human.phone.changed', ['phone']);
    return details;
  }

  /** Codes may have gone to the previous number. */
  private async notify(tx: Tx, { orgId, userId }: AccountChange): Promise<void> {
    await this.enqueueNotification.notify(tx, { orgId, userId, template: 'phone_changed' });
  }

  /** A limit on SMS stops the message and not the change: it can be asked for again when there is room. */
  private async enqueueCode(
    tx: Tx,
    { orgId, userId }: AccountChange,
    number: string,
    { mode, source }: { readonly mode: SmsMode; readonly source: string | undefined },
  ): Promise<void> {
    const origin = source === undefined ? 'manager' : 'self';
    await this.enqueuePhoneVerification.execute(tx, mode, {
      orgId,
      userId,
      number,
      origin,
      again: false,
      source,
    });
  }
}
