import { Injectable } from '@nestjs/common';
import { AccountChanges, type AccountChange } from '../accounts/account-changes.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { LockedProvisionedUser, WantedUser } from './provisioned-user.js';
import { ProvisioningStore } from './provisioning.store.js';

/** What is kept for a directory beside the user: its own id and name for them, and the lock that it knows nothing of. */
@Injectable()
export class WriteProvisionedEntry {
  constructor(
    private readonly provisioning: ProvisioningStore,
    private readonly account: AccountChanges,
  ) {}

  async execute(
    tx: Tx,
    change: AccountChange,
    now: LockedProvisionedUser,
    { externalId, userName, active }: WantedUser,
  ): Promise<void> {
    const wasLocked = isLockKept(now, active);
    if (now.externalId === externalId && now.userName === userName && now.wasLocked === wasLocked) return;
    const { orgId, userId } = change;
    await this.provisioning.putEntry(tx, orgId, userId, { externalId, userName, wasLocked });
    if (now.externalId === externalId) return;
    const details = await this.account.count(tx, now.user);
    await this.account.record(tx, change, details, 'user.external_id.changed', ['externalId']);
  }
}

/** A lock is kept from when a directory makes the user inactive until somebody lets them in. */
function isLockKept({ user, wasLocked }: LockedProvisionedUser, active: boolean | undefined): boolean {
  if (user.state === 'inactive') return wasLocked && active !== true;
  return user.state === 'locked' && active === false;
}
