import { z } from 'zod';
import { MANAGEMENT_ACCESS } from '../permissions/management-access.js';
import { SIGNING_ALGORITHMS } from '../signing-keys/signing-key.js';
import { APP_TYPES } from './redirect-uri.js';

/** Past this a client's list of URIs is a mistake or an attack; the table holds the same bound. */
const MOST_URIS = 100;
/** Of addresses that this service calls; the table holds it, too. */
export const MOST_REQUEST_URIS = 10;

/** By a certificate (RFC 8705 §2). */
export const TLS_AUTH_METHODS = ['tls_client_auth', 'self_signed_tls_client_auth'] as const;
export type TlsAuthMethod = (typeof TLS_AUTH_METHODS)[number];

export const CLIENT_AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'private_key_jwt',
  ...TLS_AUTH_METHODS,
] as const;
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number];

export const RESPONSE_TYPES = ['code', 'id_token', 'id_token token'] as const;
/** A code, and something beside it (OpenID Connect Core §3.3). An instance serves them by its own decision only. */
export const HYBRID_RESPONSE_TYPES = ['code id_token', 'code token', 'code id_token token'] as const;
export type ResponseType = (typeof RESPONSE_TYPES | typeof HYBRID_RESPONSE_TYPES)[number];

/** Whether an answer of this type has it. */
export function gives(responseType: ResponseType | undefined, part: 'code' | 'id_token' | 'token'): boolean {
  return responseType?.split(' ').includes(part) === true;
}

/** The grant types that a response type needs: one for the code, one for what comes through the browser. */
export function grantTypesFor(responseType: string): readonly ('authorization_code' | 'implicit')[] {
  const words = responseType.split(' ');
  return [
    ...(words.includes('code') ? (['authorization_code'] as const) : []),
    ...(words.some((word) => word !== 'code') ? (['implicit'] as const) : []),
  ];
}

export const SECURITY_PROFILES = ['none', 'fapi2', 'fapi2_message_signing'] as const;
export type SecurityProfile = (typeof SECURITY_PROFILES)[number];

