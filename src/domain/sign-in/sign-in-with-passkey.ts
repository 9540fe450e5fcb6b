import { Injectable } from '@nestjs/common';
import type { ChallengeBinding } from '../passkeys/passkeys.store.js';
import { ShowPasskey, type RequestOptions } from '../passkeys/show/show-passkey.js';
import type { AuthenticationResponse } from '../passkeys/webauthn.js';
import type { AuthRequestId, UserAgentId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { Counters } from '../statistics/counters.js';
import { ResponseTimePadding } from './response-time-padding.js';
import type { AuthenticatedUser } from './start-session.js';
import { WatchSignIns } from './watch-sign-ins.js';

/** The flow that somebody signs in to, in its browser. */
interface PasskeyPlace {
  readonly flow: AuthRequestId;
  readonly userAgentId: UserAgentId;
}

/**
 * Signing in by a passkey alone. Nobody types a name: the browser offers its discoverable credentials for us, and each
 * names its user. So the page is the same for everybody, and does not reveal who has an account. The passkey counts
 * as two factors, and its authenticator must have verified its user.
 */
@Injectable()
export class SignInWithPasskey {
  constructor(
    private readonly passkeys: ShowPasskey,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly watch: WatchSignIns,
    private readonly counters: Counters,
  ) {}

  async ask(place: PasskeyPlace): Promise<RequestOptions> {
    return await this.passkeys.ask(bindingOf(place), 'required');
  }

  /**
   * @returns undefined for an answer that is not good; else what notes the use in the transaction of the sign-in, and gives
   *   whose it is, or undefined when the passkey is gone by then
   */
  async check(
    answer: AuthenticationResponse | undefined,
    place: PasskeyPlace,
  ): Promise<((tx: Tx) => Promise<AuthenticatedUser | undefined>) | undefined> {
    const startedAt = performance.now();
    const shown = answer && (await this.passkeys.check(answer, bindingOf(place), 'required'));
    if (shown === undefined) {
      // an unknown credential does not reveal whose it was
      this.counters.add(null, 'signInsRefused');
      await this.watch.refused('passkey refused');
      await this.responseTimePadding.settle(startedAt);
      return undefined;
    }
    const { orgId, userId } = shown.passkey;
    return async (tx) =>
      (await this.passkeys.use(tx, shown)) ? { orgId, userId, proofs: ['passkey-verified'] } : undefined;
  }
}

function bindingOf({ flow, userAgentId }: PasskeyPlace): ChallengeBinding {
  return { purpose: 'sign-in', boundTo: flow, userAgentId, userId: null };
}
