import { describe, expect, it } from 'vitest';
import { proveClient, validateRequest } from '../../../src/domain/authorize/validate-request.js';
import type { BrowserApplication } from '../../../src/domain/clients/application.js';
import { OAuthError } from '../../../src/domain/shared/errors.js';
import type { ApplicationId, ClientId, OrgId, ProjectId } from '../../../src/domain/shared/ids.js';
import { OAuthParameters } from '../../../src/domain/shared/oauth-parameters.js';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const web: BrowserApplication = {
  id: 'app' as ApplicationId,
  orgId: 'org' as OrgId,
  projectId: 'project' as ProjectId,
  clientId: 'client' as ClientId,
  name: 'Example App',
  organization: { name: 'Acme' },
  active: true,
  appType: 'web',
  authMethod: 'client_secret_basic',
  clientSecretHash: Buffer.alloc(32),
  grantTypes: ['authorization_code', 'refresh_token'],
  responseTypes: ['code'],
  accessTokenType: 'opaque',
  idTokenUserinfoAssertion: false,
  clockSkewSeconds: 0,
  tokenEpoch: 0,
  devMode: false,
  redirectUris: ['https://rp.test/cb'],
  postLogoutRedirectUris: [],
};
const spa: BrowserApplication = { ...web, authMethod: 'none', clientSecretHash: null };
const good = {
  client_id: 'client',
  redirect_uri: 'https://rp.test/cb',
  response_type: 'code',
  scope: 'openid profile',
};

function parameters(changes: Record<string, string | readonly string[] | undefined> = {}): OAuthParameters {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...good, ...changes })) {
    for (const one of value === undefined ? [] : [value].flat()) query.append(name, one);
  }
  return OAuthParameters.read(query);
}

function validate(changes: Record<string, string | readonly string[] | undefined>, application = web) {
  return validateRequest(parameters(changes), { application, redirectUri: 'https://rp.test/cb' });
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof OAuthError) return `${error.code}: ${error.description}`;
    throw error;
  }
  return 'accepted';
}

describe('phase one', () => {
  it.each([
    ['client_id missing', { client_id: undefined }],
    ['client_id is unknown', { client_id: 'nobody' }],
    ['client_id is unknown', { client_id: 'cli\u0000ent' }],
    ['redirect_uri missing', { redirect_uri: undefined }],
    ['redirect_uri is not registered for this application', { redirect_uri: 'https://rp.test/cb/' }],
    ['redirect_uri must not be repeated', { redirect_uri: ['https://rp.test/cb', 'https://rp.test/cb'] }],
    ['client_id must not be repeated', { client_id: ['client', 'client'] }],
  ])('shows "%s"', async (description, changes) => {
    const proof = proveClient(parameters(changes), (id) =>
      Promise.resolve(id === 'client' ? web : undefined),
    );
    await expect(proof).rejects.toMatchObject({ code: 'invalid_request', description });
  });

  it('shows an inactive application', async () => {
    const proof = proveClient(parameters(), () => Promise.resolve({ ...web, active: false }));
    await expect(proof).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('phase two', () => {
  it('reads a good request', () => {
    expect(
      validate({ state: 's', nonce: 'n', max_age: '60', prompt: 'login', login_hint: 'ada+1@x' }),
    ).toEqual({
      applicationId: 'app',
      redirectUri: 'https://rp.test/cb',
      responseType: 'code',
      responseMode: 'query',
      scopes: ['openid', 'profile'],
      state: 's',
      nonce: 'n',
      prompts: ['login'],
      maxAge: 60,
      loginHint: 'ada+1@x',
      uiLocales: [],
    });
  });

  it.each([
    ['request_not_supported', { request: 'eyJ', response_type: undefined }],
    ['request_uri_not_supported', { request_uri: 'https://rp.test/r' }],
    ['invalid_request: response_type missing', { response_type: undefined }],
    ['invalid_request: state must not be repeated', { state: ['a', 'b'] }],
    ['invalid_request: extra must not be repeated', { extra: ['a', 'b'] }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['unsupported_response_type', { response_type: 'CODE' }],
    ['unsupported_response_type', { response_type: 'code token' }],
    ['unsupported_response_type', { response_type: 'none' }],
    ['invalid_request: response_mode', { response_mode: 'web_message' }],
    ['invalid_scope: scope must include openid', { scope: undefined }],
    ['invalid_scope: scope must include openid', { scope: 'profile' }],
    ['invalid_scope: scope is malformed', { scope: 'openid \u0007' }],
    ['invalid_scope: scope is malformed', { scope: `openid ${'x'.repeat(50_000)}` }],
    ['invalid_request: code_challenge_method must be S256', { code_challenge: CHALLENGE }],
    [
      'invalid_request: code_challenge_method must be S256',
      { code_challenge: CHALLENGE, code_challenge_method: 'plain' },
    ],
    ['invalid_request: code_challenge missing', { code_challenge_method: 'S256' }],
    [
      'invalid_request: code_challenge must be',
      { code_challenge: CHALLENGE.slice(1), code_challenge_method: 'S256' },
    ],
    [
      'invalid_request: code_challenge must be',
      { code_challenge: `${CHALLENGE}=`, code_challenge_method: 'S256' },
    ],
    [
      'invalid_request: code_challenge must be',
      { code_challenge: `+${CHALLENGE.slice(1)}`, code_challenge_method: 'S256' },
    ],
    ['invalid_request: prompt none', { prompt: 'none login' }],
    ['invalid_request: prompt has', { prompt: 'evil' }],
    ['invalid_request: max_age', { max_age: '-1' }],
    ['invalid_request: max_age', { max_age: '1e3' }],
    ['invalid_request: state is longer', { state: 's'.repeat(5000) }],
  ])('sends %s', (expected, changes) => {
    expect(refusal(() => validate(changes))).toContain(expected);
  });

  it('demands PKCE of public clients only', () => {
    expect(refusal(() => validate({}, spa))).toBe('invalid_request: code_challenge missing');
    expect(validate({ code_challenge: CHALLENGE, code_challenge_method: 'S256' }, spa).codeChallenge).toBe(
      CHALLENGE,
    );
  });

  it('refuses a response type that the application has not enabled', () => {
    expect(refusal(() => validate({}, { ...web, responseTypes: ['id_token'] }))).toContain(
      'unauthorized_client',
    );
  });

  it('ignores what it does not know: parameters, scopes, display, locales', () => {
    const request = validate({
      extra: 'foobar',
      display: 'popup',
      claims_locales: 'se',
      ui_locales: 'de-CH ../../etc/passwd {{7*7}} en',
      scope: 'openid unknown email',
      acr_values: '1 2',
    });
    expect(request.scopes).toEqual(['openid', 'email']);
    expect(request.uiLocales).toEqual(['de-CH', 'en']);
  });

  it('drops offline_access where the application cannot refresh', () => {
    const request = validate(
      { scope: 'openid offline_access' },
      { ...web, grantTypes: ['authorization_code'] },
    );
    expect(request.scopes).toEqual(['openid']);
  });

  it('drops a login hint with control characters', () => {
    expect(validate({ login_hint: 'ada\u0000' })).not.toHaveProperty('loginHint');
  });
});
