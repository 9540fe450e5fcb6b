import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

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

/** Whatever somebody made to act for a user by, of which a part ends when the user rises (RevokeOutrankedCredentials). */
export abstract class CredentialsStore {
  /**
   * The user's organization. Locks the user until the transaction ends: creating credentials for them, or storing
   * a consent, locks them too, so that all that exist, and will exist before it ends, are returned by
   * `list`.
   */
  abstract lock(tx: Tx, userId: UserId): Promise<OrgId | undefined>;

  /** Whatever acts for the user; a password only where a manager set it and nobody since. */
  abstract list(tx: Tx, userId: UserId): Promise<readonly CredentialOfUser[]>;

  /** The organizations whose identity providers the user has an identity at. */
  abstract listProviderOwners(tx: Tx, userId: UserId): Promise<readonly OrgId[]>;

  /**
   * Ends these, with the tokens that were obtained by them. An event says so for each. Sessions and consents are for the
   * caller.
   */
  abstract end(
    tx: Tx,
    userId: UserId,
    credentials: readonly MadeCredential[],
    actorId: UserId | null,
  ): Promise<void>;
}
