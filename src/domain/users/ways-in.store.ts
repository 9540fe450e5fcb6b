import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What users can sign in with, of whatever kind. */
export abstract class WaysInStore {
  /** Whether there is a password, a passkey that signs in by itself, or an identity elsewhere. With the user's row locked. */
  abstract hasAny(tx: Tx, userId: UserId): Promise<boolean>;
}
