import { Injectable } from '@nestjs/common';
import type { UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { defaultAttemptPolicy } from './attempt-policy.js';
import { GuessingMeter } from './guessing-meter.js';
import { HashingOverloaded } from './hashing-pool.js';
import { type CountedAttempt, PasswordAttemptsStore } from './password-attempts.store.js';
import { PasswordHashing } from './password-hashing.js';
import type { PasswordVerification } from './password-hashing.js';
import { isTooLong } from './password-policy.js';
import { PasswordsStore } from './passwords.store.js';
import { HashRejected } from './schemes/password-scheme.js';

export interface PasswordCheck {
  readonly matches: boolean;
  /** The password matched and must be changed before the sign-in goes on. */
  readonly changeRequired: boolean;
  /** The password was not looked at, because too many wrong ones came before; nobody outside may notice. */
  readonly blocked: boolean;
}

const WRONG: PasswordCheck = { matches: false, changeRequired: false, blocked: false };
const BLOCKED: PasswordCheck = { ...WRONG, blocked: true };

/**
 * The one door at which a password is checked, and where guessing is counted. An attempt counts as a failure before
 * its password is looked at, so that parallel guesses cannot all be evaluated first; a right one takes that back.
 *
 * A right password forgives the failures up to its own attempt and none that came later: those are somebody else's,
 * or a slower click of the same person, which forgives itself. Forgiving the earlier ones gives a guesser a fresh
 * start at each sign-in of the owner, which is a few more guesses a day; not forgiving them would let strangers use up
 * an account that is in use. Two right ones at once, a double click, leave nothing counted.
 *
 * An unknown user, a user without a password, one who is blocked and one whose stored hash is refused all cost a
 * native verification and answer like a wrong password. A match with a foreign or cheap hash is re-hashed behind the
 * sign-in's back: that neither delays nor fails it.
 */
@Injectable()
export class CheckPassword {
  private readonly rehashes = new Set<Promise<void>>();

  constructor(
    private readonly passwords: PasswordsStore,
    private readonly attempts: PasswordAttemptsStore,
    private readonly hashing: PasswordHashing,
    private readonly meter: GuessingMeter,
    private readonly log: Log,
  ) {}

  /** `userId` is undefined for an unknown user. Throws HashingOverloaded. */
  async check(userId: UserId | undefined, password: string): Promise<PasswordCheck> {
    // No stored password is that long, and the answer is the same for every user.
    if (isTooLong(password)) return WRONG;
    const stored = userId === undefined ? undefined : await this.passwords.findByUser(userId);
    if (userId === undefined || stored === undefined) {
      await this.hashing.spendSameTime(password);
      return WRONG;
    }
    const attempt = await this.attempts.take(userId, defaultAttemptPolicy);
    if (attempt === undefined) {
      await this.hashing.spendSameTime(password);
      return BLOCKED;
    }
    const { matches, needsRehash } = await this.evaluate(userId, attempt, stored.hash, password);
    if (!matches) {
      if (attempt.failures >= defaultAttemptPolicy.lockAfterFailures) await this.tellOfLock(userId, attempt);
      return WRONG;
    }
    await this.attempts.forgive(userId, attempt);
    if (needsRehash) this.startRehash(userId, stored.hash, password);
    return { matches: true, changeRequired: stored.changeRequired, blocked: false };
  }

  /** Resolves when the re-hashes begun so far have ended; for shutdown and tests. */
  async settled(): Promise<void> {
    await Promise.all(this.rehashes);
  }

  /** An attempt that finds no room to be evaluated is nobody's failure. */
  private async evaluate(
    userId: UserId,
    attempt: CountedAttempt,
    hash: string,
    password: string,
  ): Promise<PasswordVerification> {
    try {
      return await this.verify(userId, hash, password);
    } catch (error) {
      if (error instanceof HashingOverloaded) await this.attempts.giveBack(userId, attempt);
      throw error;
    }
  }

  private async tellOfLock(userId: UserId, { failures }: CountedAttempt): Promise<void> {
    this.log.warn('wrong passwords have locked the password step', { userId, failures });
    this.meter.locked();
    await this.attempts.recordLock(userId, failures);
  }

  private async verify(userId: UserId, hash: string, password: string): Promise<PasswordVerification> {
    try {
      return await this.hashing.verify(hash, password);
    } catch (error) {
      if (!(error instanceof HashRejected)) throw error;
      // Import lets no such hash in: somebody wrote to the database by hand.
      this.log.error('stored password hash refused', error, { userId, rule: error.rule });
      await this.hashing.spendSameTime(password);
      return { matches: false, needsRehash: false };
    }
  }

  private startRehash(userId: UserId, previousHash: string, password: string): void {
    const rehash = this.rehash(userId, previousHash, password)
      .catch((error: unknown) => {
        this.log.error('password re-hash failed, the next sign-in tries again', error, { userId });
      })
      .finally(() => this.rehashes.delete(rehash));
    this.rehashes.add(rehash);
  }

  /** Nothing is written when the password changed meanwhile: the newer one must survive. */
  private async rehash(userId: UserId, previousHash: string, password: string): Promise<void> {
    const hash = await this.hashing.hash(password);
    const { scheme, weak } = this.hashing.inspect(hash);
    const replaced = await this.passwords.replaceIfUnchanged(userId, previousHash, { hash, scheme, weak });
    this.log.info(replaced ? 'password re-hashed' : 'password changed meanwhile, not re-hashed', { userId });
  }
}
