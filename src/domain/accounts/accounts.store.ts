import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { HumanUser, User } from '../users/user.js';

/** A user that the transaction has locked: nobody else changes them before it ends. */
export type LockedUser = User & { readonly locked: true };

/**
 * Changes of users that exist. Each counts one change of the user and is made after `lockForUpdate` in its transaction.
 */
export abstract class AccountsStore {
  /** The user as they are now, locked against every other change; undefined when deleted, or another organization's. */
  abstract lockForUpdate(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedUser | undefined>;

  abstract replaceProfile(tx: Tx, user: LockedUser, profile: HumanUser['profile']): Promise<ResourceDetails>;

  /**
   * An address that is verified is a name to sign in with, and the one before no longer is. One that waits beside a
   * verified one (`pending`) leaves both as they are. One that the user has proven stays proven, any other is vouched for.
   * @throws ApiError already-exists when a verified address is another user's
   */
  abstract replaceEmail(
    tx: Tx,
    user: LockedUser,
    email: HumanUser['email'],
    canonicalAddress: string,
  ): Promise<ResourceDetails>;

  abstract replacePhone(tx: Tx, user: LockedUser, phone: HumanUser['phone']): Promise<ResourceDetails>;

  /** @throws ApiError already-exists when the name is taken in the organization */
  abstract replaceUserName(
    tx: Tx,
    user: LockedUser,
    userName: string,
    canonicalUserName: string,
  ): Promise<ResourceDetails>;

  /** For a change that stands elsewhere. */
  abstract countChange(tx: Tx, user: LockedUser): Promise<ResourceDetails>;

  /**
   * Leaves the id and nothing else: names are free again, and every token, session and grant is dead with the commit.
   */
  abstract erase(tx: Tx, user: LockedUser): Promise<ResourceDetails>;
}
