import { Injectable } from '@nestjs/common';
import { Log } from '../../shared/log.js';
import { randomBytes } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { requireActiveHuman } from '../../users/require-active-human.js';
import type { User } from '../../users/user.js';
import { UsersStore } from '../../users/users.store.js';
import { CHALLENGE_SECONDS, PasskeyChallenges } from '../passkey-challenges.js';
import { passkeyNotGood } from '../passkey-refusal.js';
import { PasskeySettings, type Passkey, type VerifiedCredential } from '../passkey.js';
import { PasskeysStore } from '../passkeys.store.js';
import { ALGORITHMS, BadCeremony, verifyRegistration, type RegistrationResponse } from '../webauthn.js';
import { bindingOf, KeepPasskey, type RegisteringUser } from './keep-passkey.js';

/** `required` for a passkey that is to stand alone: kept by its authenticator, which verifies its user. */
type Passwordless = 'required' | 'preferred';

/** `PublicKeyCredentialCreationOptionsJSON` (WebAuthn §5.1.8). */
export type RegistrationOptions = ReturnType<typeof optionsFor>;

/** A user adds a passkey: a browser is asked to have one made, and what it answers is kept. */
@Injectable()
export class RegisterPasskey {
  constructor(
    private readonly challenges: PasskeyChallenges,
    private readonly passkeys: PasskeysStore,
    private readonly users: UsersStore,
    private readonly keep: KeepPasskey,
    private readonly settings: PasskeySettings,
    private readonly log: Log,
  ) {}

  /** @throws ApiError not-found, failed-precondition for whoever is no active human */
  async begin(who: RegisteringUser, passwordless: Passwordless): Promise<RegistrationOptions> {
    const { orgId, userId } = who;
    // who comes by a link is active once it is used
    const also = who.linkMadeBy === undefined ? undefined : 'initial';
    const user = requireActiveHuman(await this.users.find(orgId, userId), also);
    const existing = await this.passkeys.credentialsOfUser(orgId, userId);
    const userHandle = existing[0]?.userHandle ?? randomBytes(32);
    const challenge = await this.challenges.make(bindingOf(who), { orgId, userHandle });
    return optionsFor({ user, userHandle, challenge, existing, passwordless, rpId: this.settings.rpId });
  }

  /**
   * What is checked before the transaction begins.
   * @throws ApiError invalid-argument for an answer that is not good
   */
  async prepare(
    who: RegisteringUser,
    answer: RegistrationResponse,
    passwordless: Passwordless,
  ): Promise<(tx: Tx, name: string) => Promise<Passkey>> {
    const credential = await this.verify(who, answer, passwordless);
    return async (tx, name) => await this.keep.execute(tx, who, answer, { ...credential, name });
  }

  private async verify(
    { userId }: RegisteringUser,
    answer: RegistrationResponse,
    passwordless: Passwordless,
  ): Promise<VerifiedCredential> {
    try {
      const credential = await verifyRegistration(answer, this.settings, passwordless);
      // a browser that was asked for nothing less has done it, whether or not it says so
      return passwordless === 'required' ? { ...credential, passwordless: true } : credential;
    } catch (error) {
      if (!(error instanceof BadCeremony)) throw error;
      this.log.info('a passkey was not registered', { userId, reason: reasonOf(error) });
      throw passkeyNotGood();
    }
  }
}

/** What the library said; it quotes nothing but the browser's own words. */
export function reasonOf({ message, cause }: BadCeremony): string {
  return cause instanceof Error ? cause.message.slice(0, 200) : message;
}

function optionsFor({
  user,
  userHandle,
  challenge,
  existing,
  passwordless,
  rpId,
}: {
  readonly user: User & { readonly type: 'human' };
  readonly userHandle: Buffer;
  readonly challenge: string;
  readonly existing: readonly { readonly credentialId: Buffer; readonly transports: readonly string[] }[];
  readonly passwordless: Passwordless;
  readonly rpId: string;
}) {
  return {
    challenge,
    // browsers show the id; the name is of no use any more, and must be there (WebAuthn §5.4.2)
    rp: { id: rpId, name: rpId },
    user: {
      id: userHandle.toString('base64url'),
      name: user.loginName,
      displayName: user.profile.displayName,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: CHALLENGE_SECONDS * 1000,
    attestation: 'none' as const,
    excludeCredentials: existing.map(descriptorOf),
    authenticatorSelection: {
      residentKey: passwordless,
      requireResidentKey: passwordless === 'required',
      userVerification: passwordless,
    },
    extensions: { credProps: true as const },
  };
}

/** `PublicKeyCredentialDescriptorJSON` of a passkey on file. */
export function descriptorOf({
  credentialId,
  transports,
}: {
  readonly credentialId: Buffer;
  readonly transports: readonly string[];
}) {
  return { type: 'public-key' as const, id: credentialId.toString('base64url'), transports: [...transports] };
}
