import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  IMPLICIT,
  implicitRequest,
  obtainTokens,
  TestBrowser,
  type Answer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError } from './support/answers.js';

// How answers and errors travel, and the rules that only the types with an ID token have (protocol §8.2).

const { api, world } = useWorld();
const client = given(() => anApplication(world, IMPLICIT));
const user = given(() => aUser(world));
const signedIn = given(() => aSignedInBrowser(api, client, user));
const stranger = new TestBrowser(api);

type Case = [response_type: string, response_mode: string, by: Answer['by']];

/** An empty mode counts as none. */
const MODES: readonly Case[] = [
  ['code', '', 'query'],
  ['code', 'query', 'query'],
  ['code', 'fragment', 'fragment'],
  ['code', 'form_post', 'form_post'],
  ['id_token', '', 'fragment'],
  ['id_token', 'fragment', 'fragment'],
  ['id_token', 'form_post', 'form_post'],
  ['id_token token', '', 'fragment'],
  ['token id_token', 'fragment', 'fragment'],
  ['id_token token', 'form_post', 'form_post'],
];

describe.each(MODES)('response_type %j with response_mode %j', (response_type, response_mode, by) => {
  const request = (changes: Record<string, string> = {}) =>
    authorizeUrl(codeRequest(client, { response_type, response_mode, ...changes }));

  it(`is answered by ${by}`, async () => {
    const answer = answerOf(await signedIn.get(request()));
    expect(answer.by).toBe(by);
    expect(answer.parameters.has(response_type === 'code' ? 'code' : 'id_token')).toBe(true);
    expect(answer.parameters.get('state')).toBe('Marker-state');
  });

  it.each([
    ['no session and no page allowed (S031)', { prompt: 'none' }, 'login_required'],
    ['no openid (S028)', { scope: 'profile' }, 'invalid_scope'],
    ['a prompt that contradicts itself (S032)', { prompt: 'none login' }, 'invalid_request'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'https://canary.test' }, 'request_uri_not_supported'],
    ['a forged id_token_hint (S034)', { id_token_hint: 'e30.e30.x' }, 'invalid_request'],
    ['claims that are no JSON', { claims: '{' }, 'invalid_request'],
  ])(`is refused by ${by} as well: %s`, async (_name, changes, error) => {
    expectAnsweredError(await stranger.get(request(changes)), error, { by });
  });
});

describe('the types with an ID token', () => {
  it.each(['id_token', 'id_token token'])('%s needs a nonce (S027)', async (response_type) => {
    const changes = { response_type, nonce: '' };
    for (const browser of [stranger, signedIn]) {
      const response = await browser.get(authorizeUrl(codeRequest(client, changes)));
      expect(expectAnsweredError(response, 'invalid_request', { by: 'fragment' })).toBe('nonce missing');
    }
    const posted = await signedIn.get(
      authorizeUrl(codeRequest(client, { ...changes, response_mode: 'form_post' })),
    );
    expectAnsweredError(posted, 'invalid_request', { by: 'form_post' });
  });

  it.each(['id_token', 'id_token token'])('%s never goes into a query', async (response_type) => {
    const request = codeRequest(client, { response_type, response_mode: 'query' });
    const response = await signedIn.get(authorizeUrl(request));
    const description = expectAnsweredError(response, 'invalid_request', { by: 'fragment' });
    expect(description).toContain('response_mode');
  });

  it('names another user in the hint: login_required, in the fragment (S034)', async () => {
    const eve = await aUser(world);
    const { id_token: hint } = await obtainTokens(api, client, eve);
    const request = implicitRequest(client, { id_token_hint: hint, prompt: 'none' });
    expectAnsweredError(await signedIn.get(authorizeUrl(request)), 'login_required', { by: 'fragment' });
  });

  it('tolerate what nobody knows (S028, S036)', async () => {
    const request = implicitRequest(client, {
      scope: 'openid unknown',
      ui_locales: '../../etc/passwd {{7*7}}',
      display: 'popup',
      claims_locales: 'se',
      extra: 'foobar',
    });
    expect(answerOf(await signedIn.get(authorizeUrl(request))).parameters.get('scope')).toBe('openid');
  });
});

describe('before the response type is known (S025)', () => {
  it.each<[string, Record<string, string>, string]>([
    ['missing', { response_type: '' }, 'invalid_request'],
    ['unknown', { response_type: 'token' }, 'unsupported_response_type'],
    ['hybrid', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['the wrong case', { response_type: 'ID_TOKEN' }, 'unsupported_response_type'],
    ['a word twice', { response_type: 'id_token id_token' }, 'unsupported_response_type'],
  ])('%s: by the query, or as it was asked', async (_name, changes, error) => {
    for (const [response_mode, by] of [
      ['', 'query'],
      ['web_message', 'query'],
      ['fragment', 'fragment'],
      ['form_post', 'form_post'],
    ] as const) {
      const response = await signedIn.get(authorizeUrl(codeRequest(client, { ...changes, response_mode })));
      expectAnsweredError(response, error, { by });
    }
  });

  it.each([
    ['response_type', '&response_type=id_token', 'query'],
    ['response_mode', '&response_mode=form_post&response_mode=fragment', 'query'],
  ] as const)('%s given twice', async (name, more, by) => {
    const response = await signedIn.get(`${authorizeUrl(codeRequest(client))}${more}`);
    expect(expectAnsweredError(response, 'invalid_request', { by })).toBe(`${name} must not be repeated`);
  });

  it('a response_mode nobody knows, for a type that is known', async () => {
    const request = { response_mode: 'web_message' };
    const implicit = await signedIn.get(authorizeUrl(implicitRequest(client, request)));
    expectAnsweredError(implicit, 'invalid_request', { by: 'fragment' });
    const code = await signedIn.get(authorizeUrl(codeRequest(client, request)));
    expectAnsweredError(code, 'invalid_request', { by: 'query' });
  });

  it('a state given twice, after something else given twice, does not come back', async () => {
    const url = `${authorizeUrl(implicitRequest(client))}&x=1&x=2&state=other`;
    expectAnsweredError(await signedIn.get(url), 'invalid_request', { by: 'fragment', state: null });
  });
});

describe('a redirect URI that no form can lead to', () => {
  const to = 'com.example.app:/cb';

  it('is not form-posted to: the refusal goes as the response type has it', async () => {
    const native = await anApplication(world, { ...IMPLICIT, appType: 'native', redirectUris: [to] });
    const request = { redirect_uri: to, response_mode: 'form_post' };
    for (const [response_type, by] of [
      ['code', 'query'],
      ['id_token', 'fragment'],
    ] as const) {
      const response = await signedIn.get(authorizeUrl(codeRequest(native, { ...request, response_type })));
      const description = expectAnsweredError(response, 'invalid_request', { by, to });
      expect(description).toContain('form_post');
    }
    const unknown = codeRequest(native, { ...request, response_type: 'token' });
    const response = await signedIn.get(authorizeUrl(unknown));
    expectAnsweredError(response, 'unsupported_response_type', { by: 'query', to });
  });
});
