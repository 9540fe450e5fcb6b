import { Injectable } from '@nestjs/common';
import { AccountChanges, type AccountChange } from '../accounts/account-changes.js';
import type { Tx } from '../shared/unit-of-work.js';
import { userNotFound } from '../users/find-user.js';
import { changedMeanwhile, provisioned, type LockedProvisionedUser } from './provisioned-user.js';
import { ProvisioningStore } from './provisioning.store.js';

/** A user as they are now, with the row locked; refused where a directory says that it has read another version. */
@Injectable()
export class LockProvisionedUser {
  constructor(
    private readonly account: AccountChanges,
    private readonly provisioning: ProvisioningStore,
  ) {}

  /** @throws ApiError not-found, precondition-failed, permission-denied */
  async execute(
    tx: Tx,
    change: AccountChange,
    version: readonly string[] | undefined,
  ): Promise<LockedProvisionedUser> {
    const user = await this.account.lockForUpdate(tx, change);
    if (user.type !== 'human') throw userNotFound();
    if (version !== undefined && !version.includes(user.details.sequence)) throw changedMeanwhile();
    const entries = await this.provisioning.entriesOf(change.orgId, [user.id], tx);
    const entry = entries.get(user.id);
    return { ...provisioned(user, entry), user, wasLocked: entry?.wasLocked ?? false };
  }
}
