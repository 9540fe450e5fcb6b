import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';

/** Whether anything signs a user in. */
export interface AnyWayIn {
  /**
   * A password, a passkey that signs in by itself, or an identity at a provider that may sign the user in right now: it is active, the
   * login policy lets it in, and it has a say over the user.
   */
  readonly now: boolean;
  /** Of an owner, with identities at providers that are switched off: somebody switches them on again. Of anybody else as `now`. */
  readonly later: boolean;
}

/** What users can sign in with, of whatever kind. */
export abstract class WaysInStore {
  /** With the user's row locked. */
  abstract findAny(tx: Tx, userId: UserId): Promise<AnyWayIn>;
}