export const SUBJECT_TYPES = ['public', 'pairwise'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

const uris = (most: number) =>
  z.array(z.string()).max(most, `must have at most ${most} entries`).readonly().default([]);
const flag = z.boolean().default(false);
/** Where its keys are published (RFC 7591 §2), in place of such that are on file. */
const jwksUri = z.string().nullable().default(null);
const optionalText = z.string().nullable().default(null);
/** How its certificate names it, for tls_client_auth: one of them (RFC 8705 §2.1.2). */
const tlsSubject = {
  tlsClientAuthSubjectDn: optionalText,
  tlsClientAuthSanDns: optionalText,
  tlsClientAuthSanUri: optionalText,
  tlsClientAuthSanIp: optionalText,
  tlsClientAuthSanEmail: optionalText,
};

/**
 * What an OpenID Connect client says of itself beside its name (OpenID Connect Dynamic Client Registration 1.0 §2 has most of
 * it). What is left out is what a web application with a secret needs. The bodies and answers of the API are made from it,
 * and `ApplicationEntity` has a column for each.
 */
export const oidcConfigSchema = z.object({
  appType: z.enum(APP_TYPES).default('web'),
  authMethod: z.enum(CLIENT_AUTH_METHODS).default('client_secret_basic'),
  jwksUri,
  responseTypes: z.array(z.string()).readonly().default(['code']),
  grantTypes: z.array(z.string()).readonly().default(['authorization_code']),
  redirectUris: uris(MOST_URIS),
  postLogoutRedirectUris: uris(MOST_URIS),
  additionalOrigins: uris(MOST_URIS),
  accessTokenType: z.enum(['opaque', 'jwt']).default('opaque'),
  /** The header type of its JWT access tokens is `at+jwt` (RFC 9068 §2.1). */
  accessTokenAtJwt: flag,
  accessTokenRoleAssertion: flag,
  idTokenRoleAssertion: flag,
  idTokenUserinfoAssertion: flag,
  /** Signs its ID and logout tokens, where the instance's own will not do. */
  idTokenAlgorithm: z.literal('RS256').nullable().default(null),
  /**
   * Signs what userinfo answers it (OpenID Connect Core §5.3.2); JSON where there is none. Another one than RS256 stands for the
   * instance's own, whichever that becomes.
   */
  userinfoAlgorithm: z.enum(SIGNING_ALGORITHMS).nullable().default(null),
  /** Signs its authorization responses where it asks for a JWT (JARM §3), where the instance's own will not do. */
  authorizationAlgorithm: z.literal('RS256').nullable().default(null),
  devMode: flag,
  /** exp moves later, iat and nbf earlier by this many seconds. */
  clockSkewSeconds: z.int().min(0).max(5).default(0),
  skipNativeAppSuccessPage: flag,
  /** Its client assertions must name the issuer as audience; the token endpoint's URL will not do (RFC 7523bis). */
  assertionIssuerOnly: flag,
  /** Its authorization requests come from itself, and by the browser no more than a name for each (RFC 9126). */
  requirePushedAuthorizationRequests: flag,
  /** Its authorization requests are signed (RFC 9101 §10.5). */
  requireSignedRequestObject: flag,
  /** Where it publishes such requests; no other address is asked for one (Core §6.2). */
  requestUris: uris(MOST_REQUEST_URIS),
  /** Every token request of it comes with a proof of possession (RFC 9449 §5.2). */
  dpopBoundAccessTokens: flag,
  /** Every token request of it comes with a certificate, to which its access tokens are bound (RFC 8705 §3). */
  tlsClientCertificateBoundAccessTokens: flag,
  ...tlsSubject,
  /** What it is held to, whatever its other settings say (`security-profile.ts`). */
  securityProfile: z.enum(SECURITY_PROFILES).default('none'),
  /** Whether it gets its users' ids or names that only its sector knows (Core §8). */
  subjectType: z.enum(SUBJECT_TYPES).default('public'),
  /** Lists the redirect URIs of all applications of its sector (Core §8.1). */
  sectorIdentifierUri: z.string().nullable().default(null),
  /** Its tokens and userinfo have what the organization's claims webhook adds. */
  claimsWebhook: flag,
  backChannelLogoutUri: z.string().nullable().default(null),
  /** Framed by our page when a session ends that it was used in (Front-Channel Logout §2). */
  frontChannelLogoutUri: z.string().nullable().default(null),
  /** It does not understand a call without issuer and session; ours always has both. */
  frontChannelLogoutSessionRequired: flag,
  /** `initiate_login_uri`, which starts a sign-in (Core §4); only stored and returned, never called or redirected to. */
  initiateLoginUri: optionalText,
  /** Its authorization answers have a `session_state`, by which it may watch the session (Session Management §2). */
  sessionManagement: flag,
  /** How far it may act on the service's own APIs. Left out: not at all, and where it is changed, as it was. */
  managementAccess: z.enum(MANAGEMENT_ACCESS).optional(),
});
export type OidcConfig = Readonly<z.output<typeof oidcConfigSchema>>;

const API_AUTH_METHODS = ['client_secret_basic', 'private_key_jwt', ...TLS_AUTH_METHODS] as const;

/** What an API says of itself, beside its name. */
export const apiConfigSchema = z.object({
  /** How it authenticates where it asks about tokens. */
  authMethod: z.enum(API_AUTH_METHODS).default('client_secret_basic'),
  jwksUri,
  ...tlsSubject,
  assertionIssuerOnly: flag,
});
export type ApiConfig = Readonly<z.output<typeof apiConfigSchema>>;

/** Whether keys can be registered for it: to sign assertions with, or because a certificate has one of them. */
export function takesKeys(method: ClientAuthMethod): boolean {
  return method === 'private_key_jwt' || method === 'self_signed_tls_client_auth';
}

export function needsSecret(method: ClientAuthMethod): boolean {
  return method.startsWith('client_secret_');
}
