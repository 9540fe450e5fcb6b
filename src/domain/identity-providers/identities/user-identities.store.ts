import type { IdentityProviderId, OrgId, UserId, UserIdentityId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';

/** Who a user is at a provider. */
export interface UserIdentity {
  readonly id: UserIdentityId;
  readonly providerId: IdentityProviderId;
  readonly providerName: string;
  readonly subject: string;
  /** What the provider calls them. */
  readonly displayName: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface NewUserIdentity {
  readonly providerId: IdentityProviderId;
  readonly subject: string;
  readonly displayName: string;
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** The manager who names it, empty where nobody answers for it; undefined for what the user has come back with. */
  readonly madeBy?: UserId | '';
  /** To an account that is there: only while the provider is active and may be connected. */
  readonly isLink?: boolean;
}

/** Whom a subject is. */
export interface IdentifiedUser {
  readonly id: UserIdentityId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** Whether the provider may sign them in now: they are active, it has a say over them, and their organization's policy lets it. */
  readonly active: boolean;
}

/** Which subject of which identity provider is which user. */
export abstract class UserIdentitiesStore {
  /**
   * By (provider, subject) alone. Somebody whom the provider may not sign in is known all the same, so that nobody becomes a
   * second user with the same subject.
   *
   * @param tx of the transaction that asks, so that it waits for no second connection
   */
  abstract find(
    providerId: IdentityProviderId,
    subject: string,
    tx?: Tx,
  ): Promise<IdentifiedUser | undefined>;

  /** The user of an organization whose verified address it is, or whose user name and address both. */
  abstract findByAddress(
    orgId: OrgId,
    canonicalName: string,
  ): Promise<{ readonly userId: UserId; readonly loginName: string } | undefined>;

  abstract listOfUser(orgId: OrgId, userId: UserId): Promise<readonly UserIdentity[]>;

  /**
   * A provider of an organization has a say over its own users alone, and over none who holds a role in the instance or in
   * another organization: whoever keeps it could be them.
   *
   * @returns undefined for a user whom the provider has no say over, and for a subject that is somebody's
   */
  abstract add(tx: Tx, identity: NewUserIdentity): Promise<UserIdentityId | undefined>;

  /** Whether anybody is known by this provider. */
  abstract isAnybodys(tx: Tx, providerId: IdentityProviderId): Promise<boolean>;

  abstract used(tx: Tx, id: UserIdentityId, displayName: string): Promise<void>;

  abstract remove(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: UserIdentityId,
  ): Promise<UserIdentity | undefined>;
}
