import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import { defaultAttemptPolicy } from '../passwords/attempts/attempt-policy.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import { KeepOwner } from '../permissions/keep-owner.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess } from '../users/end-access.js';
import { UsersStore } from '../users/users.store.js';
import { AccountChanges, type AccountChange } from './account-changes.js';
import { shutOut } from './set-password.js';

/** Shuts users out and lets them in again. */
@Injectable()
export class ChangeUserState {
  constructor(
    private readonly users: UsersStore,
    private readonly events: EventsStore,
    private readonly account: AccountChanges,
    private readonly passwords: PasswordsStore,
    private readonly access: EndAccess,
    private readonly owner: KeepOwner,
  ) {}

  /**
   * All access of the user ends for good. Personal access tokens are suspended while their owner is inactive and work
   * again afterwards: they are listed, and revoked one by one.
   *
   * @throws ApiError not-found, permission-denied, failed-precondition when the user is inactive already or the
   *   instance's last owner
   */
  async deactivate(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    return await this.owner.whileUserGoes(tx, change.userId, async () => {
      await this.account.lockCoveredForUpdate(tx, change);
      const details = await this.users.deactivate(tx, change.orgId, change.userId);
      if (details === undefined) {
        throw new ApiError('failed-precondition', 'User already inactive', 'COMMAND-5M0sf');
      }
      await this.access.ofUser(tx, change, 'user_deactivated');
      await this.events.append(tx, userEvent(change, details, 'user.deactivated'));
      return details;
    });
  }

  /** @throws ApiError not-found, permission-denied, failed-precondition when the user is not inactive */
  async reactivate(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    await this.account.lockCoveredForUpdate(tx, change);
    const details = await this.users.reactivate(tx, change.orgId, change.userId);
    if (details === undefined)
      throw new ApiError('failed-precondition', 'User is not inactive', 'COMMAND-6M0sf');
    await this.events.append(tx, userEvent(change, details, 'user.reactivated'));
    return details;
  }

  /**
   * An administrator's lock ends all access, like a deactivation. Wrong passwords never do so: they
   * block the password step for a while, and existing sessions stay.
   *
   * @throws ApiError not-found, permission-denied, failed-precondition when the user is locked or inactive already, or
   *   the instance's last owner
   */
  async lock(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    return await this.owner.whileUserGoes(tx, change.userId, async () => {
      await this.account.lockCoveredForUpdate(tx, change);
      const details = await this.users.lock(tx, change.orgId, change.userId);
      if (details === undefined) throw shutOut();
      await this.access.ofUser(tx, change, 'user_locked');
      await this.events.append(tx, userEvent(change, details, 'user.locked'));
      return details;
    });
  }

  /**
   * Takes an administrator's lock away, and whatever wrong passwords were counted.
   *
   * @throws ApiError not-found, permission-denied, failed-precondition when there is neither
   */
  async unlock(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    await this.account.lockCoveredForUpdate(tx, change);
    const { orgId, userId } = change;
    const unlocked = await this.users.unlock(tx, orgId, userId);
    // the user's row before the count, as everywhere: the other way round two changes at once could deadlock
    const details = unlocked ?? (await this.users.recordChange(tx, orgId, userId, { newPassword: false }));
    const counted = await this.passwords.clearAttempts(tx, orgId, userId, defaultAttemptPolicy);
    if (details === undefined || (unlocked === undefined && !counted)) {
      throw new ApiError('failed-precondition', 'User is not locked', 'COMMAND-4M0ds');
    }
    const type = unlocked === undefined ? 'user.password_unlocked' : 'user.unlocked';
    await this.events.append(tx, userEvent(change, details, type));
    return details;
  }
}
