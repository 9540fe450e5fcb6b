import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { AttemptPolicy } from './attempt-policy.js';

export interface StoredPassword {
  /** Encoded hash of any known scheme; leaves the passwords module towards storage only. */
  readonly hash: string;
  /** The next sign-in asks for a new password. */
  readonly changeRequired: boolean;
  /** When it was chosen, exact; a re-hash leaves it as it is. Only good for comparing. */
  readonly setAt: string;
  /** A sign-in has shown already that this hash must not be replaced by what was typed. */
  readonly rehashWithheld?: true;
  /** How guesses at it are counted, where the organization has decided that. */
  readonly attemptPolicy?: AttemptPolicy;
}

/** An encoded hash with what its inspection said, kept beside it for reports. */
export interface EncodedPassword {
  readonly hash: string;
  readonly scheme: string;
  readonly weak: boolean;
}

export interface NewPassword extends EncodedPassword {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly changeRequired: boolean;
}

export abstract class PasswordsStore {
  /** The user's password; undefined when there is none. */
  abstract findByUser(userId: UserId): Promise<StoredPassword | undefined>;

  /**
   * One conditional statement of its own: writes `next` only where the hash still is `previousHash`, and
   * tells whether it did. A re-hash is no change of the password: `changeRequired`, the time of the last
   * change and the user's token epoch stay.
   */
  abstract replaceIfUnchanged(userId: UserId, previousHash: string, next: EncodedPassword): Promise<boolean>;

  /**
   * One statement of its own: notes, with an event, that the hash is kept although a sign-in with it would have
   * replaced it; whatever replaces the hash takes the note away. False when it is noted already or the hash is gone.
   */
  abstract withholdRehash(userId: UserId, hash: string): Promise<boolean>;

  /** Replaces the password that was chosen then; false when it is another one by now. */
  abstract replaceSetAt(tx: Tx, setAt: string, password: NewPassword): Promise<boolean>;

  /** Sets the first password or replaces the present one, whatever it is. */
  abstract set(tx: Tx, password: NewPassword): Promise<void>;
}
