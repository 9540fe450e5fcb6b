import { describe, expect, it } from 'vitest';
import { anApplication, aPublicApplication } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  pkce,
  TestBrowser,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectRedirectedError } from './support/answers.js';

// Phase two of the authorization endpoint: errors travel to the verified redirect URI, with state and issuer.

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const spa = given(() => aPublicApplication(world));
const user = given(() => aUser(world));
const signedIn = given(() => aSignedInBrowser(api, client, user));

const without = (name: string) => ({ [name]: '' });

/** Each fault is tried with a session too: there a missing check would give a code at once. */
const FAULTS: readonly [string, Record<string, string>, string, string][] = [
  ['response_type missing', without('response_type'), 'invalid_request', 'response_type missing'],
  ['response_type token', { response_type: 'token' }, 'unsupported_response_type', 'response_type'],
  ['response_type code token', { response_type: 'code token' }, 'unsupported_response_type', 'response_type'],
  ['response_type code id_token', { response_type: 'code id_token' }, 'unsupported_response_type', ''],
  [
    'response_type code id_token token',
    { response_type: 'code id_token token' },
    'unsupported_response_type',
    '',
  ],
  ['response_type none', { response_type: 'none' }, 'unsupported_response_type', ''],
  ['response_type CODE', { response_type: 'CODE' }, 'unsupported_response_type', ''],
  ['response_type code code', { response_type: 'code code' }, 'unsupported_response_type', ''],
  ['response_type __proto__', { response_type: '__proto__' }, 'unsupported_response_type', ''],
  ['response_mode QUERY', { response_mode: 'QUERY' }, 'invalid_request', 'response_mode'],
  ['response_mode query.jwt', { response_mode: 'query.jwt' }, 'invalid_request', 'response_mode'],
  ['response_mode web_message', { response_mode: 'web_message' }, 'invalid_request', 'response_mode'],
  ['scope missing', without('scope'), 'invalid_scope', 'openid'],
  ['scope without openid', { scope: 'profile email' }, 'invalid_scope', 'openid'],
  ['scope OPENID', { scope: 'OPENID' }, 'invalid_scope', 'openid'],
  ['scope with a control character', { scope: 'openid \u0007' }, 'invalid_scope', 'malformed'],
  ['scope with a quote', { scope: 'openid "' }, 'invalid_scope', 'malformed'],
  ['scope not in ASCII', { scope: 'openid ünï' }, 'invalid_scope', 'malformed'],
  ['scope of 10 kB', { scope: `openid ${'x'.repeat(10_000)}` }, 'invalid_scope', 'malformed'],
  ['request', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported', 'request'],
  ['request_uri', { request_uri: 'https://canary.test/r' }, 'request_uri_not_supported', 'request_uri'],
  ['prompt none login', { prompt: 'none login' }, 'invalid_request', 'prompt'],
  ['prompt evil', { prompt: 'evil' }, 'invalid_request', 'prompt'],
  ['prompt LOGIN', { prompt: 'LOGIN' }, 'invalid_request', 'prompt'],
  ['max_age -1', { max_age: '-1' }, 'invalid_request', 'max_age'],
  ['max_age 1e3', { max_age: '1e3' }, 'invalid_request', 'max_age'],
  ['max_age of 11 digits', { max_age: '10000000000' }, 'invalid_request', 'max_age'],
  ['max_age in other digits', { max_age: '१' }, 'invalid_request', 'max_age'],
  ['nonce of 2 kB', { nonce: 'n'.repeat(2000) }, 'invalid_request', 'nonce'],
  ['nonce with a NUL', { nonce: 'a\u0000' }, 'invalid_request', 'nonce'],
  ['plain PKCE', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }, 'invalid_request', 'S256'],
  ['s256 PKCE', { code_challenge: CHALLENGE, code_challenge_method: 's256' }, 'invalid_request', 'S256'],
  ['PKCE without method', { code_challenge: CHALLENGE }, 'invalid_request', 'S256'],
  ['PKCE without challenge', { code_challenge_method: 'S256' }, 'invalid_request', 'code_challenge missing'],
  ...[
    CHALLENGE.slice(1),
    CHALLENGE.repeat(3),
    `${CHALLENGE}=`,
    `+${CHALLENGE.slice(1)}`,
    `${CHALLENGE.slice(0, 42)}=`,
  ].map((challenge): [string, Record<string, string>, string, string] => [
    `PKCE challenge ${challenge.slice(0, 50)}`,
    { code_challenge: challenge, code_challenge_method: 'S256' },
    'invalid_request',
    'code_challenge',
  ]),
];

