import { Injectable } from '@nestjs/common';
import type { AccountChange } from '../accounts/account-changes.js';
import { ChangeProfile } from '../accounts/change-profile.js';
import { ChangeUserName } from '../accounts/change-user-name.js';
import { ChangeUserState } from '../accounts/change-user-state.js';
import { SetPassword, type PreparedPassword } from '../accounts/set-password.js';
import { changedFields } from '../shared/changed-fields.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { HumanProfile } from '../users/user.js';
import type { LockedProvisionedUser, WantedUser } from './provisioned-user.js';
import type { ScimToken } from './scim-tokens.store.js';
import { WriteContacts } from './write-contacts.js';
import { WriteProvisionedEntry } from './write-provisioned-entry.js';

/**
 * Writes what a directory wants of a user and what is not so yet, by the same use cases as a manager. Whoever holds a role of an
 * organization or of the instance is out of reach where a manager without any role would be refused (`RequireRank`).
 */
@Injectable()
export class WriteProvisionedUser {
  constructor(
    private readonly entry: WriteProvisionedEntry,
    private readonly contacts: WriteContacts,
    private readonly changeUserName: ChangeUserName,
    private readonly changeProfile: ChangeProfile,
    private readonly changeState: ChangeUserState,
    private readonly setPassword: SetPassword,
  ) {}

  async execute(
    tx: Tx,
    token: ScimToken,
    change: AccountChange,
    now: LockedProvisionedUser,
    wanted: WantedUser,
    password: PreparedPassword | undefined,
  ): Promise<void> {
    const { user } = now;
    // first in, last out
    const comesBack = user.state === 'inactive' && wanted.active === true;
    if (comesBack) await this.changeState.reactivate(tx, change);
    if (wanted.userName !== now.userName) await this.changeUserName.execute(tx, change, wanted.userName);
    const profile = { ...user.profile, ...wanted.profile } as HumanProfile;
    if (changedFields(user.profile, profile).length > 0) {
      await this.changeProfile.execute(tx, change, { profile, kept: [] });
    }
    await this.contacts.writeEmail(tx, token, change, user, wanted.email);
    await this.contacts.writePhone(tx, change, user, wanted.phone);
    // a directory keeps sending a user whom it has deactivated, and must not be refused for it
    if (password !== undefined) await this.setPassword.execute(tx, change, password, true);
    await this.entry.execute(tx, change, now, wanted);
    if (user.state !== 'inactive' && wanted.active === false) await this.changeState.deactivate(tx, change);
    if (comesBack && now.wasLocked) await this.changeState.lock(tx, change);
  }
}
