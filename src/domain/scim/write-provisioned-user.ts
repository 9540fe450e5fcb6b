import { Injectable } from '@nestjs/common';
import { ChangeEmail } from '../accounts/change-email.js';
import { ChangePhone } from '../accounts/change-phone.js';
import { ChangeProfile } from '../accounts/change-profile.js';
import { ChangeUserName } from '../accounts/change-user-name.js';
import { ChangeUserState } from '../accounts/change-user-state.js';
import { LockAccount, type AccountChange, type LockedHuman } from '../accounts/lock-account.js';
import { SetPassword, type PreparedPassword } from '../accounts/set-password.js';
import { changedFields } from '../policies/changed-fields.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { HumanProfile } from '../users/user.js';
import type { SeenLocked, WantedUser } from './provisioned-user.js';
import { ProvisionedUsersStore } from './provisioned-users.store.js';
import type { ScimToken } from './scim-tokens.store.js';

/**
 * Writes what a directory wants of a user and what is not so yet, by the same use cases as a manager. Whoever holds a role of an
 * organization or of the instance is out of reach where a manager without any role would be refused (`RequireRank`).
 */
@Injectable()
export class WriteProvisionedUser {
  constructor(
    private readonly people: ProvisionedUsersStore,
    private readonly account: LockAccount,
    private readonly changeUserName: ChangeUserName,
    private readonly changeProfile: ChangeProfile,
    private readonly changeEmail: ChangeEmail,
    private readonly changePhone: ChangePhone,
    private readonly changeState: ChangeUserState,
    private readonly setPassword: SetPassword,
  ) {}

  async execute(
    tx: Tx,
    token: ScimToken,
    change: AccountChange,
    now: SeenLocked,
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
    await this.writeEmail(tx, token, change, user, wanted.email);
    await this.writePhone(tx, change, user, wanted.phone);
    // a directory goes on sending all of a user whom it has made inactive, and is not refused for it
    if (password !== undefined) await this.setPassword.execute(tx, change, password, true);
    await this.writeEntry(tx, change, now, wanted);
    if (user.state !== 'inactive' && wanted.active === false) await this.changeState.deactivate(tx, change);
    if (comesBack && now.wasLocked) await this.changeState.lock(tx, change);
  }

  /** One that waits for its code already is not sent another one with every round of the directory. */
  private async writeEmail(
    tx: Tx,
    { trustsEmails: verified }: ScimToken,
    change: AccountChange,
    { email }: LockedHuman,
    address: string,
  ): Promise<void> {
    if (address === email.address || (!verified && address === email.pending)) return;
    await this.changeEmail.execute(tx, change, { address, verified });
  }

  private async writePhone(
    tx: Tx,
    change: AccountChange,
    { phone }: LockedHuman,
    number: string | null | undefined,
  ): Promise<void> {
    if (typeof number === 'string') {
      if (number !== phone?.number) await this.changePhone.replaceQuietly(tx, change, number);
    } else if (phone !== undefined && (number === null || !phone.verified)) {
      await this.changePhone.remove(tx, change);
    }
  }

  private async writeEntry(
    tx: Tx,
    change: AccountChange,
    now: SeenLocked,
    { externalId, userName, active }: WantedUser,
  ): Promise<void> {
    const wasLocked = isLockKept(now, active);
    if (now.externalId === externalId && now.userName === userName && now.wasLocked === wasLocked) return;
    const { orgId, userId } = change;
    await this.people.put(tx, orgId, userId, { externalId, userName, wasLocked });
    if (now.externalId === externalId) return;
    const details = await this.account.count(tx, now.user);
    await this.account.record(tx, change, details, 'user.external_id.changed', ['externalId']);
  }
}

/** A lock is kept from when a directory makes the user inactive until somebody lets them in. */
function isLockKept({ user, wasLocked }: SeenLocked, active: boolean | undefined): boolean {
  if (user.state === 'inactive') return wasLocked && active !== true;
  return user.state === 'locked' && active === false;
}
