import { Injectable } from '@nestjs/common';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import type { EncodedPassword } from '../passwords/passwords.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { NewPasswords } from '../users/new-passwords/new-passwords.js';
import { StoreNewPassword } from '../users/new-passwords/store-new-password.js';
import { UsersStore } from '../users/users.store.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { AccountChanges, requireHuman, type AccountChange } from './account-changes.js';

export interface PreparedPassword extends EncodedPassword {
  readonly changeRequired: boolean;
}

/**
 * A password that a manager sets. Whoever knew the one before is signed out: sessions, tokens and authorizations end,
 * and the owner is notified by mail.
 */
@Injectable()
export class SetPassword {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
    private readonly newPasswords: NewPasswords,
    private readonly storeNewPassword: StoreNewPassword,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueNotification: EnqueueNotification,
  ) {}

  /** Without a transaction: hashing takes its time. @throws ApiError invalid-argument, HashingOverloaded */
  async prepare(
    { orgId, userId }: AccountChange,
    password: string,
    changeRequired: boolean,
    source: string,
  ): Promise<PreparedPassword> {
    const bill = HashingBill.administration(orgId, source);
    const encoded = await this.newPasswords.require({ orgId, user: userId, password, bill });
    return { ...encoded, changeRequired };
  }

  /**
   * @param shutOutToo whether an inactive or locked user gets one as well, and stays so: it cannot be used until they
   *   are reactivated or unlocked
   * @throws ApiError not-found, permission-denied, failed-precondition for a locked or deactivated user
   */
  async execute(
    tx: Tx,
    change: AccountChange,
    password: PreparedPassword,
    shutOutToo = false,
  ): Promise<ResourceDetails> {
    const { orgId, userId, actorId } = change;
    const user = requireHuman(await this.account.lockCoveredForUpdate(tx, change));
    const isShutOut = user.state === 'inactive' || user.state === 'locked';
    const details =
      shutOutToo && isShutOut
        ? await this.account.count(tx, user)
        : await this.users.recordChange(tx, orgId, userId, { newPassword: true });
    if (details === undefined) throw shutOut();
    const madeBy = (await this.account.answersFor(tx, change)) ?? 'nobody';
    await this.storeNewPassword.replace(tx, { ...password, orgId, userId, madeBy }, actorId);
    await this.codes.endLive(tx, userId, 'reset_password');
    await this.codes.endLive(tx, userId, 'initialise');
    await this.enqueueNotification.notify(tx, { orgId, userId, template: 'password_changed' });
    await this.account.record(tx, change, details, 'user.human.password.set', ['password']);
    return details;
  }
}

/** Only for users who could sign in with a password. */
export function shutOut(): ApiError {
  return new ApiError('failed-precondition', 'User is not active or initial', 'COMMAND-3NN8v');
}
