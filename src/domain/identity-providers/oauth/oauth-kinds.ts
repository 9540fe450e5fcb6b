/** Kinds that speak OAuth 2.0 or OpenID Connect, and their settings. */
export const OAUTH_KINDS = [
  'oidc',
  'oauth2',
  'google',
  'microsoft',
  'apple',
  'github',
  'gitlab',
  'linkedin',
] as const;
export type OAuthKind = (typeof OAUTH_KINDS)[number];

/** How we show who we are at the token endpoint. Where a preset leaves no choice the setting is absent. */
export const CLIENT_AUTHENTICATIONS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** What every kind that speaks OAuth 2.0 has. */
interface ClientSettings {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Claims that must have these values: `hd` at Google, `tid` at Microsoft. Nobody else gets in. */
  readonly requiredClaims: Readonly<Record<string, string>>;
  /** When the provider takes the secret no longer, as far as somebody has told; in the form of RFC 3339. */
  readonly secretExpirationDate?: string | undefined;
}

/** Of providers with an end-session endpoint. */
interface SignsOut {
  /** Whoever signs out here is sent to sign out there as well (RP-Initiated Logout 1.0). */
  readonly signOutAtProvider?: true | undefined;
}

/** OpenID Connect: everything else is in the discovery document of the issuer. */
export interface OidcSettings extends ClientSettings, SignsOut {
  readonly issuer: string;
  readonly clientAuthentication: ClientAuthentication;
}

/** OAuth 2.0, which says nothing about users: we are told where to ask, and by what they are known there. */
export interface OAuthSettings extends ClientSettings {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string;
  /** A list of addresses with `email`, `primary` and `verified`, as GitHub has it. */
  readonly emailsEndpoint?: string | undefined;
  readonly subjectClaim: string;
  readonly clientAuthentication: ClientAuthentication;
}

/** The tenant: an id or a domain for one directory, `organizations` for all of them, `common` for private accounts, too. */
export interface MicrosoftSettings extends ClientSettings, SignsOut {
  readonly tenant: string;
}

/** Its client secret is a token that we sign; the secret on file is the key for that. */
export interface AppleSettings extends ClientSettings {
  readonly teamId: string;
  readonly keyId: string;
}

/** At gitlab.com, or at one's own. */
export interface GitlabSettings extends ClientSettings {
  readonly issuer: string;
}

interface Provided<Kind extends OAuthKind, Settings> {
  readonly kind: Kind;
  readonly settings: Settings;
}

export type OAuthDestination =
  | Provided<'oidc', OidcSettings>
  | Provided<'oauth2', OAuthSettings>
  | Provided<'microsoft', MicrosoftSettings>
  | Provided<'apple', AppleSettings>
  | Provided<'gitlab', GitlabSettings>
  | Provided<'google', ClientSettings>
  | Provided<'github', ClientSettings>
  | Provided<'linkedin', ClientSettings>;
