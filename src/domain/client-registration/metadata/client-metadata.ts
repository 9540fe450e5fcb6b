import type { ClientRegistration } from '../../applications/application.js';
import type { OwnKey } from '../../applications/applications.store.js';
import { calledUriProblem } from '../../applications/called-uri.js';
import { frontChannelUriProblem } from '../../applications/front-channel.js';
import { initiateLoginUriProblem } from '../../applications/initiate-login-uri.js';
import { BOUND_TWICE } from '../../applications/oidc-config-rules.js';
import { grantTypesFor, oidcConfigSchema, type OidcConfig } from '../../applications/oidc-config.js';
import { redirectUriProblem, type AppType } from '../../applications/redirect-uri.js';
import { requestUriProblem } from '../../applications/request-uri.js';
import { sectorProblem } from '../../applications/sector-identifier.js';
import { profileProblem } from '../../applications/security-profile.js';
import { tlsSubjectProblem } from '../../applications/tls-subject.js';
import { OAuthError, type ApiError } from '../../shared/errors.js';
import { servedAlgorithms } from '../../signing-keys/key-settings.js';
import type { SigningAlgorithm } from '../../signing-keys/signing-key.js';
import { parseScopes, STANDARD_SCOPES } from '../../tokens/scopes/scopes.js';
import type { InformationalMetadata } from '../client-registrations.store.js';
import { printable, unfit } from './metadata-fault.js';
import { jwksUriOf, keysOf } from './metadata-keys.js';
import {
  BY_REFERENCE,
  faultOf,
  FRONT_CHANNEL,
  informational,
  schemaOf,
  type Metadata,
  type Served,
} from './metadata-schema.js';

/**
 * Client metadata in the words of the rest of the service. Redirect URIs follow the rules of the management API, by the same
 * code.
 */

/** Of what is registered by anyone: nothing that goes without PKCE, and no tokens in addresses (RFC 9700 §2.1.2). */
export const OPEN_GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'];
const GRANT_TYPES: readonly string[] = [...OPEN_GRANT_TYPES, 'implicit'];

/** What is understood of a registration, in the words of the rest of the service. */
export interface ReadMetadata {
  readonly name: string;
  readonly config: OidcConfig;
  readonly allowedScopes: readonly string[];
  readonly keys: readonly OwnKey[];
  readonly metadata: InformationalMetadata;
}

const SERVES_NOTHING: Served = {
  servesHybrid: false,
  servesPairwise: false,
  servesFrontChannelLogout: false,
  servesRequestObjects: false,
};

/**
 * @param kept as the client is, where it replaces that: what no metadata names stays, and so does what is strict and left out
 * @param keptScopes what it may ask for, in the same way
 * @param serves what the instance has decided to serve
 * @throws OAuthError invalid_redirect_uri, invalid_client_metadata, invalid_software_statement, which say what is wrong
 */
