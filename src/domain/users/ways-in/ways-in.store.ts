import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';

/** What users can sign in with, of whatever kind. */
export abstract class WaysInStore {
  /**
   * Whether there is a password, a passkey that signs in by itself, or an identity at a provider that may sign the user in right
   * now: it is active, the login policy lets it in, and it has a say over the user. With the user's row locked.
   */
  abstract hasAny(tx: Tx, userId: UserId): Promise<boolean>;
}
