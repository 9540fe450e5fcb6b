import type { Tx } from '../../shared/unit-of-work.js';
import type { AttemptPolicy } from './attempt-policy.js';

/** A name at a place whose passwords are checked elsewhere, and which may be nobody's here. */
export interface AttemptedName {
  /** `user-migration <organization>`, `identity-provider <id>` */
  readonly place: string;
  /** Of its canonical form: what people type into that field may be a password. */
  readonly hash: Buffer;
}

/**
 * Attempts at names that no user here has, counted as those at users are (`PasswordsStore.takeAttempt`), in one place for all
 * replicas. A right password forgets them all.
 */
export abstract class NameAttemptsStore {
  /**
   * Counts an attempt as failed before anybody is asked, in one statement. False, and nothing written, while the policy makes
   * the name wait.
   */
  abstract take(name: AttemptedName, policy: AttemptPolicy): Promise<boolean>;

  /** Nobody has looked at it: there is one failure less. */
  abstract giveBack(name: AttemptedName): Promise<void>;

  abstract forget(name: AttemptedName, tx?: Tx): Promise<void>;
}
