import type { Role } from '../permissions/permissions.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { User } from '../users/user.js';

/** Where roles are held: in an organization, or (null) in the instance. */
export type MemberPlace = OrgId | null;

/** A user with all roles that they hold in one place. */
export interface Member {
  readonly userId: UserId;
  /** The organization that owns the user. */
  readonly userOrgId: OrgId;
  readonly loginName: string;
  /** As lists of people call them; the name of a service user. */
  readonly displayName: string;
  readonly userType: User['type'];
  readonly roles: readonly Role[];
  readonly details: ResourceDetails;
}

/**
 * Something to act for a user by that somebody made: to sign in with, or an application to which they gave access to the
 * service's own APIs and the user agreed. `id` is the user's where the user has but one.
 */
export interface MadeCredential {
  readonly kind:
    | 'personal_access_token'
    | 'machine_key'
    | 'machine_secret'
    | 'password'
    /** Added by a link that somebody was given. */
    | 'passkey'
    /** Such a link, not used yet. */
    | 'passkey_link'
    /** Who the user is at an identity provider, named by a manager. */
    | 'identity'
    | 'application';
  readonly id: string;
}

/**
 * @param madeBy `operator`: whoever runs the service; `organization`: an old system of the user's; undefined: nobody knows
 * @param madeAt as the database writes it; undefined: nobody knows
 */
export interface CredentialOfUser extends MadeCredential {
  readonly madeBy: UserId | 'operator' | 'organization' | undefined;
  readonly madeAt: string | undefined;
}

/** Members, and what was made to act for them: of that, what a lower rank made ends when they rise (RevokeOutrankedCredentials). */
export abstract class MembersStore {
  /** Whoever changes members of this place after the call waits until the transaction ends. */
  abstract lock(tx: Tx, place: MemberPlace): Promise<void>;

  /**
   * Whether there is such a user, in the organization if one is given. Waits for whoever deletes them, and keeps them
   * from being deleted until the transaction ends.
   */
  abstract lockUser(tx: Tx, userId: UserId, orgId: OrgId | null): Promise<boolean>;

  abstract findRoles(tx: Tx, place: MemberPlace, userId: UserId): Promise<readonly Role[]>;

  abstract list(place: MemberPlace, query: PageQuery): Promise<Page<Member>>;

  /** These roles and no others; none take the membership away, and the details are those it had. */
  abstract setRoles(
    tx: Tx,
    place: MemberPlace,
    userId: UserId,
    roles: readonly Role[],
  ): Promise<ResourceDetails>;

  /**
   * The user's organization. Locks the user until the transaction ends: creating credentials for them, or storing
   * a consent, locks them too, so that all that exist, and will exist before it ends, are returned by
   * `listCredentials`.
   */
  abstract lockCredentials(tx: Tx, userId: UserId): Promise<OrgId | undefined>;

  /** Whatever acts for the user; a password only where a manager set it and nobody since. */
  abstract listCredentials(tx: Tx, userId: UserId): Promise<readonly CredentialOfUser[]>;

  /** The organizations whose identity providers the user has an identity at. */
  abstract listProviderOwners(tx: Tx, userId: UserId): Promise<readonly OrgId[]>;

  /**
   * Ends these, with the tokens that were obtained by them. An event says so for each. Sessions and consents are for the
   * caller.
   */
  abstract endCredentials(
    tx: Tx,
    userId: UserId,
    credentials: readonly MadeCredential[],
    actorId: UserId | null,
  ): Promise<void>;
}
