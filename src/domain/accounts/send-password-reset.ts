import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import { EnqueueVerification } from '../users/verification/enqueue-verification.js';
import { AccountChanges, requireHuman, type AccountChange } from './account-changes.js';
import { tooSoon } from './change-email.js';
import { shutOut } from './set-password.js';

/** A manager has a user choose a new password: a code is mailed, and the present password holds until it is used. */
@Injectable()
export class SendPasswordReset {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
    private readonly enqueueVerification: EnqueueVerification,
  ) {}

  /** @throws ApiError not-found, permission-denied, failed-precondition for a locked or deactivated user, or if a code was just sent */
  async execute(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.lockCoveredForUpdate(tx, change));
    const { orgId, userId } = change;
    if (user.state !== 'active' && user.state !== 'initial') throw shutOut();
    const purpose = user.state === 'initial' ? 'initialise' : 'reset_password';
    const verification = { orgId, userId, purpose, target: user.email.address } as const;
    if (!(await this.enqueueVerification.executeUnlessRecent(tx, verification))) throw tooSoon();
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: false });
    if (details === undefined) throw shutOut();
    await this.account.record(tx, change, details, 'user.human.password.reset_requested');
    return details;
  }
}
