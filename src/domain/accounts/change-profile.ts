import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { changedFields } from '../policies/changed-fields.js';
import { AccountsStore, type EditableProfile } from './accounts.store.js';
import { type AccountChange, HoldAccount, requireHuman } from './hold-account.js';

/** Replaces what a profile says; fields that are left out are empty afterwards. */
@Injectable()
export class ChangeProfile {
  constructor(
    private readonly account: HoldAccount,
    private readonly accounts: AccountsStore,
  ) {}

  /** @throws ApiError not-found, failed-precondition for a service user */
  async execute(tx: Tx, change: AccountChange, profile: EditableProfile): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.hold(tx, change));
    const { firstName, lastName, displayName, nickName, preferredLanguage, gender } = user.is.profile;
    const before: EditableProfile = { firstName, lastName, displayName, nickName, preferredLanguage, gender };
    const details = await this.accounts.replaceProfile(tx, user, profile);
    await this.account.record(
      tx,
      change,
      details,
      'user.human.profile.changed',
      changedFields(before, profile),
    );
    return details;
  }
}
