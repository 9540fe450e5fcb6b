import { Injectable } from '@nestjs/common';
import { requireServiceUserName } from '../service-users/service-user-name.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { domainOfUserName, userNameIn } from '../users/names/user-name.js';
import { UsersStore } from '../users/users.store.js';
import { AccountChanges, type AccountChange } from './account-changes.js';

/** Gives a user another name. The former one is free for others from then on. */
@Injectable()
export class ChangeUserName {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
  ) {}

  /** @throws ApiError not-found, already-exists, invalid-argument for a domain of another organization, and for what could be a client's id */
  async execute(tx: Tx, change: AccountChange, asked: string): Promise<ResourceDetails> {
    const user = await this.account.lockCoveredForUpdate(tx, change);
    const [reserved] = await this.users.reserve([domainOfUserName(asked)], tx);
    const userName = userNameIn(change.orgId, asked, reserved?.domainOwner);
    if (user.type === 'machine') requireServiceUserName(userName);
    const details = await this.users.replaceUserName(tx, user, userName, canonicalName(userName));
    await this.account.record(tx, change, details, 'user.user_name.changed', ['userName']);
    return details;
  }
}
