import type { ExternalClaims } from './claim-mapping.js';
import type { OAuthProvider } from './identity-provider.js';

/** Nobody answers there, or not in time, or only with an error of its own: somebody else's outage. */
export class ProviderUnavailable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ProviderUnavailable';
  }
}

/** What came back is not an answer to what was asked, or not from whom. The reason is for the log alone. */
export class ProviderRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ProviderRefused';
  }
}

/** What only the browser that began it, and we, know of a sign-in at a provider. */
export interface ExternalSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** OpenID Connect Core §2: `sub` has at most 255 characters. Every kind of provider is held to it, and so are imported identities. */
export const LONGEST_SUBJECT = 255;

/** What an application asks of the sign-in, as far as a provider can do it. */
export interface ForwardedParameters {
  readonly prompts: readonly string[];
  readonly loginHint?: string | undefined;
  readonly uiLocales: readonly string[];
  readonly maxAge?: number | undefined;
  readonly acrValues: readonly string[];
}

export interface ProviderAnswer {
  /** As they came back, `code` and `state` among them. */
  readonly parameters: URLSearchParams;
  readonly secrets: ExternalSecrets;
  readonly callbackUrl: string;
  readonly maxAge: number | undefined;
}

/** Who somebody is at a provider, and what it says of them. */
export interface ExternalIdentity {
  /** As the provider knows them, for good. */
  readonly subject: string;
  readonly claims: ExternalClaims;
  /** Of the provider's own session, where it names one (`sid`). */
  readonly session?: string | undefined;
  /** What the provider calls them in a request to sign out (the NameID of SAML), where that is not the subject. */
  readonly name?: string | undefined;
  /** When they signed in there, in seconds since 1970, where it says so. */
  readonly authenticatedAt?: number | undefined;
  /** It has shown that this was a short while ago (`FRESH_SECONDS`). */
  readonly isAnew?: boolean | undefined;
  /** What a sign-out there must bring, of a provider that people who sign out here are sent to: an ID token, or a `SamlName` as JSON. */
  readonly signOutHint?: string | undefined;
}

/** What has ended at a provider (OpenID Connect Back-Channel Logout §2.4): a session, all of a subject, or both named. */
export interface ProviderLogout {
  readonly subject?: string | undefined;
  readonly session?: string | undefined;
  /** Seconds since 1970. */
  readonly issuedAt: number;
}

export interface AskedSignOut {
  /** Of the sign-in that is over. */
  readonly idToken: string;
  /** Registered at the provider, where it sends people back to. */
  readonly returnUrl: string;
  readonly state: string;
}

/** Speaks OAuth 2.0 and OpenID Connect with a provider. Everything that goes out is judged by its address, and given up after some seconds. */
export abstract class ProviderClient {
  /** Where the browser is sent. @throws ProviderUnavailable, ProviderRefused */
  abstract authorizationUrl(
    provider: OAuthProvider,
    asked: ForwardedParameters,
    secrets: ExternalSecrets,
    callbackUrl: string,
  ): Promise<string>;

  /** Who has come back. @throws ProviderUnavailable, ProviderRefused */
  abstract redeem(provider: OAuthProvider, answer: ProviderAnswer): Promise<ExternalIdentity>;

  /**
   * Where the browser is sent to sign out there (RP-Initiated Logout 1.0 §2); undefined for one that has no such address.
   * @throws ProviderUnavailable, ProviderRefused
   */
  abstract endSessionUrl(provider: OAuthProvider, signOut: AskedSignOut): Promise<string | undefined>;

  /** Checks a logout token that somebody has sent (Back-Channel Logout §2.6). @throws ProviderUnavailable, ProviderRefused */
  abstract readLogoutToken(provider: OAuthProvider, token: string): Promise<ProviderLogout>;
}
