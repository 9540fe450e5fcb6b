import { Injectable } from '@nestjs/common';
import { defaultAttemptPolicy } from '../passwords/attempts/attempt-policy.js';
import { BruteForceProtection } from '../passwords/attempts/brute-force-protection.js';
import { HashingOverloaded } from '../passwords/hashing/hashing-pool.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import type { UserId } from '../shared/ids.js';
import { CodeNotChecked } from '../users/verification/evaluate-code.js';

export interface FactorAttempt<Result> {
  /** `void`: right, but it came to nothing for another reason, and it was not used up. */
  readonly verdict: 'right' | 'wrong' | 'void';
  readonly result: Result;
}

/**
 * The one door at which anything but a password is checked. It counts with the same counter as passwords, by the policy of
 * the user's organization: whoever knows a password guesses no faster than whoever does not. A right password does not
 * forgive the failures of somebody who must show a factor as well; the right factor does.
 */
@Injectable()
export class CheckFactor {
  constructor(
    private readonly passwords: PasswordsStore,
    private readonly bruteForceProtection: BruteForceProtection,
  ) {}

  /**
   * @param attempt looks at what was shown, and uses it up where it is right
   * @returns undefined where the user has to wait: nothing was looked at, and nobody may notice
   * @throws HashingOverloaded, CodeNotChecked when it could not be looked at, which counts for nothing
   */
  async check<Result>(
    userId: UserId,
    attempt: () => Promise<FactorAttempt<Result>>,
  ): Promise<Result | undefined> {
    const policy = (await this.passwords.findAttemptPolicy(userId)) ?? defaultAttemptPolicy;
    const counted = await this.bruteForceProtection.admit(userId, policy);
    if (counted === undefined) return undefined;
    try {
      const { verdict, result } = await attempt();
      if (verdict === 'right') await this.bruteForceProtection.right(userId, counted);
      else if (verdict === 'wrong') await this.bruteForceProtection.wrong(userId, counted, policy);
      else await this.bruteForceProtection.notEvaluated(userId, counted);
      return result;
    } catch (error) {
      const wasLookedAt = !(error instanceof HashingOverloaded || error instanceof CodeNotChecked);
      if (!wasLookedAt) await this.bruteForceProtection.notEvaluated(userId, counted);
      throw error;
    }
  }
}
