import { OIDC_FIELDS, type ClaimMapping } from '../claim-mapping.js';
import type { ClientAuthentication, OAuthDestination } from './oauth-kinds.js';

/** How a provider is spoken to, whichever kind it is of. */
export type ProviderProtocol = OidcProtocol | OAuthProtocol;

interface AnyProtocol {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** `apple`: a token that is signed with the secret (apple-client-secret.ts). */
  readonly authentication: ClientAuthentication | 'apple';
  /** Some refuse a parameter that they do not know. */
  readonly pkce: boolean;
  /** How the answer comes back, where it is not in the query. */
  readonly responseMode?: 'form_post';
  /** Whose parameters of OpenID Connect it takes: `login_hint`, `prompt` and so on. */
  readonly takesHints: boolean;
  /** Values of `prompt` that it knows: some refuse others. */
  readonly prompts: readonly string[];
  readonly takesMaxAge: boolean;
  /** Claims of this kind, where the mapping says nothing else. */
  readonly fields: ClaimMapping['fields'];
  readonly requiredClaims: Readonly<Record<string, string>>;
}

export interface OidcProtocol extends AnyProtocol {
  readonly protocol: 'oidc';
  /** Where discovery is; the `iss` of ID tokens, unless `issuerOf` says otherwise. */
  readonly issuer: string;
  /** The issuer with the tenant of a token in place of `{tenantid}`. A subject is then one of its tenant alone. */
  readonly multiTenant: boolean;
  readonly nonce: boolean;
  /** Whether its ID tokens say when the user signed in, as whoever is sent `max_age` must (OpenID Connect Core §2). */
  readonly tellsAuthTime: boolean;
  /** Whether people who sign out here are sent to sign out there. */
  readonly signsOut: boolean;
}

export interface OAuthProtocol extends AnyProtocol {
  readonly protocol: 'oauth2';
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string;
  readonly emailsEndpoint?: string | undefined;
  readonly subjectClaim: string;
}

/** Of the prompts that an application may ask for, those that mean the same to a provider. */
const PROMPTS = ['login', 'select_account', 'consent'];
const KNOWS_NO_PROMPT = { prompts: [], takesMaxAge: false };

const MANY_TENANTS = new Set(['organizations', 'common', 'consumers']);

/** What a kind is, in terms of its protocol. */
export function protocolOf(provider: OAuthDestination): ProviderProtocol {
  const { clientId, scopes, requiredClaims } = provider.settings;
  const common = {
    clientId,
    scopes,
    requiredClaims,
    authentication: 'client_secret_post' as const,
    pkce: true,
    takesHints: true,
    prompts: PROMPTS,
    takesMaxAge: true,
    fields: OIDC_FIELDS,
  };
  const oidc = (issuer: string): OidcProtocol => ({
    ...common,
    protocol: 'oidc',
    issuer,
    multiTenant: false,
    nonce: true,
    tellsAuthTime: false,
    signsOut: false,
  });
  switch (provider.kind) {
    case 'oidc':
      return {
        ...oidc(provider.settings.issuer),
        authentication: provider.settings.clientAuthentication,
        tellsAuthTime: true,
        signsOut: provider.settings.signOutAtProvider === true,
      };
    case 'google':
      // besides `none` it knows these two, and not `login`
      return {
        ...oidc('https://accounts.google.com'),
        prompts: ['select_account', 'consent'],
        takesMaxAge: false,
      };
    case 'gitlab':
      return oidc(provider.settings.issuer);
    case 'microsoft': {
      // as it stands in the issuer that Entra names
      const tenant = provider.settings.tenant.toLowerCase();
      return {
        ...oidc(`https://login.microsoftonline.com/${encodeURIComponent(tenant)}/v2.0`),
        multiTenant: MANY_TENANTS.has(tenant),
        signsOut: provider.settings.signOutAtProvider === true,
      };
    }
    case 'apple':
      return {
        ...oidc('https://appleid.apple.com'),
        authentication: 'apple',
        pkce: false,
        // asked for, as soon as the scopes have a name or an address
        responseMode: 'form_post',
        ...KNOWS_NO_PROMPT,
      };
    case 'linkedin':
      // its tokens have no nonce, and it answers the parameter of PKCE with an error
      return { ...oidc('https://www.linkedin.com/oauth'), pkce: false, nonce: false, ...KNOWS_NO_PROMPT };
    case 'github':
      return {
        ...common,
        protocol: 'oauth2',
        authorizationEndpoint: 'https://github.com/login/oauth/authorize',
        tokenEndpoint: 'https://github.com/login/oauth/access_token',
        userinfoEndpoint: 'https://api.github.com/user',
        emailsEndpoint: 'https://api.github.com/user/emails',
        subjectClaim: 'id',
        takesHints: false,
        fields: { email: 'email', emailVerified: 'email_verified', displayName: 'name' },
      };
    case 'oauth2': {
      const { clientAuthentication, ...endpoints } = provider.settings;
      return {
        ...common,
        ...endpoints,
        protocol: 'oauth2',
        authentication: clientAuthentication,
        takesHints: false,
      };
    }
  }
}