export function readMetadata(
  given: unknown,
  registration: ClientRegistration,
  algorithm: SigningAlgorithm,
  kept: OidcConfig = oidcConfigSchema.parse({}),
  serves: Served = SERVES_NOTHING,
  keptScopes: readonly string[] = STANDARD_SCOPES,
): ReadMetadata {
  const { managementAccess: _, ...others } = kept;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw unfit('the body must be a JSON object');
  }
  // where one is taken, it has been read before; in a document it stands for nothing
  if (given['software_statement' as keyof typeof given] !== undefined) {
    throw new OAuthError('invalid_software_statement', 'there must be no software_statement here');
  }
  // null is the same as left out (RFC 7592 §2.2)
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  if (!serves.servesFrontChannelLogout) for (const name of FRONT_CHANNEL) delete present[name];
  if (!serves.servesRequestObjects) for (const name of BY_REFERENCE) delete present[name];
  const parsed = schemaOf(serves, kept).safeParse(present);
  if (!parsed.success) throw faultOf(parsed.error);
  const metadata: Metadata = parsed.data;
  const grantTypes = grantsOf(metadata, registration, kept);
  if (metadata.require_signed_request_object && metadata.token_endpoint_auth_method !== 'private_key_jwt') {
    throw unfit('require_signed_request_object needs private_key_jwt');
  }
  const appType = appTypeOf(metadata);
  requireRedirectUris(metadata, appType);
  const allowedScopes = scopesOf(metadata, registration, keptScopes);
  const config: OidcConfig = {
    ...others,
    appType,
    authMethod: metadata.token_endpoint_auth_method,
    jwksUri: jwksUriOf(metadata),
    responseTypes: [...new Set(metadata.response_types)],
    grantTypes,
    redirectUris: metadata.redirect_uris ?? [],
    postLogoutRedirectUris: metadata.post_logout_redirect_uris ?? [],
    idTokenAlgorithm: algorithmOf('id_token_signed_response_alg', metadata, algorithm),
    userinfoAlgorithm: userinfoAlgorithmOf(metadata, algorithm),
    authorizationAlgorithm: algorithmOf('authorization_signed_response_alg', metadata, algorithm),
    backChannelLogoutUri: backChannelUriOf(metadata),
    initiateLoginUri: initiateLoginUriOf(metadata),
    ...(serves.servesFrontChannelLogout && frontChannelOf(metadata, appType)),
    ...(serves.servesRequestObjects && { requestUris: requestUrisOf(metadata) }),
    requirePushedAuthorizationRequests: metadata.require_pushed_authorization_requests,
    requireSignedRequestObject: metadata.require_signed_request_object,
    dpopBoundAccessTokens: metadata.dpop_bound_access_tokens,
    subjectType: metadata.subject_type,
    sectorIdentifierUri: sectorIdentifierUriOf(metadata, serves, kept),
    ...(serves.servesCertificates !== undefined && certificateSettings(metadata, kept)),
    // development mode would let it register what nobody else may
    devMode: false,
  };
  const unsectored = sectorProblem(config);
  if (unsectored !== undefined) throw unfit(`sector_identifier_uri ${unsectored}`);
  const name = tlsSubjectProblem(config);
  if (name !== undefined) throw unfit(inWords(`${name.field} ${name.problem}`));
  if (config.tlsClientCertificateBoundAccessTokens && config.dpopBoundAccessTokens) {
    throw unfit(inWords(`tlsClientCertificateBoundAccessTokens ${BOUND_TWICE}`));
  }
  const broken = profileProblem(config);
  if (broken !== undefined)
    throw unfit(
      `${broken.field === 'authMethod' ? 'token_endpoint_auth_method' : 'redirect_uris'} ${broken.problem}`,
    );
  return {
    name: metadata.client_name ?? nameOf(metadata),
    config,
    allowedScopes,
    keys: keysOf(metadata),
    metadata: Object.fromEntries(
      Object.keys(informational).flatMap((name) => {
        const value = metadata[name as keyof typeof informational];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

/** An instance that serves no pairwise subjects ignores it, as all that it does not understand. A sector that is left out stays. */
function sectorIdentifierUriOf(
  { sector_identifier_uri: uri, subject_type: type }: Metadata,
  { servesPairwise }: Served,
  kept: OidcConfig,
): string | null {
  if (type === 'pairwise') return uri ?? kept.sectorIdentifierUri;
  return servesPairwise ? (uri ?? null) : null;
}

/** What is said of a sector, in the words of registration. */
export function sectorRefused({ text }: ApiError): OAuthError {
  const said = text
    .replace(/^subjectType/, 'subject_type')
    .replace(/^sectorIdentifierUri/, 'sector_identifier_uri');
  return unfit(printable(said));
}

/** The name of its certificate is one of five: who names one gives up the one before, who names none keeps it. */
function certificateSettings(metadata: Metadata, kept: OidcConfig): Partial<OidcConfig> {
  const named = {
    tlsClientAuthSubjectDn: metadata.tls_client_auth_subject_dn ?? null,
    tlsClientAuthSanDns: metadata.tls_client_auth_san_dns ?? null,
    tlsClientAuthSanUri: metadata.tls_client_auth_san_uri ?? null,
    tlsClientAuthSanIp: metadata.tls_client_auth_san_ip ?? null,
    tlsClientAuthSanEmail: metadata.tls_client_auth_san_email ?? null,
  };
  const namesNone = Object.values(named).every((name) => name === null);
  const stays = namesNone && metadata.token_endpoint_auth_method === 'tls_client_auth';
  const fields = Object.keys(named) as (keyof typeof named)[];
  return {
    tlsClientCertificateBoundAccessTokens: metadata.tls_client_certificate_bound_access_tokens === true,
    ...(stays ? Object.fromEntries(fields.map((field) => [field, kept[field]])) : named),
  };
}

/** Names of fields as metadata has them. */
function inWords(text: string): string {
  return text.replace(/\b(?:tlsClient|dpopBound)[A-Za-z]*/g, (field) =>
    field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
}

/**
 * The granted subset of the requested grant types: clients ask for all that discovery lists, and the response says what they got
 * (RFC 7591 §2). It may repeat what an administrator has granted since, unless it gives up the secret or key that it had then. Each
 * response type needs its grant type (§2.1). No client may register for tokens in redirects with a grant type that was granted for
 * another response type (security S507).
 */
function grantsOf(
  { grant_types: asked, response_types: responses, token_endpoint_auth_method: method }: Metadata,
  registration: ClientRegistration,
  kept: OidcConfig,
): readonly string[] {
  const isOpen = registration !== 'initial_access_token';
  const allowed = isOpen ? OPEN_GRANT_TYPES : GRANT_TYPES;
  const given = method === 'none' && kept.authMethod !== 'none' ? [] : kept.grantTypes;
  const grants = [...new Set(asked)].filter((one) => allowed.includes(one) || given.includes(one));
  const refused = unfit(
    `grant_types may have ${allowed.join(', ')}${isOpen ? ' without an initial access token' : ''}`,
  );
  if (grants.length === 0) throw refused;
  for (const type of responses) {
    if (isOpen && type !== 'code' && !kept.responseTypes.includes(type)) throw refused;
    const needed = grantTypesFor(type).find((one) => !grants.includes(one));
    if (needed === undefined) continue;
    throw asked.includes(needed) ? refused : unfit(`response_types: ${type} needs ${needed} in grant_types`);
  }
  if (responses.length === 0) throw unfit('response_types must not be empty');
  if (!grants.includes('authorization_code') && grants.includes('refresh_token')) {
    throw unfit('grant_types: refresh_token needs authorization_code');
  }
  return grants;
}

/**
 * What it says, or else what it looks like: clients of RFC 7591 alone do not say. A public client whose answers go to the
 * user's own machine is installed there.
 */
function appTypeOf({
  application_type: type,
  token_endpoint_auth_method: method,
  redirect_uris: redirectUris = [],
}: Metadata): AppType {
  if (type === 'native') return 'native';
  if (type === 'web') return method === 'none' ? 'user_agent' : 'web';
  if (method !== 'none') return 'web';
  return redirectUris.every((uri) => uri.startsWith('https:')) ? 'user_agent' : 'native';
}

function requireRedirectUris(
  { redirect_uris: redirects = [], post_logout_redirect_uris: afterLogout = [] }: Metadata,
  appType: AppType,
): void {
  if (redirects.length === 0) throw new OAuthError('invalid_redirect_uri', 'redirect_uris must not be empty');
  for (const [index, uri] of redirects.entries()) {
    const problem = redirectUriProblem(uri, appType, false);
    if (problem !== undefined)
      throw new OAuthError('invalid_redirect_uri', `redirect_uris[${index}] ${problem}`);
  }
  for (const [index, uri] of afterLogout.entries()) {
    const problem = redirectUriProblem(uri, appType, false);
    if (problem !== undefined) throw unfit(`post_logout_redirect_uris[${index}] ${problem}`);
  }
}

/**
 * Without a token of an organization a client gets what says who its user is, and nothing else. One that asks for no scope when it replaces
 * what it registered asks for no more than before.
 */
function scopesOf(
  { scope }: Metadata,
  registration: ClientRegistration,
  kept: readonly string[],
): readonly string[] {
  if (scope === undefined) return kept;
  const scopes = parseScopes(scope);
  if (scopes === undefined) throw unfit('scope is malformed');
  if (!scopes.includes('openid')) throw unfit('scope must include openid');
  const standard: readonly string[] = STANDARD_SCOPES;
  if (registration !== 'initial_access_token' && !scopes.every((one) => standard.includes(one))) {
    throw unfit(`scope may have ${standard.join(', ')} without an initial access token`);
  }
  return scopes;
}

/** The default is RS256, as clients of this protocol expect (OpenID Connect Registration §2, JARM §3). Null is the instance's algorithm. */
function algorithmOf(
  name: 'id_token_signed_response_alg' | 'authorization_signed_response_alg',
  { [name]: wanted }: Metadata,
  algorithm: SigningAlgorithm,
): 'RS256' | null {
  if (wanted === undefined || wanted === 'RS256') return 'RS256';
  if (wanted === algorithm) return null;
  throw unfit(`${name} must be ${[...new Set([algorithm, 'RS256'])].join(' or ')}`);
}

/** The default is unsigned JSON. */
function userinfoAlgorithmOf(
  { userinfo_signed_response_alg: wanted }: Metadata,
  algorithm: SigningAlgorithm,
): SigningAlgorithm | null {
  if (wanted === undefined) return null;
  const served = servedAlgorithms({ algorithm });
  const known = served.find((one) => one === wanted);
  if (known !== undefined) return known;
  throw unfit(`userinfo_signed_response_alg must be ${served.join(' or ')}`);
}

function backChannelUriOf({ backchannel_logout_uri: uri }: Metadata): string | null {
  if (uri === undefined) return null;
  const problem = calledUriProblem(uri, false);
  if (problem !== undefined) throw unfit(`backchannel_logout_uri ${problem}`);
  return uri;
}

function initiateLoginUriOf({ initiate_login_uri: uri }: Metadata): string | null {
  if (uri === undefined) return null;
  const problem = initiateLoginUriProblem(uri, false);
  if (problem !== undefined) throw unfit(`initiate_login_uri ${problem}`);
  return uri;
}

function requestUrisOf({ request_uris: uris = [] }: Metadata): readonly string[] {
  for (const [index, uri] of uris.entries()) {
    const problem = requestUriProblem(uri);
    if (problem !== undefined) throw unfit(`request_uris[${index}] ${problem}`);
  }
  return uris;
}

function frontChannelOf(
  {
    frontchannel_logout_uri: uri,
    frontchannel_logout_session_required: frontChannelLogoutSessionRequired,
    redirect_uris: redirectUris = [],
  }: Metadata,
  appType: AppType,
): Pick<OidcConfig, 'frontChannelLogoutUri' | 'frontChannelLogoutSessionRequired'> {
  const problem =
    uri === undefined ? undefined : frontChannelUriProblem(uri, { appType, devMode: false, redirectUris });
  if (problem !== undefined) throw unfit(`frontchannel_logout_uri ${problem}`);
  return { frontChannelLogoutUri: uri ?? null, frontChannelLogoutSessionRequired };
}

/** For people, where it has given none. */
function nameOf({ redirect_uris: [first = ''] = [] }: Metadata): string {
  const { host, protocol } = new URL(first);
  return host === '' ? protocol.replace(/:$/, '') : host;
}

/** With the statement that it was read from, if there is one, to be kept and given back (RFC 7591 §3.2.1). */
export function withStatement(read: ReadMetadata, statement: string | undefined): ReadMetadata {
  if (statement === undefined) return read;
  return { ...read, metadata: { ...read.metadata, software_statement: statement } };
}
