import { describe, expect, it } from 'vitest';
import type { BrowserApplication } from '../../../src/domain/applications/application.js';
import { channelOfErrors } from '../../../src/domain/authorize/checks/require-response-mode.js';
import { validateRequest, verifyClient } from '../../../src/domain/authorize/request/validate-request.js';
import { SERVED_ACR_VALUES } from '../../../src/domain/sessions/acr.js';
import { OAuthError } from '../../../src/domain/shared/errors.js';
import type { ApplicationId } from '../../../src/domain/shared/ids.js';
import { OAuthParameters } from '../../../src/domain/shared/oauth-parameters.js';
import { aStoredApplication } from '../../support/stored-application.js';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const web: BrowserApplication = {
  ...aStoredApplication('client', {
    id: 'app' as ApplicationId,
    clientSecretHash: Buffer.alloc(32),
    grantTypes: ['authorization_code', 'refresh_token'],
  }),
  organization: { name: 'Acme' },
  appType: 'web',
  responseTypes: ['code'],
  devMode: false,
  redirectUris: ['https://rp.test/cb'],
  postLogoutRedirectUris: [],
  requirePushedAuthorizationRequests: false,
  requireSignedRequestObject: false,
  requestUris: [],
  authorizationAlgorithm: null,
  sessionManagement: false,
  initiateLoginUri: null,
};
const spa: BrowserApplication = { ...web, authMethod: 'none', clientSecretHash: null };
const implicit: BrowserApplication = {
  ...web,
  grantTypes: ['authorization_code', 'implicit', 'refresh_token'],
  responseTypes: ['code', 'id_token', 'id_token token'],
};
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
    [
      'redirect_uri must not be repeated',
      { client_id: 'client', extra: ['a', 'b'], redirect_uri: ['https://rp.test/cb', 'https://evil.test'] },
    ],
    ['redirect_uri must not be repeated', { redirect_uri: ['https://rp.test/cb', 'https://rp.test/cb'] }],
    ['client_id must not be repeated', { client_id: ['client', 'client'] }],
  ])('shows "%s"', async (description, changes) => {
    const proof = verifyClient(parameters(changes), (id) =>
      Promise.resolve(id === 'client' ? web : undefined),
    );
    await expect(proof).rejects.toMatchObject({ code: 'invalid_request', description });
  });

  it('shows an inactive application', async () => {
    const proof = verifyClient(parameters(), () => Promise.resolve({ ...web, active: false }));
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

  it('wants both the response type and its grant type enabled', () => {
    for (const response_type of ['id_token', 'id_token token', 'token id_token']) {
      const changes = { response_type, nonce: 'n' };
      expect(refusal(() => validate(changes))).toContain('unauthorized_client');
      expect(refusal(() => validate(changes, { ...implicit, grantTypes: ['authorization_code'] }))).toContain(
        'unauthorized_client',
      );
      expect(refusal(() => validate(changes, { ...implicit, responseTypes: ['code'] }))).toContain(
        'unauthorized_client',
      );
      expect(validate(changes, implicit)).toMatchObject({ nonce: 'n', responseMode: 'fragment' });
    }
    expect(refusal(() => validate({}, { ...implicit, grantTypes: ['implicit'] }))).toContain(
      'unauthorized_client',
    );
  });

  it('reads an implicit request: nonce demanded, PKCE and offline_access without effect', () => {
    const changes = { response_type: 'token id_token', scope: 'openid offline_access' };
    expect(refusal(() => validate(changes, implicit))).toBe('invalid_request: nonce missing');
    const request = validate(
      { ...changes, nonce: 'n', code_challenge: 'x', code_challenge_method: 'plain' },
      { ...implicit, authMethod: 'none' },
    );
    expect(request).toMatchObject({ responseType: 'id_token token', scopes: ['openid'] });
    expect(request).not.toHaveProperty('codeChallenge');
  });

  it.each([
    ['code', undefined, 'query'],
    ['code', 'fragment', 'fragment'],
    ['code', 'form_post', 'form_post'],
    ['id_token', undefined, 'fragment'],
    ['id_token token', 'form_post', 'form_post'],
  ])('answers %s with response_mode %s by %s', (response_type, response_mode, expected) => {
    const changes = { response_type, response_mode, nonce: 'n' };
    expect(validate(changes, implicit).responseMode).toBe(expected);
    expect(channelOfErrors(parameters(changes), 'https://rp.test/cb').responseMode).toBe(expected);
  });

  it('reads every prompt that is served, and combinations', () => {
    for (const prompt of ['none', 'login', 'select_account', 'create', 'consent']) {
      expect(validate({ prompt }).prompts).toEqual([prompt]);
    }
    expect(validate({ prompt: 'login consent' }).prompts).toEqual(['login', 'consent']);
    expect(refusal(() => validate({ prompt: 'create none' }))).toContain('prompt none');
  });

  it('keeps of the claims parameter what can be given, each name once', () => {
    const claims = JSON.stringify({
      userinfo: { name: null, unknown: null, email: { essential: true } },
      id_token: { acr: { values: ['x'] }, auth_time: { essential: true }, address: null },
    });
    expect(validate({ claims }).claims).toEqual({ userinfo: ['name', 'email'], idToken: ['address'] });
    expect(validate({ claims: '{"id_token":{"auth_time":null}}' })).not.toHaveProperty('claims');
    expect(validate({ claims: '{"id_token":{"sub":{"value":"42"}}}' }).hintedUserId).toBe('42');
    expect(validate({ claims: '{"userinfo":{"sub":{"value":"42"}}}' })).not.toHaveProperty('hintedUserId');
  });

  it('keeps of the classes that are asked for those that are served, a demand before any wish', () => {
    const [passkey, , password] = SERVED_ACR_VALUES as [string, string, string];
    const acr_values = `1 ${password} ${passkey} ${password}`;
    expect(validate({ acr_values }).acrValues).toEqual([password, passkey]);
    const claims = (acr: unknown) => JSON.stringify({ id_token: { acr } });
    const wished = validate({ acr_values, claims: claims({ value: SERVED_ACR_VALUES[1] }) });
    expect(wished.acrValues).toEqual([password, passkey, SERVED_ACR_VALUES[1]]);
    expect(wished).not.toHaveProperty('acrEssential');
    const demanded = validate({ acr_values, claims: claims({ essential: true, value: passkey }) });
    expect(demanded).toMatchObject({ acrValues: [passkey], acrEssential: true });
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

describe('where an error goes', () => {
  const channel = (
    changes: Record<string, string | readonly string[] | undefined>,
    uri = 'https://rp.test/cb',
  ) => channelOfErrors(parameters(changes), uri);

  it.each<[string, Record<string, string | readonly string[] | undefined>, string]>([
    ['no response type', { response_type: undefined }, 'query'],
    ['an unknown one', { response_type: 'code id_token' }, 'query'],
    ['an unknown one, mode asked', { response_type: 'token', response_mode: 'fragment' }, 'fragment'],
    ['two response types', { response_type: ['id_token', 'code'] }, 'query'],
    ['query asked for an ID token', { response_type: 'id_token', response_mode: 'query' }, 'fragment'],
    ['an unknown mode', { response_type: 'id_token', response_mode: 'x' }, 'fragment'],
    ['two modes', { response_mode: ['form_post', 'form_post'] }, 'query'],
  ])('%s', (_name, changes, expected) => {
    expect(channel(changes).responseMode).toBe(expected);
  });

  it('is never a form where no form can lead', () => {
    const mode = (response_type: string) =>
      channel({ response_type, response_mode: 'form_post' }, 'com.example.app:/cb').responseMode;
    expect([mode('code'), mode('id_token'), mode('?')]).toEqual(['query', 'fragment', 'query']);
  });

  it('takes the state along if it is one value that can be kept', () => {
    expect(channel({ state: 's' }).state).toBe('s');
    expect(channel({ extra: ['a', 'b'], state: ['s', 't'] })).not.toHaveProperty('state');
    expect(channel({ state: 's'.repeat(4097) })).not.toHaveProperty('state');
  });
});
