import type { AuthRequestId, IdentityProviderId, SessionId, UserAgentId } from '../shared/ids.js';

/** What goes on once somebody comes back: a sign-in, or an identity that the user of a session adds. */
export type ExternalPurpose = { readonly flowId: AuthRequestId } | { readonly linkSessionId: SessionId };

export interface ExternalSignIn {
  readonly purpose: ExternalPurpose;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly maxAge: number | undefined;
}

/** How long somebody may take at a provider. */
export const EXTERNAL_SIGN_IN_SECONDS = 900;

export abstract class ExternalSignInsStore {
  /** @param stateHash what the browser carries is the state itself */
  abstract add(
    stateHash: Buffer,
    place: { readonly providerId: IdentityProviderId; readonly userAgentId: UserAgentId },
    signIn: ExternalSignIn,
  ): Promise<void>;

  /**
   * Gives it once: to the browser that began it, in an answer at the address of the provider that it was sent to. One
   * statement, which removes it.
   */
  abstract take(
    stateHash: Buffer,
    place: { readonly providerId: IdentityProviderId; readonly userAgentId: UserAgentId },
  ): Promise<ExternalSignIn | undefined>;
}
