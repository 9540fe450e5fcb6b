import type { OwnKey } from '../applications/applications.store.js';
import { NAMELESS } from '../applications/keys/key-set.js';
import { needsSecret, type OidcConfig } from '../applications/oidc-config.js';
import { isFapi, ownAlgorithm } from '../applications/security-profile.js';
import type { ClientId } from '../shared/ids.js';
import { servedFor } from '../signing-keys/key-settings.js';
import type { SigningAlgorithm } from '../signing-keys/signing-key.js';
import type { InformationalMetadata } from './client-registrations.store.js';

/** The client information response (RFC 7591 §3.2.1, RFC 7592 §3). */
export type RegistrationAnswer = Readonly<Record<string, unknown>>;

export interface RegisteredClient {
  readonly clientId: ClientId;
  readonly name: string;
  readonly config: OidcConfig;
  readonly allowedScopes: readonly string[];
  readonly keys: readonly OwnKey[];
  readonly metadata: InformationalMetadata;
  readonly registeredAt: Date;
}

interface Given {
  readonly issuer: string;
  readonly registrationToken: string;
  /** The instance's own. */
  readonly algorithm: SigningAlgorithm;
  /** Of a secret that was just created; one that is stored as a hash cannot be shown again. */
  readonly clientSecret?: string | undefined;
}

/** All that is registered, whether the client said so or it was taken by default. */
export function registrationAnswer(
  { clientId, name, config, allowedScopes, keys, metadata, registeredAt }: RegisteredClient,
  { issuer, registrationToken, algorithm, clientSecret }: Given,
): RegistrationAnswer {
  const own = ownAlgorithm(config, { algorithm });
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(registeredAt.getTime() / 1000),
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    // 0: it does not expire
    ...(needsSecret(config.authMethod) && { client_secret_expires_at: 0 }),
    registration_access_token: registrationToken,
    registration_client_uri: `${issuer}/oauth/v2/register/${encodeURIComponent(clientId)}`,
    client_name: name,
    redirect_uris: config.redirectUris,
    ...(config.postLogoutRedirectUris.length > 0 && {
      post_logout_redirect_uris: config.postLogoutRedirectUris,
    }),
    token_endpoint_auth_method: config.authMethod,
    grant_types: config.grantTypes,
    response_types: config.responseTypes,
    application_type: config.appType === 'native' ? 'native' : 'web',
    scope: allowedScopes.join(' '),
    subject_type: config.subjectType,
    ...(config.sectorIdentifierUri !== null && { sector_identifier_uri: config.sectorIdentifierUri }),
    ...(config.jwksUri !== null && { jwks_uri: config.jwksUri }),
    ...(keys.length > 0 && {
      jwks: { keys: keys.map(({ kid, publicJwk }) => ({ ...publicJwk, ...(kid !== NAMELESS && { kid }) })) },
    }),
    id_token_signed_response_alg: isFapi(config) ? own : (config.idTokenAlgorithm ?? own),
    ...(config.userinfoAlgorithm !== null && {
      userinfo_signed_response_alg: isFapi(config) ? own : servedFor(config.userinfoAlgorithm, { algorithm }),
    }),
    authorization_signed_response_alg: isFapi(config) ? own : (config.authorizationAlgorithm ?? own),
    ...(config.backChannelLogoutUri !== null && { backchannel_logout_uri: config.backChannelLogoutUri }),
    ...(config.initiateLoginUri !== null && { initiate_login_uri: config.initiateLoginUri }),
    ...(config.requestUris.length > 0 && { request_uris: config.requestUris }),
    ...(config.frontChannelLogoutUri !== null && { frontchannel_logout_uri: config.frontChannelLogoutUri }),
    ...(config.frontChannelLogoutSessionRequired && { frontchannel_logout_session_required: true }),
    ...(config.requirePushedAuthorizationRequests && { require_pushed_authorization_requests: true }),
    ...(config.requireSignedRequestObject && { require_signed_request_object: true }),
    ...(config.dpopBoundAccessTokens && { dpop_bound_access_tokens: true }),
    ...(config.tlsClientCertificateBoundAccessTokens && { tls_client_certificate_bound_access_tokens: true }),
    ...(config.tlsClientAuthSubjectDn !== null && {
      tls_client_auth_subject_dn: config.tlsClientAuthSubjectDn,
    }),
    ...(config.tlsClientAuthSanDns !== null && { tls_client_auth_san_dns: config.tlsClientAuthSanDns }),
    ...(config.tlsClientAuthSanUri !== null && { tls_client_auth_san_uri: config.tlsClientAuthSanUri }),
    ...(config.tlsClientAuthSanIp !== null && { tls_client_auth_san_ip: config.tlsClientAuthSanIp }),
    ...(config.tlsClientAuthSanEmail !== null && { tls_client_auth_san_email: config.tlsClientAuthSanEmail }),
    ...metadata,
  };
}
