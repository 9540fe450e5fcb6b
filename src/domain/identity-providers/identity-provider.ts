import type { IdentityProviderId, OrgId } from '../shared/ids.js';
import type { ClaimMapping } from './claim-mapping.js';

/**
 * The identity-providers module: whoever else people may sign in with. A provider is an organization's, whose own users it
 * signs in and no others, or the instance's, for every organization whose login policy names it. States: inactive ⇄ active.
 * `kind` says which protocol it speaks and which settings it has; further protocols are further kinds.
 *
 * A user's identity at a provider is (provider, subject), and nothing else ever tells who somebody is: not their address,
 * which others hand out again, and not their name.
 */
export const PROVIDER_KINDS = [
  'oidc',
  'oauth2',
  'google',
  'microsoft',
  'apple',
  'github',
  'gitlab',
  'linkedin',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export type ProviderState = 'active' | 'inactive';

/** How we show who we are at the token endpoint. Where a preset leaves no choice the setting is absent. */
export const CLIENT_AUTHENTICATIONS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** What every kind that speaks OAuth 2.0 has. */
interface ClientSettings {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Claims that must have these values: `hd` at Google, `tid` at Microsoft. Nobody else gets in. */
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** OpenID Connect: everything else is in the discovery document of the issuer. */
export interface OidcSettings extends ClientSettings {
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
export interface MicrosoftSettings extends ClientSettings {
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

interface Provided<Kind extends ProviderKind, Settings> {
  readonly kind: Kind;
  readonly settings: Settings;
}

export type ProviderDestination =
  | Provided<'oidc', OidcSettings>
  | Provided<'oauth2', OAuthSettings>
  | Provided<'microsoft', MicrosoftSettings>
  | Provided<'apple', AppleSettings>
  | Provided<'gitlab', GitlabSettings>
  | Provided<'google', ClientSettings>
  | Provided<'github', ClientSettings>
  | Provided<'linkedin', ClientSettings>;

interface AnyProvider {
  readonly id: IdentityProviderId;
  /** Null for one of the instance. */
  readonly orgId: OrgId | null;
  /** On the button. */
  readonly name: string;
  readonly mapping: ClaimMapping;
  /** Whether somebody whom nobody here knows gets an account at their first sign-in. */
  readonly allowCreation: boolean;
  /** Whether somebody with an account adds this identity to it. */
  readonly allowLinking: boolean;
  /** Whether each sign-in brings profile, roles and metadata up to date. */
  readonly updateOnSignIn: boolean;
  /** Whether people with an address of the organization's domains are sent there. */
  readonly homeRealm: boolean;
  /** Grows with each change. */
  readonly version: string;
}

/** Without its secret, which only what talks to the provider opens. */
export type IdentityProvider = AnyProvider & ProviderDestination;

type Planned<P> = P extends AnyProvider ? Omit<P, 'id' | 'orgId' | 'version'> : never;
/** What a provider is to be. */
export type IdentityProviderPlan = Planned<IdentityProvider>;
