import { Injectable } from '@nestjs/common';
import { changedFields } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { usualDisplayName, type ProfileReplacement } from '../users/profile-replacement.js';
import type { HumanUser } from '../users/user.js';
import { UsersStore } from '../users/users.store.js';
import { AccountChanges, requireHuman, type AccountChange } from './account-changes.js';

type Profile = HumanUser['profile'];

/** Replaces what a profile says. */
@Injectable()
export class ChangeProfile {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
  ) {}

  /** @throws ApiError not-found, failed-precondition for a service user */
  async execute(tx: Tx, change: AccountChange, asked: ProfileReplacement): Promise<ResourceDetails> {
    return await this.replace(tx, change, (before) => replaced(before, asked));
  }

  /** Changes some of it, on top of what is there by then. @throws ApiError as `execute` */
  async edit(tx: Tx, change: AccountChange, edited: (before: Profile) => Profile): Promise<ResourceDetails> {
    return await this.replace(tx, change, edited);
  }

  /** The language of pages and mails for the user; undefined for none of their own. @throws ApiError as `execute` */
  async speak(
    tx: Tx,
    change: AccountChange,
    preferredLanguage: string | undefined,
  ): Promise<ResourceDetails> {
    return await this.replace(tx, change, ({ preferredLanguage: _before, ...before }) =>
      preferredLanguage === undefined ? before : { ...before, preferredLanguage },
    );
  }

  private async replace(
    tx: Tx,
    change: AccountChange,
    changed: (before: Profile) => Profile,
  ): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.lockForUpdate(tx, change));
    const before = user.profile;
    const after = changed(before);
    const details = await this.users.replaceProfile(tx, user, after);
    const fields = changedFields(before, after);
    await this.account.record(tx, change, details, 'user.human.profile.changed', fields);
    return details;
  }
}

function replaced(before: Profile, { profile, kept }: ProfileReplacement): Profile {
  const stays = Object.fromEntries(kept.map((name) => [name, before[name]])) as Partial<Profile>;
  const after = { displayName: usualDisplayName(profile), ...profile, ...stays };
  // the one there is, where nothing differs, so that it does not count as changed
  const same = before.address && after.address && changedFields(before.address, after.address).length === 0;
  return same ? { ...after, address: before.address } : after;
}
