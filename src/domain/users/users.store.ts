import type { GivenPassword } from '../passwords/passwords.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { DomainOwner } from './names/user-name.js';
import type { UserFilter } from './user-filter.js';
import type { UserList, UserListQuery } from './user-list.js';
import type { HumanUser, UsableState, User, UserState } from './user.js';

/** An id for a user to come, and what is known about the domain in the name asked for. */
export interface ReservedUser {
  readonly id: UserId;
  readonly domainOwner: DomainOwner | undefined;
}

export interface NewHuman extends Omit<HumanUser, 'type'> {
  readonly id: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  readonly state: UsableState;
  /**
   * Canonical names the user signs in with; the e-mail only when it is verified. `proven`: its owner has shown that the
   * mailbox is theirs; otherwise an administrator or an import marked it as verified.
   */
  readonly identifiers: readonly {
    readonly kind: 'user_name' | 'email';
    readonly canonical: string;
    readonly proven?: boolean;
  }[];
  readonly password: GivenPassword | undefined;
}

export interface NewServiceUser {
  /** Made when it is not given. */
  readonly id?: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  readonly canonicalUserName: string;
  readonly name: string;
  readonly description: string | null;
  readonly accessTokenType: 'opaque' | 'jwt';
}

export interface CreatedUser {
  readonly id: UserId;
  readonly details: ResourceDetails;
}

/** How an attempt to make an address the user's verified one ended. */
export type EmailConfirmation =
  | 'confirmed'
  /** The user has another address by now, or is gone. */
  | 'changed'
  /** Another user of the organization has verified it. */
  | 'taken';

/** A user that the transaction has locked: nobody else changes them before it ends. */
export type LockedUser = User & { readonly locked: true };

/**
 * Of one user together: userinfo, introspection and lists hold all of it in memory, and so do those who read them. The
 * bytes are those of keys and values.
 */
export const MOST_METADATA = { keys: 200, bytes: 1_000_000 };
/** Of one entry: characters of its key, bytes of its value. */
export const LONGEST_METADATA = { key: 200, bytes: 500_000 };

export interface UserMetadata {
  readonly key: string;
  readonly value: Buffer;
  readonly details: ResourceDetails;
}

/** Whether anything signs a user in. */
export interface AnySignInMethod {
  /**
   * A password, a passkey that signs in by itself, or an identity at a provider that may sign the user in right now: it is active, the
   * login policy lets it in, and it has a say over the user.
   */
  readonly now: boolean;
  /** For an owner, also identities at deactivated providers, which may be activated again. For anybody else the same as `now`. */
  readonly later: boolean;
}

/** Users of both kinds, and what others keep about them. What takes a `LockedUser` counts one change of them. */
export abstract class UsersStore {
  /** Draws one id for each entry, in order. @param domains domain part of the user name, null for none */
  abstract reserve(domains: readonly (string | null)[], tx?: Tx): Promise<readonly ReservedUser[]>;

  /**
   * Adds users with profile, identifiers and password in one statement, in the given order.
   * @throws ApiError already-exists when a user name or verified e-mail is taken in its organization
   */
  abstract addHumans(tx: Tx, humans: readonly NewHuman[]): Promise<readonly CreatedUser[]>;

  /** @throws ApiError already-exists as `addHumans` */
  abstract addServiceUser(tx: Tx, machine: NewServiceUser): Promise<CreatedUser>;

  /** The user when that organization owns them. Never a hash. */
  abstract find(orgId: OrgId, id: UserId): Promise<User | undefined>;

  /** Users of an organization that meet every condition, ordered by id. */
  abstract search(orgId: OrgId, filters: readonly UserFilter[], page: PageQuery): Promise<Page<User>>;

  /** A page of them, found by words. @throws ApiError resource-exhausted when it takes too long */
  abstract list(orgId: OrgId, query: UserListQuery): Promise<UserList>;

  abstract findIdByName(tx: Tx, orgId: OrgId, canonicalUserName: string): Promise<UserId | undefined>;

  abstract findState(tx: Tx, orgId: OrgId, id: UserId): Promise<UserState | undefined>;

  /** Any state but inactive → inactive. Undefined when no such user was in such a state. */
  abstract deactivate(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined>;

  /** Inactive → active, or initial for a human without a password and passkeys. Undefined as above. */
  abstract reactivate(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined>;

  /** Initial or active → locked. Undefined as above. */
  abstract lock(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined>;

  /** Locked → active, or initial for a human without a password and passkeys. Undefined as above. */
  abstract unlock(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined>;

  /** What was given out under the epoch before is dead with the commit, on every replica, and for good (end-access.ts). */
  abstract raiseEpoch(tx: Tx, orgId: OrgId, id: UserId): Promise<void>;

  /** The user as they are now, locked against every other change; undefined when deleted, or another organization's. */
  abstract lockForUpdate(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedUser | undefined>;

  /**
   * Marks the address verified and makes it a name to sign in with, the one before no longer; `confirmed` too when it
   * was so before.
   * @param proven as `provesName` says
   */
  abstract confirmEmail(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    address: string,
    canonicalAddress: string,
    proven: boolean,
  ): Promise<EmailConfirmation>;

  /** Marks the number verified; false when the user has another one by now, or is gone. */
  abstract confirmPhone(tx: Tx, orgId: OrgId, id: UserId, number: string): Promise<boolean>;

  /**
   * Counts a change of an initial or active user; undefined when there is none. With `newPassword` an initial user
   * becomes active.
   */
  abstract recordChange(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    change: { readonly newPassword: boolean },
  ): Promise<ResourceDetails | undefined>;

  abstract replaceProfile(tx: Tx, user: LockedUser, profile: HumanUser['profile']): Promise<ResourceDetails>;

  /**
   * An address that is verified is a name to sign in with, and the one before no longer is. One that waits beside a
   * verified one (`pending`) changes neither. One that the user has proven stays proven, any other only counts as verified.
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

  /** With the user's row locked. */
  abstract findSignInMethods(tx: Tx, userId: UserId): Promise<AnySignInMethod>;

  /** For a change that stands elsewhere. */
  abstract countChange(tx: Tx, user: LockedUser): Promise<ResourceDetails>;

  /**
   * Leaves the id and nothing else: names are free again, and every token, session and grant is dead with the commit.
   */
  abstract erase(tx: Tx, user: LockedUser): Promise<ResourceDetails>;

  abstract findMetadata(
    orgId: OrgId,
    userId: UserId,
    key: string,
    tx?: Tx,
  ): Promise<UserMetadata | undefined>;

  /** Ordered by key. @param startsWith of the keys; empty for all */
  abstract listMetadata(
    orgId: OrgId,
    userId: UserId,
    startsWith: string,
    page: PageQuery,
  ): Promise<Page<UserMetadata>>;

  /** How much the user has beside that key; bytes of keys and values. */
  abstract measureOtherMetadata(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
  ): Promise<{ readonly keys: number; readonly bytes: number }>;

  /** Of a user whose row is locked; not a change of the user (`countChange`). */
  abstract setMetadata(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
    value: Buffer,
  ): Promise<ResourceDetails>;

  /** The details that it had; undefined when there is no such key. */
  abstract removeMetadata(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
  ): Promise<ResourceDetails | undefined>;
}
