import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { AttemptPolicy } from './attempts/attempt-policy.js';

export interface StoredPassword {
  /** Encoded hash of any known scheme; leaves the passwords module towards storage only. */
  readonly hash: string;
  /** The next sign-in asks for a new password. */
  readonly changeRequired: boolean;
  /** When it was chosen, exact; a re-hash leaves it as it is. Only good for comparing. */
  readonly setAt: string;
  /** A sign-in has shown already that this hash must not be replaced by what was typed. */
  readonly rehashWithheld?: true;
  /** Whoever has it must show a second factor as well. */
  readonly secondFactorDue?: true;
  /** How guesses at it are counted, where the organization has decided that. */
  readonly attemptPolicy?: AttemptPolicy;
}

/** An encoded hash with what its inspection said, kept beside it for reports. */
export interface EncodedPassword {
  readonly hash: string;
  readonly scheme: string;
  readonly weak: boolean;
}

/**
 * Who answers for a password with their rank, should its user rise (`RevokeOutrankedCredentials`): null is the user who chose it,
 * `organization` its old system, `nobody` whoever may do less than all that their user may.
 */
export type PasswordMaker = UserId | 'organization' | 'nobody' | null;

/** A password that a user gets. */
export interface GivenPassword extends EncodedPassword {
  readonly changeRequired: boolean;
  readonly madeBy: PasswordMaker;
}

export interface NewPassword extends GivenPassword {
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** A code sent by e-mail was all that it took to set it. */
  readonly resetByEmail?: true;
}

/** A name at a place whose passwords are checked elsewhere, and which may be nobody's here. */
export interface AttemptedName {
  /** `user-migration <organization>`, `identity-provider <id>` */
  readonly place: string;
  /** Of its canonical form: what people type into that field may be a password. */
  readonly hash: Buffer;
}

/** An admitted attempt, counted as a failure until it is cleared. */
export interface CountedAttempt {
  /** Number of the attempt among all of its user. */
  readonly number: number;
  /** Failures in a row, this one included. */
  readonly failures: number;
}

/**
 * Passwords, and the attempts at them, which are counted in one place for all replicas. Attempts are numbered, and
 * forgiving means to forgive those up to a number. So it does not matter in which order concurrent attempts end: a right
 * password forgives what came before it and never what came after, however late its own statement arrives.
 */
export abstract class PasswordsStore {
  /** The user's password; undefined when there is none. */
  abstract findByUser(userId: UserId): Promise<StoredPassword | undefined>;

  /** How guesses at what a user shows are counted, where their organization has decided that. */
  abstract findAttemptPolicy(userId: UserId): Promise<AttemptPolicy | undefined>;

  /**
   * One conditional statement of its own: writes `next` only where the hash still is `previousHash`, and
   * returns whether it did. A re-hash is no change of the password: `changeRequired`, the time of the last
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

  /**
   * Counts an attempt as failed before its password is looked at, in one statement. Undefined, and nothing written,
   * while the policy makes the user wait: a refused attempt neither counts nor lengthens the wait.
   */
  abstract takeAttempt(userId: UserId, policy: AttemptPolicy): Promise<CountedAttempt | undefined>;

  /**
   * Whether it is certain that the user has to wait: not so while an attempt that counts has no verdict yet, because a
   * right password may end the wait in a moment. A last attempt older than `patienceMs` is not waited for: its process
   * may have died. True for a user who does not exist.
   */
  abstract mustWait(userId: UserId, policy: AttemptPolicy, patienceMs: number): Promise<boolean>;

  /** The password was right: this attempt and all before it are no failures. May be repeated. */
  abstract forgiveAttempts(userId: UserId, attempt: CountedAttempt): Promise<void>;

  /** The password was wrong, as it was counted. With `locks` the same statement writes the event of the lock. */
  abstract failAttempt(userId: UserId, attempt: CountedAttempt, locks: boolean): Promise<void>;

  /** The password was never looked at: there is one failure less. */
  abstract giveBackAttempt(userId: UserId, attempt: CountedAttempt): Promise<void>;

  /**
   * Clears all failures counted so far: after a new password, and when an administrator unlocks the user.
   * @returns whether anything was counted that the policy had not forgotten
   */
  abstract clearAttempts(tx: Tx, orgId: OrgId, userId: UserId, policy: AttemptPolicy): Promise<boolean>;

  /**
   * Counts an attempt at a name that no user here has as failed before anybody is asked, in one statement, as `takeAttempt` does.
   * False, and nothing written, while the policy makes the name wait.
   */
  abstract takeNameAttempt(name: AttemptedName, policy: AttemptPolicy): Promise<boolean>;

  /** Nobody has looked at it: there is one failure less. */
  abstract giveBackNameAttempt(name: AttemptedName): Promise<void>;

  /** A right password forgets them all. */
  abstract forgetNameAttempts(name: AttemptedName, tx?: Tx): Promise<void>;
}