describe('a fault that the application is told (S025–S030, S032)', () => {
  it.each(FAULTS)('%s', async (_name, changes, error, text) => {
    for (const browser of [new TestBrowser(api), signedIn]) {
      const response = await browser.get(authorizeUrl(codeRequest(client, changes)));
      expect(expectRedirectedError(response, error)).toContain(text);
      expect(response.headers['set-cookie']).toBeUndefined();
    }
  });

  it('a parameter given twice, also one that nobody knows', async () => {
    for (const extra of ['scope=openid', 'x=1&x=2', 'nonce=other', '__proto__=1&__proto__=2']) {
      const response = await signedIn.get(`${authorizeUrl(codeRequest(client))}&${extra}`);
      expect(expectRedirectedError(response, 'invalid_request')).toContain('repeated');
    }
  });

  it('a state that is not one value does not come back', async () => {
    const twice = await signedIn.get(`${authorizeUrl(codeRequest(client))}&state=other`);
    expect(expectRedirectedError(twice, 'invalid_request', { state: null })).toContain('state');
    for (const state of ['s'.repeat(5000), 'a\u0000b']) {
      const response = await signedIn.get(authorizeUrl(codeRequest(client, { state })));
      expect(expectRedirectedError(response, 'invalid_request', { state: null })).toContain('state');
    }
  });

  it('a public client without a challenge (S029)', async () => {
    for (const browser of [new TestBrowser(api), signedIn]) {
      const response = await browser.get(authorizeUrl(codeRequest(spa)));
      expect(expectRedirectedError(response, 'invalid_request')).toBe('code_challenge missing');
    }
  });

  it('a response type that the application has not enabled', async () => {
    const world = await anOrganization(api);
    const implicit = await anApplication(world, { responseTypes: ['id_token'], grantTypes: ['implicit'] });
    const response = await signedIn.get(authorizeUrl(codeRequest(implicit)));
    expectRedirectedError(response, 'unauthorized_client');
  });

  it('no session and no way to ask for one (S031)', async () => {
    const response = await new TestBrowser(api).get(
      authorizeUrl(codeRequest(client, { prompt: 'none', state: 'S'.repeat(128) })),
    );
    expectRedirectedError(response, 'login_required', { state: 'S'.repeat(128) });
  });
});

describe('what is no fault (S028, S035, S036)', () => {
  it.each([
    ['unknown parameters', { extra: 'foobar', constructor: 'x', ['__proto__']: 'y', toString: 'z' }],
    ['unknown scopes', { scope: 'email openid unknown urn:x:y' }],
    ['display', { display: 'popup' }],
    ['claims_locales', { claims_locales: 'se' }],
    ['ui_locales that lead nowhere', { ui_locales: '../../etc/passwd {{7*7}} se de' }],
    ['ui_locales without end', { ui_locales: 'de '.repeat(3000) }],
    ['acr_values', { acr_values: '1 2' }],
    ['a login_hint of nobody, silently', { login_hint: 'buffy@id.test', prompt: 'none' }],
    ['a login_hint with control characters', { login_hint: 'a\u0000\r\nb' }],
    ['prompt consent', { prompt: 'consent' }],
    ['no nonce', { nonce: '' }],
    ['no state', { state: '' }],
    ['response_mode query', { response_mode: 'query' }],
    ['a confidential client with PKCE', pkce().challenge],
    ['max_age of a life', { max_age: '9999999999' }],
    ['spaces around the prompt', { prompt: ' consent ' }],
  ])('%s', async (_name, changes) => {
    const response = await signedIn.get(authorizeUrl(codeRequest(client, changes)));
    expect(response.statusCode).toBe(302);
    expect(response.headers.location).toMatch(/^https:\/\/rp\.test\/cb\?code=[A-Za-z0-9_-]{43}/);
  });
});
