import { Injectable } from '@nestjs/common';
import { RequireFactorLeft } from '../factors/require-factor-left.js';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { phoneNotFound } from '../users/find-user.js';
import { UsersStore } from '../users/users.store.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { AccountChanges, requireHuman, type AccountChange } from './account-changes.js';

/** Removes a phone number, and with it the factor whose codes go there. */
@Injectable()
export class RemovePhone {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly factorLeft: RequireFactorLeft,
  ) {}

  /** @throws ApiError not-found for a user without one, failed-precondition where codes go there that are their last factor */
  async execute(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.lockCoveredForUpdate(tx, change));
    if (user.phone === undefined) throw phoneNotFound();
    const details = await this.users.replacePhone(tx, user, undefined);
    // a number that is replaced can be verified where it was typed; one that is gone takes the factor with it
    if (change.actorId === user.id && user.phone.verified) await this.factorLeft.check(tx, user.id);
    await this.codes.endLive(tx, user.id, 'verify_phone');
    // codes may have gone to it
    const { orgId, userId } = change;
    await this.enqueueNotification.notify(tx, { orgId, userId, template: 'phone_changed' });
    await this.account.record(tx, change, details, 'user.human.phone.removed', ['phone']);
    return details;
  }
}
