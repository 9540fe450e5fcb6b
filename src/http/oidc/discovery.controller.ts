import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Config } from '../../config/config.js';
import { SUBJECT_TYPES } from '../../domain/applications/oidc-config.js';
import { SERVED_PROMPTS } from '../../domain/authorize/checks/read-prompt.js';
import { SERVED_BY_ALL, ServedResponses } from '../../domain/authorize/checks/served-responses.js';
import { SUPPORTED_CLIENT_AUTH_METHODS } from '../../domain/client-auth/authenticate-client.js';
import { MutualTls } from '../../domain/client-auth/mutual-tls.js';
import { INTROSPECTION_AUTH_METHODS } from '../../domain/grants/introspection-endpoint.js';
import { REVOCATION_AUTH_METHODS } from '../../domain/grants/revocation-endpoint.js';
import { GrantRegistry } from '../../domain/grants/token-endpoint.js';
import { SERVED_ACR_VALUES } from '../../domain/sessions/acr.js';
import { languages } from '../../domain/shared/locale.js';
import { ASSERTION_ALGORITHMS } from '../../domain/signing-keys/assertion-key.js';
import { KeySettings, servedAlgorithms } from '../../domain/signing-keys/key-settings.js';
import { claimsServed } from '../../domain/tokens/claims/user-claims.js';
import { STANDARD_SCOPES } from '../../domain/tokens/scopes/scopes.js';

const SERVES_IMPLICIT = SERVED_BY_ALL.types.some((type) => type !== 'code');

/** Where clients with certificates ask, of what clients ask by themselves (RFC 8705 §5). */
function aliasesAt(url: string) {
  return {
    token_endpoint: `${url}/oauth/v2/token`,
    introspection_endpoint: `${url}/oauth/v2/introspect`,
    revocation_endpoint: `${url}/oauth/v2/revoke`,
    userinfo_endpoint: `${url}/oidc/v1/userinfo`,
    device_authorization_endpoint: `${url}/oauth/v2/device_authorization`,
    pushed_authorization_request_endpoint: `${url}/oauth/v2/par`,
  };
}

/**
 * The discovery document (OpenID Connect Discovery §3, RFC 9207 §3). It lists what is served and nothing else: every
 * list comes from the code that serves it.
 */
@Controller()
export class DiscoveryController {
  private readonly document: string;

  constructor(
    config: Config,
    grants: GrantRegistry,
    keys: KeySettings,
    served: ServedResponses,
    certificates: MutualTls,
  ) {
    const issuer = config.app.issuer.url;
    this.document = JSON.stringify({
      issuer,
      authorization_endpoint: `${issuer}/oauth/v2/authorize`,
      token_endpoint: `${issuer}/oauth/v2/token`,
      introspection_endpoint: `${issuer}/oauth/v2/introspect`,
      revocation_endpoint: `${issuer}/oauth/v2/revoke`,
      userinfo_endpoint: `${issuer}/oidc/v1/userinfo`,
      end_session_endpoint: `${issuer}/oidc/v1/end_session`,
      ...(config.app.sessionManagementServed && { check_session_iframe: `${issuer}/oidc/v1/check_session` }),
      device_authorization_endpoint: `${issuer}/oauth/v2/device_authorization`,
      pushed_authorization_request_endpoint: `${issuer}/oauth/v2/par`,
      ...(config.app.clientRegistration.mode !== 'off' && {
        registration_endpoint: `${issuer}/oauth/v2/register`,
      }),
      ...(config.app.clientRegistration.documents && { client_id_metadata_document_supported: true }),
      jwks_uri: `${issuer}/oauth/v2/keys`,
      scopes_supported: STANDARD_SCOPES,
      response_types_supported: served.types,
      response_modes_supported: served.modes,
      // no grant of the token endpoint: what is served without one (OpenID Connect Discovery §3)
      grant_types_supported: [...grants.grants.keys(), ...(SERVES_IMPLICIT ? ['implicit'] : [])],
      subject_types_supported: config.app.pairwiseSubjectsServed ? SUBJECT_TYPES : ['public'],
      id_token_signing_alg_values_supported: servedAlgorithms(keys),
      ...(served.modes.includes('jwt') && {
        authorization_signing_alg_values_supported: servedAlgorithms(keys),
      }),
      token_endpoint_auth_methods_supported: certificates.served(SUPPORTED_CLIENT_AUTH_METHODS),
      token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      introspection_endpoint_auth_methods_supported: certificates.served(INTROSPECTION_AUTH_METHODS),
      introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      revocation_endpoint_auth_methods_supported: certificates.served(REVOCATION_AUTH_METHODS),
      revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      // the second for applications under FAPI 2.0, or for those that registered themselves
      introspection_signing_alg_values_supported: servedAlgorithms(keys),
      userinfo_signing_alg_values_supported: servedAlgorithms(keys),
      acr_values_supported: SERVED_ACR_VALUES,
      claims_supported: claimsServed({ hybrid: config.app.hybridFlowServed }),
      code_challenge_methods_supported: ['S256'],
      prompt_values_supported: SERVED_PROMPTS,
      ui_locales_supported: languages,
      claims_parameter_supported: true,
      request_parameter_supported: config.app.requestObjectsServed,
      ...(config.app.requestObjectsServed && {
        request_object_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      }),
      // at addresses that applications have registered (OpenID Connect Core §6.2)
      request_uri_parameter_supported: config.app.requestObjectsServed,
      ...(config.app.requestObjectsServed && { require_request_uri_registration: true }),
      require_pushed_authorization_requests: false,
      dpop_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      ...(config.app.mutualTls !== undefined && { tls_client_certificate_bound_access_tokens: true }),
      ...(config.app.mutualTls?.baseUrl !== undefined && {
        mtls_endpoint_aliases: aliasesAt(config.app.mutualTls.baseUrl),
      }),
      authorization_response_iss_parameter_supported: true,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      ...(config.app.frontChannelLogoutServed && {
        frontchannel_logout_supported: true,
        frontchannel_logout_session_supported: true,
      }),
    });
  }

  @Get('.well-known/openid-configuration')
  read(@Res() reply: FastifyReply): void {
    void reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
      })
      .send(this.document);
  }
}
