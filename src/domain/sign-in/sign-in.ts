import { Injectable } from '@nestjs/common';
import type { SignInRefusal } from '../passwords/brute-force-meter.js';
import { CheckPassword } from '../passwords/check-password.js';
import { HashingBill } from '../passwords/hashing-bill.js';
import { Log } from '../shared/log.js';
import { Counters } from '../statistics/counters.js';
import { ResolveLoginName } from './resolve-login-name.js';
import { ResponseTimePadding } from './response-time-padding.js';
import type { SignInPlace } from './sign-in-names.store.js';
import type { AuthenticatedUser } from './start-session.js';
import { WatchSignIns } from './watch-sign-ins.js';

export interface Credentials {
  readonly loginName: string;
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
}

/**
 * Holds login name and password against what is on file. Refusals look alike and take alike: an unknown user costs
 * one native hash, and every refusal is padded to a fixed response time.
 */
@Injectable()
export class SignIn {
  constructor(
    private readonly resolveLoginName: ResolveLoginName,
    private readonly checkPassword: CheckPassword,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly watch: WatchSignIns,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  /**
   * @returns undefined for an unknown name, a wrong password, an inactive user: all the same outside
   */
  async authenticate(
    { loginName, password, source }: Credentials,
    place: SignInPlace,
  ): Promise<AuthenticatedUser | undefined> {
    const startedAt = performance.now();
    const user = await this.resolveLoginName.resolve(loginName, place);
    const usable = user?.active === true ? user : undefined;
    const { matches, blocked, setAt } = await this.checkPassword.check(
      usable?.userId,
      password,
      // of a place that whoever asks has chosen, whomever the name means
      HashingBill.signIn(place.named ?? place.application, usable?.orgId, source),
    );
    if (usable !== undefined && matches) {
      return { orgId: usable.orgId, userId: usable.userId, proofs: ['password'], passwordSetAt: setAt };
    }
    // never the typed name: people type passwords into that field
    const reason: SignInRefusal =
      user === undefined
        ? 'unknown name'
        : !user.active
          ? 'user not active'
          : blocked
            ? 'blocked'
            : 'wrong password';
    this.log.info('sign-in refused', { reason, userId: user?.userId });
    // of a name that nobody has, where it was tried
    this.counters.add(user?.orgId ?? place.named ?? place.application ?? null, 'signInsRefused');
    await this.watch.refused(reason);
    const tookMs = Math.round(performance.now() - startedAt);
    if (this.responseTimePadding.stepMs > 0 && tookMs > this.responseTimePadding.stepMs) {
      // an answer that took a step more can be told apart: a costly imported hash, or too few slots
      this.log.warn('a refused sign-in overran the response-time padding', {
        tookMs,
        paddingMs: this.responseTimePadding.stepMs,
      });
    }
    await this.responseTimePadding.settle(startedAt);
    return undefined;
  }
}
