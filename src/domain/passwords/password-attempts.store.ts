import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { AttemptPolicy } from './attempt-policy.js';

/** An attempt that was let in, counted as a failure until it is forgiven. */
export interface CountedAttempt {
  /** Number of the attempt among all of its user. */
  readonly number: number;
  /** Failures in a row, this one included. */
  readonly failures: number;
}

/**
 * Attempts at passwords, counted in one place for all replicas. They are numbered, and forgiving means to forgive
 * those up to a number. So it does not matter in which order concurrent attempts end: a right password forgives what
 * came before it and never what came after, however late its own statement arrives.
 */
export abstract class PasswordAttemptsStore {
  /**
   * Counts an attempt as failed before its password is looked at, in one statement. Undefined, and nothing written,
   * while the policy makes the user wait: a refused attempt neither counts nor lengthens the wait.
   */
  abstract take(userId: UserId, policy: AttemptPolicy): Promise<CountedAttempt | undefined>;

  /**
   * Whether it is certain that the user has to wait: not so while an attempt that counts has no verdict yet, because a
   * right password may end the wait in a moment. A last attempt older than `patienceMs` is not waited for: its process
   * may have died. True for a user who does not exist.
   */
  abstract mustWait(userId: UserId, policy: AttemptPolicy, patienceMs: number): Promise<boolean>;

  /** The password was right: this attempt and all before it are no failures. May be repeated. */
  abstract forgive(userId: UserId, attempt: CountedAttempt): Promise<void>;

  /** The password was wrong, as it was counted. With `locks` the same statement writes the event of the lock. */
  abstract fail(userId: UserId, attempt: CountedAttempt, locks: boolean): Promise<void>;

  /** The password was never looked at: there is one failure less. */
  abstract giveBack(userId: UserId, attempt: CountedAttempt): Promise<void>;

  /**
   * Forgives everything counted so far: for a password that was set anew, and for an administrator who unlocks.
   * @returns whether anything was counted that the policy had not forgotten
   */
  abstract clear(tx: Tx, orgId: OrgId, userId: UserId, policy: AttemptPolicy): Promise<boolean>;
}
