import type { AuthorizationOwner } from '../authorizations/authorizations.store.js';
import type { ManagementAccess } from '../permissions/management-access.js';
import type { ResourceDetails } from '../shared/details.js';
import type { ApplicationId, ClientId, OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What can be agreed to. */
export type AgreedLevel = Exclude<ManagementAccess, 'none'>;

export interface ConsentPlace {
  /** Of the user. */
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly applicationId: ApplicationId;
}

/** A consent as its user sees it. */
export interface ConsentRecord {
  readonly application: {
    readonly id: ApplicationId;
    readonly clientId: ClientId;
    readonly name: string;
    readonly orgId: OrgId;
    readonly orgName: string;
  };
  /** `none` where it signs its user in, and does nothing here. */
  readonly access: ManagementAccess;
  readonly details: ResourceDetails;
}

/** An application that knows a user, or may act for them. */
export interface ConnectedApplication {
  readonly id: ApplicationId;
  readonly name: string;
  /** Of the organization that has it. */
  readonly ownerName: string;
  /** Consent to act for them on the service's own APIs, where there is one. */
  readonly access?: AgreedLevel;
  /** It may refresh its tokens. */
  readonly offline: boolean;
  /** When it last got tokens, or the consent. */
  readonly lastUsedAt: Date;
}

export interface WithdrawnConsent {
  readonly applicationId: ApplicationId;
  /** The consent was to being signed in as well: all grants of the application end. */
  readonly signsIn: boolean;
  readonly details: ResourceDetails;
}

/**
 * That a user lets an application act for them on the service's own APIs, and how far; and what applications hold of a user,
 * by consent or by their grants.
 */
export abstract class ConsentsStore {
  /** How far the user agreed; `none` where they did not. */
  abstract find(userId: UserId, applicationId: ApplicationId): Promise<ManagementAccess>;

  /** The same, and whoever withdraws it waits until the transaction ends. */
  abstract lockForUpdate(tx: Tx, userId: UserId, applicationId: ApplicationId): Promise<ManagementAccess>;

  /**
   * Stores the consent, and adds the scopes of a sign-in to those consented to before. Undefined if the user is no longer active, or
   * the application is removed or has less access by now.
   */
  abstract give(
    tx: Tx,
    place: ConsentPlace,
    access: ManagementAccess,
    scopes: readonly string[],
  ): Promise<ResourceDetails | undefined>;

  /**
   * Whether the user has consented to an unvetted application with these scopes; a withdrawal of the consent waits until the
   * transaction ends.
   */
  abstract lockSignIn(
    tx: Tx,
    userId: UserId,
    applicationId: ApplicationId,
    scopes: readonly string[],
  ): Promise<boolean>;

  abstract listOfUser(orgId: OrgId, userId: UserId): Promise<readonly ConsentRecord[]>;

  /** Takes one away, or all of a user. */
  abstract withdraw(
    tx: Tx,
    user: AuthorizationOwner,
    only?: ApplicationId,
  ): Promise<readonly WithdrawnConsent[]>;

  /** Brings all consents to an application down to what it has: nobody has agreed to more when it gets it back. */
  abstract lower(tx: Tx, applicationId: ApplicationId, access: ManagementAccess): Promise<void>;

  /** By consent, by a grant of a session that lives, or by a refresh token; last used first, the first hundred. */
  abstract listConnected(user: AuthorizationOwner): Promise<readonly ConnectedApplication[]>;
}
