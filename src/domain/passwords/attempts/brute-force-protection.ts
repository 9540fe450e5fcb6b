import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { UserId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import { PasswordsStore, type CountedAttempt } from '../passwords.store.js';
import type { AttemptPolicy } from './attempt-policy.js';
import { BruteForceMeter } from './brute-force-meter.js';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 200;
/** As long as a password waits for its evaluation when the pool is nearly full. */
const PATIENCE_MS = 3_000;

/**
 * Counts attempts at a user's password by the policy. An attempt counts as a failure from the moment it is admitted, so that
 * parallel guesses on many replicas cannot all be evaluated first; its verdict comes afterwards.
 *
 * A right password clears the failures up to its own attempt and none that came later: those are somebody else's, or
 * a slower click of the same person, which forgives itself. Forgiving the earlier ones gives a guesser a fresh start at
 * each sign-in of the owner, a few guesses a day more; not forgiving them would let strangers use up an account that
 * is in use. An attempt that finds no place only because others are being evaluated waits for their verdicts: people
 * click twice, and one account may sign in from many machines at once.
 */
@Injectable()
export class BruteForceProtection {
  constructor(
    private readonly passwords: PasswordsStore,
    private readonly meter: BruteForceMeter,
    private readonly log: Log,
  ) {}

  /** Undefined for a user who has to wait: the password must not be looked at, and nobody may notice. */
  async admit(userId: UserId, policy: AttemptPolicy): Promise<CountedAttempt | undefined> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const attempt = await this.passwords.takeAttempt(userId, policy);
      if (attempt !== undefined || performance.now() >= giveUpAt) return attempt;
      if (await this.passwords.mustWait(userId, policy, PATIENCE_MS)) return undefined;
      await sleep(pause);
    }
  }

  async right(userId: UserId, attempt: CountedAttempt): Promise<void> {
    await this.passwords.forgiveAttempts(userId, attempt);
  }

  async wrong(userId: UserId, attempt: CountedAttempt, policy: AttemptPolicy): Promise<void> {
    const { failures } = attempt;
    const locks = failures >= policy.lockAfterFailures;
    await this.passwords.failAttempt(userId, attempt, locks);
    if (!locks) return;
    this.meter.locked();
    this.log.warn('wrong passwords have locked the password step', { userId, failures });
  }

  /** What was tried was not looked at after all, or decides nothing by itself: nobody's failure, and it forgives none. */
  async notEvaluated(userId: UserId, attempt: CountedAttempt): Promise<void> {
    await this.passwords.giveBackAttempt(userId, attempt);
  }
}
