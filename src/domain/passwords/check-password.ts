import { Injectable } from '@nestjs/common';
import type { UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { defaultAttemptPolicy } from './attempts/attempt-policy.js';
import { BruteForceProtection } from './attempts/brute-force-protection.js';
import type { HashingBill } from './hashing/hashing-bill.js';
import { HashingOverloaded } from './hashing/hashing-pool.js';
import { PasswordHashing, type PasswordVerification } from './hashing/password-hashing.js';
import { isTooLong } from './password-policy.js';
import { PasswordsStore, type CountedAttempt } from './passwords.store.js';
import { HashRejected } from './schemes/password-scheme.js';

interface PasswordCheck {
  readonly matches: boolean;
  /** The password matched and must be changed before the sign-in continues. */
  readonly changeRequired: boolean;
  /** `StoredPassword.setAt` of the password that matched. */
  readonly setAt?: string;
  /** The password was not looked at, because too many wrong ones came before; nobody outside may notice. */
  readonly blocked: boolean;
}

const WRONG: PasswordCheck = { matches: false, changeRequired: false, blocked: false };
const BLOCKED: PasswordCheck = { ...WRONG, blocked: true };

/**
 * The only place where a password is checked, and where guessing is limited. An unknown user, a user without a
 * password, one who has to wait after wrong ones and one whose stored hash is refused all cost a native verification
 * and answer like a wrong password. A match with a foreign or cheap hash is re-hashed in the background, which neither delays nor
 * fails the sign-in. A hash that cannot distinguish that password from others is kept, so that the true one stays valid, and the log
 * says so once.
 */
@Injectable()
export class CheckPassword {
  private readonly rehashes = new Set<Promise<void>>();

  constructor(
    private readonly passwords: PasswordsStore,
    private readonly bruteForceProtection: BruteForceProtection,
    private readonly hashing: PasswordHashing,
    private readonly log: Log,
  ) {}

  /** `userId` is undefined for an unknown user. Throws HashingOverloaded. */
  async check(userId: UserId | undefined, password: string, bill: HashingBill): Promise<PasswordCheck> {
    // No stored password is that long, and the answer is the same for every user.
    if (isTooLong(password)) return WRONG;
    const stored = userId === undefined ? undefined : await this.passwords.findByUser(userId);
    if (userId === undefined || stored === undefined) {
      await this.hashing.spendSameTime(password, bill);
      return WRONG;
    }
    const policy = stored.attemptPolicy ?? defaultAttemptPolicy;
    const attempt = await this.bruteForceProtection.admit(userId, policy);
    if (attempt === undefined) {
      await this.hashing.spendSameTime(password, bill);
      return BLOCKED;
    }
    const { matches, needsRehash, rehashWithheld } = await this.evaluate(userId, attempt, () =>
      this.verify(userId, stored.hash, password, bill),
    );
    if (!matches) {
      await this.bruteForceProtection.wrong(userId, attempt, policy);
      return WRONG;
    }
    // where a factor is due as well, that one forgives: or whoever knows the password could guess at it for ever
    if (stored.secondFactorDue === true) await this.bruteForceProtection.notEvaluated(userId, attempt);
    else await this.bruteForceProtection.right(userId, attempt);
    if (needsRehash) {
      this.inBackground(userId, this.rehash(userId, stored.hash, password, bill.behindTheScenes()));
    }
    if (rehashWithheld && stored.rehashWithheld !== true) {
      this.inBackground(userId, this.withholdRehash(userId, stored.hash));
    }
    const { changeRequired, setAt } = stored;
    return { matches: true, changeRequired, setAt, blocked: false };
  }

  /** Resolves when the re-hashes begun so far have ended; for shutdown and tests. */
  async settled(): Promise<void> {
    await Promise.all(this.rehashes);
  }

  private async evaluate(
    userId: UserId,
    attempt: CountedAttempt,
    verify: () => Promise<PasswordVerification>,
  ): Promise<PasswordVerification> {
    try {
      return await verify();
    } catch (error) {
      if (error instanceof HashingOverloaded) await this.bruteForceProtection.notEvaluated(userId, attempt);
      throw error;
    }
  }

  private async verify(
    userId: UserId,
    hash: string,
    password: string,
    bill: HashingBill,
  ): Promise<PasswordVerification> {
    try {
      return await this.hashing.verify(hash, password, bill);
    } catch (error) {
      if (!(error instanceof HashRejected)) throw error;
      // Import lets no such hash in: somebody wrote to the database by hand.
      this.log.error('stored password hash refused', error, { userId, rule: error.rule });
      await this.hashing.spendSameTime(password, bill);
      return { matches: false, needsRehash: false, rehashWithheld: false };
    }
  }

  private inBackground(userId: UserId, work: Promise<void>): void {
    const rehash = work
      .catch((error: unknown) => {
        if (error instanceof HashingOverloaded) {
          return this.log.info('no capacity to re-hash a password; the next sign-in tries again', { userId });
        }
        this.log.error('password re-hash failed, the next sign-in tries again', error, { userId });
      })
      .finally(() => this.rehashes.delete(rehash));
    this.rehashes.add(rehash);
  }

  /** Nothing is written when the password changed meanwhile: the newer one must survive. */
  private async rehash(
    userId: UserId,
    previousHash: string,
    password: string,
    bill: HashingBill,
  ): Promise<void> {
    const next = await this.hashing.encode(password, bill);
    const replaced = await this.passwords.replaceIfUnchanged(userId, previousHash, next);
    this.log.info(replaced ? 'password re-hashed' : 'password changed meanwhile, not re-hashed', { userId });
  }

  private async withholdRehash(userId: UserId, hash: string): Promise<void> {
    if (!(await this.passwords.withholdRehash(userId, hash))) return;
    this.log.info('password hash kept: it accepts more than one password', { userId });
  }
}
