import { Injectable } from '@nestjs/common';
import { sealedAccount } from '../notifications/deleted-account.js';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { KeepOwner } from '../permissions/keep-owner.js';
import { LoginPolicies } from '../policies/login-policies.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { HumanUser } from '../users/user.js';
import { UsersStore, type LockedUser } from '../users/users.store.js';
import { AccountChanges, type AccountChange } from './account-changes.js';

/**
 * Deletes a user permanently. Sessions end first, so that applications are notified (Back-Channel Logout §2.5); what is left
 * is an id that nobody gets again.
 */
@Injectable()
export class DeleteUser {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly owner: KeepOwner,
    private readonly policies: LoginPolicies,
    private readonly enqueueNotification: EnqueueNotification,
  ) {}

  /**
   * @throws ApiError not-found, permission-denied, failed-precondition for the caller themselves and for the last owner
   *   of the instance
   */
  async execute(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    return await this.owner.whileUserGoes(tx, change.userId, () => this.eraseOther(tx, change));
  }

  /**
   * By the user, in person, where their organization lets them.
   * @throws ApiError not-found, failed-precondition also for the last owner of an organization
   */
  async executeOwn(tx: Tx, change: AccountChange): Promise<void> {
    await this.owner.whileUserLeaves(tx, change.userId, async () => {
      const user = await this.account.lockForUpdate(tx, change);
      const { allowAccountDeletion } = await this.policies.find(change.orgId, tx);
      if (!allowAccountDeletion) {
        throw new ApiError(
          'failed-precondition',
          'Users of this organisation cannot delete their accounts',
          'COMMAND-d4Ny8',
        );
      }
      await this.erase(tx, change, user);
      if (user.type === 'human' && user.email.verified) await this.notify(tx, user);
    });
  }

  /** Of nobody's any more: what is kept for a user goes with them. */
  private async notify(
    tx: Tx,
    { orgId, email: { address }, profile }: LockedUser & HumanUser,
  ): Promise<void> {
    const { displayName, preferredLanguage } = profile;
    await this.enqueueNotification.execute(tx, {
      orgId,
      userId: null,
      template: 'account_deleted',
      codeId: null,
      code: sealedAccount({ address, displayName, preferredLanguage }),
      expiresAt: null,
    });
  }

  private async eraseOther(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = await this.account.lockCoveredForUpdate(tx, change);
    if (change.actorId === change.userId) {
      throw new ApiError('failed-precondition', 'Users cannot delete themselves', 'COMMAND-7Dk3s');
    }
    return await this.erase(tx, change, user);
  }

  private async erase(tx: Tx, change: AccountChange, user: LockedUser): Promise<ResourceDetails> {
    const details = await this.users.erase(tx, user);
    await this.sessions.endOfUser(tx, change, 'user_deleted', change.actorId);
    await this.account.record(tx, change, details, 'user.removed');
    return details;
  }
}
