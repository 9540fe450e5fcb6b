import { describe, expect, it } from 'vitest';
import { useApi } from '../../support/api.js';

const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const DISCOVERY = '/.well-known/openid-configuration';

const api = useApi();

describe('the discovery document', () => {
  it('lists exactly what is served', async () => {
    const response = await api.app.inject(DISCOVERY);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.json()).toEqual({
      issuer: 'https://id.test',
      authorization_endpoint: 'https://id.test/oauth/v2/authorize',
      token_endpoint: 'https://id.test/oauth/v2/token',
      introspection_endpoint: 'https://id.test/oauth/v2/introspect',
      revocation_endpoint: 'https://id.test/oauth/v2/revoke',
      userinfo_endpoint: 'https://id.test/oidc/v1/userinfo',
      end_session_endpoint: 'https://id.test/oidc/v1/end_session',
      device_authorization_endpoint: 'https://id.test/oauth/v2/device_authorization',
      pushed_authorization_request_endpoint: 'https://id.test/oauth/v2/par',
      jwks_uri: 'https://id.test/oauth/v2/keys',
      scopes_supported: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
      response_types_supported: ['code', 'id_token', 'id_token token'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
        'urn:ietf:params:oauth:grant-type:token-exchange',
        'urn:ietf:params:oauth:grant-type:device_code',
        'implicit',
      ],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'none',
        'private_key_jwt',
      ],
      token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
      introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      revocation_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'none',
        'private_key_jwt',
      ],
      revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      introspection_signing_alg_values_supported: ['RS256', 'ES256'],
      userinfo_signing_alg_values_supported: ['RS256', 'ES256'],
      claims_supported: expect.arrayContaining([
        'sub',
        'auth_time',
        'at_hash',
        'acr',
        'sid',
        'email',
        'address',
      ]) as string[],
      code_challenge_methods_supported: ['S256'],
      prompt_values_supported: ['none', 'login', 'select_account', 'create', 'consent'],
      ui_locales_supported: ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh'],
      acr_values_supported: [
        'phr',
        'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
        'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      ],
      claims_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      require_pushed_authorization_requests: false,
      dpop_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      authorization_response_iss_parameter_supported: true,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  });

  // every address in it leads to a route: a method that is not served is told apart from a path that is not (S014)
  it('names no endpoint that does not answer', async () => {
    const document = (await api.app.inject(DISCOVERY)).json<Record<string, unknown>>();
    const endpoints = Object.entries(document).filter(([name]) => /_endpoint$|_uri$/.test(name));
    expect(endpoints.length).toBe(9);
    for (const [name, url] of endpoints) {
      const { pathname } = new URL(String(url));
      expect((await api.app.inject(pathname)).statusCode, name).not.toBe(404);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['Host', { host: 'evil.test' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.test' }],
    ['X-Forwarded-Proto', { 'x-forwarded-proto': 'http' }],
    ['X-Forwarded-Prefix', { 'x-forwarded-prefix': '/evil' }],
    ['Forwarded', { forwarded: 'host=evil.test;proto=http' }],
    ['X-Original-URL', { 'x-original-url': '/oauth/v2/keys' }],
  ])('does not listen to %s (S001, S002)', async (_name, headers) => {
    const plain = await api.app.inject(DISCOVERY);
    const response = await api.app.inject({ url: DISCOVERY, headers });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe(plain.body);
  });

  it('is the only metadata document (S013)', async () => {
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration/',
      '/.well-known/',
      '/.well-known/webfinger',
    ]) {
      const response = await api.app.inject(path);
      expect(response.statusCode, path).toBe(404);
      expect(response.headers['cache-control']).toBe('no-store');
    }
  });
});
