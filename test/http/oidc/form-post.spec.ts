import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  IMPLICIT,
  redemption,
  requestToken,
  TestBrowser,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError, expectNoInsides, expectPageHeaders } from './support/answers.js';

// Answers that travel as a form (OAuth 2.0 Form Post Response Mode): a page of ours that sends itself.

const { api, world } = useWorld();
const client = given(() => anApplication(world, { ...IMPLICIT, name: 'The <i>application</i>' }));
const user = given(() => aUser(world));
const signedIn = given(() => aSignedInBrowser(api, client, user));

const request = (changes: Record<string, string> = {}, of = client) =>
  codeRequest(of, { response_mode: 'form_post', ...changes });
const ask = (changes: Record<string, string> = {}, of = client) =>
  signedIn.get(authorizeUrl(request(changes, of)));

function expectFormPost(response: LightMyRequestResponse): Record<string, string> {
  expect(response.statusCode).toBe(200);
  expect(response.headers.location).toBeUndefined();
  expectPageHeaders(response);
  expectNoInsides(response);
  const { by, parameters } = answerOf(response);
  expect(by).toBe('form_post');
  return Object.fromEntries(parameters);
}

describe('an answer by form_post', () => {
  it('of a session: code, state and issuer as hidden fields, and nothing in an address (S037)', async () => {
    const fields = expectFormPost(await ask());
    expect(fields).toEqual({
      code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
      state: 'Marker-state',
      iss: 'https://id.test',
    });
    const tokens = await requestToken(api, redemption(fields['code'] ?? ''), basic(client));
    expect(tokens.statusCode).toBe(200);
  });

  it('of a sign-in, whose browser gets its new secret with the page', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(request({ response_type: 'id_token token' }));
    const response = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
    });
    const answer = expectFormPost(response);
    expect(Object.keys(answer)).toEqual([
      'access_token',
      'token_type',
      'expires_in',
      'id_token',
      'scope',
      'state',
      'iss',
    ]);
    expect(decodeJwt(answer['id_token'] ?? '').sub).toBe(user.userId);
    expect(response.cookies[0]?.value).toBe(browser.userAgentSecret);
    expect(expectFormPost(await browser.get(authorizeUrl(request({ prompt: 'none' }))))).toHaveProperty(
      'code',
    );
  });

  it('to a request that came by POST', async () => {
    expect(expectFormPost(await signedIn.post('/oauth/v2/authorize', request()))).toHaveProperty('code');
  });

  it.each([
    ['markup', '"></form><script>alert(1)</script>'],
    ['every kind of quote', `'"\`&quot;&#39;`],
    ['128 characters of punctuation', `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`.repeat(4)],
    ['other scripts', 'été 漢字 👩‍💻'],
  ])('brings the state back as it came and lets none of it into the page: %s', async (_name, state) => {
    const response = await ask({ state });
    expect(expectFormPost(response)['state']).toBe(state);
    expect(response.body).not.toContain('<script>alert');
  });

  it('names the application, escaped, and speaks the language that was asked for', async () => {
    const response = await ask({ ui_locales: 'de' });
    expectFormPost(response);
    expect(response.body).toContain('<html lang="de"');
    expect(response.body).toContain('The &lt;i&gt;application&lt;/i&gt;');
  });

  it('runs no script but its own, loads nothing from elsewhere, and may post to the application', async () => {
    const response = await ask();
    const policy = String(response.headers['content-security-policy']);
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    const scripts = [...response.body.matchAll(/<script([^>]*)>/g)].map(([, given]) => given?.trim());
    expect(scripts).toEqual([`nonce="${nonce}"`]);
    expect(policy).toContain("form-action 'self' https:;");
    expect(response.body.match(/(?:src|href|action)="https?:[^"]*"/g)).toEqual([
      'action="https://rp.test/cb"',
    ]);
    // for those without scripts
    expect(response.body).toMatch(/<button[^>]*type="submit"/);
  });

  it('goes to the redirect URI as registered, its own query included', async () => {
    const uri = 'https://rp.test/cb?tenant=1&x="';
    const odd = await anApplication(world, { redirectUris: [uri] });
    const { by, parameters } = answerOf(await ask({ redirect_uri: uri }, odd), uri);
    expect(by).toBe('form_post');
    expect([...parameters.keys()]).toEqual(['code', 'state', 'iss']);
  });
});

describe('an error by form_post', () => {
  it('carries error, description, state and issuer, and sets no cookie', async () => {
    const stranger = await new TestBrowser(api).get(authorizeUrl(request({ prompt: 'none' })));
    expectAnsweredError(stranger, 'login_required', { by: 'form_post' });
    expect(stranger.headers['set-cookie']).toBeUndefined();
  });

  it('of a sign-in by somebody else than the application meant', async () => {
    const eve = await aUser(world);
    const code = expectFormPost(await ask())['code'] ?? '';
    const tokens = (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>();
    const answered = await new TestBrowser(api).signIn(request({ id_token_hint: tokens.id_token }), eve);
    expectAnsweredError(answered, 'login_required', { by: 'form_post' });
  });

  it('is not sent anywhere while the redirect URI is not verified', async () => {
    const response = await ask({ redirect_uri: 'https://evil.test/cb' });
    expect(response.statusCode).toBe(400);
    expect(response.body).not.toMatch(/(?:href|action)="https:/);
    expect(response.body).not.toContain('id="answer"');
  });
});

it('asks the browser to send plain urlencoded fields: no enctype, no charset', async () => {
  expect((await ask()).body).not.toMatch(/enctype|accept-charset|_charset_/);
});
