import { Injectable } from '@nestjs/common';
import { Log } from '../../shared/log.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { CHALLENGE_SECONDS, PasskeyChallenges } from '../passkey-challenges.js';
import { PasskeySettings, type PasskeyCredential } from '../passkey.js';
import { PasskeysStore, type ChallengeBinding } from '../passkeys.store.js';
import { descriptorOf, reasonOf } from '../register/register-passkey.js';
import {
  BadCeremony,
  verifyAssertion,
  type AuthenticationResponse,
  type VerifiedAssertion,
} from '../webauthn.js';
import { PasskeyCounter } from './passkey-counter.js';

/** Whether the authenticator must have checked its user, or need not. */
type UserVerification = 'required' | 'preferred';

/** `PublicKeyCredentialRequestOptionsJSON` (WebAuthn §5.5). */
export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly timeout: number;
  readonly userVerification: UserVerification;
  readonly allowCredentials: readonly ReturnType<typeof descriptorOf>[];
}

/** A passkey whose assertion is good; it counts with `use`. */
export interface ShownPasskey extends VerifiedAssertion {
  readonly passkey: PasskeyCredential;
  /** Its counter went back, now or before, and the policy of its organization lets that pass. */
  readonly anyCount: boolean;
}

/** Asks a browser for a passkey, and holds what it answers against what is on file. */
@Injectable()
export class ShowPasskey {
  constructor(
    private readonly challenges: PasskeyChallenges,
    private readonly passkeys: PasskeysStore,
    private readonly counter: PasskeyCounter,
    private readonly settings: PasskeySettings,
    private readonly log: Log,
  ) {}

  /** @param allowed those of a user who is known; none where any that the authenticator keeps will do */
  async ask(
    binding: ChallengeBinding,
    userVerification: UserVerification,
    allowed: readonly PasskeyCredential[] = [],
  ): Promise<RequestOptions> {
    const orgId = allowed[0]?.orgId ?? null;
    return {
      challenge: await this.challenges.make(binding, { orgId }),
      rpId: this.settings.rpId,
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification,
      allowCredentials: allowed.map(descriptorOf),
    };
  }

  /**
   * Takes the challenge with the first answer, good or bad. Where nobody was named, the authenticator names the user by
   * the handle that was made with the passkey; of a user who is known, no other's passkey will do.
   *
   * @returns undefined for any invalid answer; only the log has the reason
   */
  async check(
    answer: AuthenticationResponse,
    binding: ChallengeBinding,
    userVerification: UserVerification,
  ): Promise<ShownPasskey | undefined> {
    if ((await this.challenges.take(answer, binding)) === undefined) return this.refuse('no live challenge');
    const passkey = await this.passkeys.findCredential(Buffer.from(answer.id, 'base64url'));
    if (passkey === undefined) return this.refuse('unknown passkey');
    if (!isNamed(answer, passkey, binding)) return this.refuse('another user', passkey);
    try {
      const shown = await verifyAssertion(answer, this.settings, passkey, userVerification);
      const verdict = await this.counter.judge(passkey, shown.signCount);
      if (verdict === 'refused') return this.refuse('counter went back', passkey);
      return { ...shown, passkey, anyCount: verdict === 'any' };
    } catch (error) {
      if (!(error instanceof BadCeremony)) throw error;
      return this.refuse(reasonOf(error), passkey);
    }
  }

  /**
   * Notes the use, in the transaction of what follows from it. False when the passkey is gone meanwhile, or another use
   * of it was quicker and counted as far: of two copies at once one gets in.
   */
  async use(tx: Tx, { passkey, signCount, backedUp, anyCount }: ShownPasskey): Promise<boolean> {
    return await this.passkeys.recordUse(tx, passkey.id, { signCount, backedUp, anyCount });
  }

  private refuse(reason: string, passkey?: PasskeyCredential): undefined {
    this.log.info('passkey refused', { reason, userId: passkey?.userId, passkeyId: passkey?.id });
    return undefined;
  }
}

function isNamed(
  { response: { userHandle } }: AuthenticationResponse,
  passkey: PasskeyCredential,
  { userId }: ChallengeBinding,
): boolean {
  // optional where credentials were listed (WebAuthn §7.2 step 6)
  const named = userHandle == null ? undefined : Buffer.from(userHandle, 'base64url');
  if (named !== undefined && !named.equals(passkey.userHandle)) return false;
  return userId === null ? named !== undefined : userId === passkey.userId;
}
