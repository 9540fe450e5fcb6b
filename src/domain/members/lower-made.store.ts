import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/**
 * Something to act for a user by that somebody made: to sign in with, or an application to which they gave access to the
 * service's own APIs and the user agreed. `id` is the user's where the user has but one.
 */
export interface MadeCredential {
  readonly kind: 'personal_access_token' | 'machine_key' | 'machine_secret' | 'password' | 'application';
  readonly id: string;
}

/**
 * @param madeBy `operator`: whoever runs the service; undefined: nobody knows
 * @param madeAt as the database writes it; undefined: nobody knows
 */
export interface CredentialOfUser extends MadeCredential {
  readonly madeBy: UserId | 'operator' | undefined;
  readonly madeAt: string | undefined;
}

export abstract class LowerMadeStore {
  /**
   * The user's organization. Locks the user until the transaction ends: whoever makes credentials for them, or writes
   * down what they agree to, locks them too, so that all there are, and will be before it ends, are told by `list`.
   */
  abstract lockForUpdate(tx: Tx, userId: UserId): Promise<OrgId | undefined>;

  /** What there is of that; a password only where a manager set it and nobody since. */
  abstract list(tx: Tx, userId: UserId): Promise<readonly CredentialOfUser[]>;

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
