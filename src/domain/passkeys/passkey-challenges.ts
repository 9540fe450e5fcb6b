import { Injectable } from '@nestjs/common';
import type { OrgId } from '../shared/ids.js';
import { randomToken, sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { PasskeysStore, type ChallengeBinding } from './passkeys.store.js';
import { challengeHashOf, type AuthenticationResponse, type RegistrationResponse } from './webauthn.js';

/** Long enough to find a security key; a page that waits for one for longer asks for another challenge. */
export const CHALLENGE_SECONDS = 300;

/**
 * What browsers are asked to sign. Each is on file by its hash, bound to what it was made for, and goes with the first
 * answer, so that an answer is good once, in the browser and the flow that asked for it (WebAuthn §13.4.3).
 */
@Injectable()
export class PasskeyChallenges {
  constructor(private readonly passkeys: PasskeysStore) {}

  /** @returns the challenge as base64url, as browsers take it and give it back */
  async make(
    binding: ChallengeBinding,
    { orgId = null, userHandle = null }: { orgId?: OrgId | null; userHandle?: Buffer | null } = {},
  ): Promise<string> {
    const challenge = randomToken(32);
    await this.passkeys.addChallenge(
      { ...binding, hash: sha256(challenge), orgId, userHandle },
      CHALLENGE_SECONDS,
    );
    return challenge;
  }

  /** Undefined for an answer to none of ours, to one that was answered or has expired, or that is for something else. */
  async take(
    answer: Pick<RegistrationResponse | AuthenticationResponse, 'response'>,
    binding: ChallengeBinding,
    tx?: Tx,
  ): Promise<{ readonly userHandle: Buffer | null } | undefined> {
    const hash = challengeHashOf(answer);
    return hash === undefined ? undefined : await this.passkeys.takeChallenge(hash, binding, tx);
  }
}
