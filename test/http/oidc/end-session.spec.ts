import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication, POST_LOGOUT_URI } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  endSessionUrl,
  hiddenFields,
  obtainTokens,
  redirected,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import {
  expectErrorPage,
  expectPageHeaders,
  expectRedirectedError,
  parametersOf,
} from './support/answers.js';

const { api, world } = useWorld();
const client = given(() =>
  anApplication(world, {
    postLogoutRedirectUris: [POST_LOGOUT_URI, 'https://rp.test/bye?tenant=1'],
  }),
);
const other = given(() => anApplication(world, { postLogoutRedirectUris: ['https://other.test/bye'] }));
const user = given(() => aUser(world));

/** A browser that is signed in, and an ID token of the sign-in. */
async function signedIn(): Promise<{ browser: TestBrowser; hint: string; accessToken: string }> {
  const browser = new TestBrowser(api);
  const tokens = await obtainTokens(api, client, user, {}, browser);
  return { browser, hint: tokens.id_token, accessToken: tokens.access_token };
}

async function hasSession(browser: TestBrowser): Promise<boolean> {
  const response = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
  if (redirected(response).has('code')) return true;
  expectRedirectedError(response, 'login_required');
  return false;
}

function expectSignedOutPage(response: LightMyRequestResponse): void {
  expect(response.statusCode).toBe(200);
  expect(response.body).toContain('signed out');
  expect(response.headers.location).toBeUndefined();
  expectPageHeaders(response);
}

function expectQuestion(response: LightMyRequestResponse): void {
  expect(response.statusCode).toBe(200);
  expect(response.body).toContain('id="logout-confirm"');
  expect(response.headers.location).toBeUndefined();
  expectPageHeaders(response);
}

describe('a request with a hint of the user who is signed in', () => {
  it('ends the session and goes to the registered URI, with state and nothing else', async () => {
    const { browser, hint, accessToken } = await signedIn();
    const response = await browser.get(
      endSessionUrl({
        id_token_hint: hint,
        post_logout_redirect_uri: POST_LOGOUT_URI,
        state: 'Marker-state',
      }),
    );
    expect(response.statusCode).toBe(302);
    expect(response.headers.location).toBe(`${POST_LOGOUT_URI}?state=Marker-state`);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(await hasSession(browser)).toBe(false);
    expect((await userinfo(api, accessToken)).statusCode).toBe(401);
  });

  it('brings no state where there was none, and keeps the query of the URI', async () => {
    const first = await signedIn();
    const plain = { id_token_hint: first.hint, post_logout_redirect_uri: POST_LOGOUT_URI };
    expect((await first.browser.get(endSessionUrl(plain))).headers.location).toBe(POST_LOGOUT_URI);
    const second = await signedIn();
    const uri = 'https://rp.test/bye?tenant=1';
    const query = { id_token_hint: second.hint, post_logout_redirect_uri: uri, state: 's' };
    expect((await second.browser.get(endSessionUrl(query))).headers.location).toBe(`${uri}&state=s`);
  });

  it('shows a page where no URI was asked for, with or without state', async () => {
    for (const extra of [{}, { state: 'Marker-state' }]) {
      const { browser, hint } = await signedIn();
      expectSignedOutPage(await browser.get(endSessionUrl({ id_token_hint: hint, ...extra })));
      expect(await hasSession(browser)).toBe(false);
    }
  });

  it('works with an expired hint', async () => {
    const { browser, hint } = await signedIn();
    await api.advance(13 * 3600);
    expectSignedOutPage(await browser.get(endSessionUrl({ id_token_hint: hint })));
    expect(await hasSession(browser)).toBe(false);
  });

  it('leaves nothing for whoever kept the cookie (S131)', async () => {
    const { browser, hint } = await signedIn();
    const kept = browser.cookieHeader;
    await browser.get(endSessionUrl({ id_token_hint: hint }));
    const replay = await api.app.inject({
      url: authorizeUrl(codeRequest(client, { prompt: 'none' })),
      headers: { cookie: kept },
    });
    expectRedirectedError(replay, 'login_required');
  });

  it('by POST: at once with the cookie, by way of a page of ours without it (S410)', async () => {
    const here = await signedIn();
    const form = { id_token_hint: here.hint, post_logout_redirect_uri: POST_LOGOUT_URI };
    const posted = await here.browser.post('/oidc/v1/end_session', form);
    expect(posted.statusCode).toBe(303);
    expect(posted.headers.location).toBe(POST_LOGOUT_URI);
    expect(await hasSession(here.browser)).toBe(false);

    // from another site SameSite=Lax keeps the cookie back: nobody may be told "signed out" for that
    const there = await signedIn();
    // longer than any header may be, as is the ID token of somebody with many roles
    const state = 'Marker-'.repeat(4000);
    const sent = { ...form, id_token_hint: there.hint, state };
    const bare = await postForm(api, '/oidc/v1/end_session', sent, { origin: 'https://rp.test' });
    expect(bare.statusCode).toBe(200);
    for (const header of Object.values(bare.headers)) expect(String(header)).not.toContain(there.hint);
    expect(bare.headers['set-cookie']).toBeUndefined();
    expect(bare.body).toContain('<form method="post" action="/oidc/v1/end_session" id="answer">');
    expect(await hasSession(there.browser)).toBe(true);
    const again = hiddenFields(bare.body);
    const answered = await there.browser.post('/oidc/v1/end_session', again);
    expect(answered.statusCode).toBe(303);
    expect(answered.headers.location).toBe(`${POST_LOGOUT_URI}?state=${state}`);
    expect(await hasSession(there.browser)).toBe(false);
    // and never in a circle
    const nobody = await postForm(api, '/oidc/v1/end_session', again);
    expect(nobody.headers.location).toBe(`${POST_LOGOUT_URI}?state=${state}`);
  });

  it.each([
    ['origin', 'https://rp.test'],
    ['origin', 'null'],
    ['sec-fetch-mode', 'navigate'],
    ['accept', 'text/html,application/xhtml+xml'],
  ])('by POST of a page, whatever a browser says of itself: %s: %s', async (name, value) => {
    const { hint } = await signedIn();
    const form = { id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI };
    const bare = await postForm(api, '/oidc/v1/end_session', form, { [name]: value });
    expect(bare.body).toContain('<form method="post" action="/oidc/v1/end_session" id="answer">');
  });

  it('by POST of a program, which leads its user here by the address that it is given', async () => {
    const { hint, browser } = await signedIn();
    const form = { id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI, state: 's' };
    const answer = await postForm(api, '/oidc/v1/end_session', form, { accept: '*/*' });
    expect(answer.statusCode).toBe(303);
    const there = await browser.get(answer.headers.location ?? '');
    expect(there.headers.location).toBe(`${POST_LOGOUT_URI}?state=s`);
    expect(await hasSession(browser)).toBe(false);
  });

  it('by POST from another site, refused before anything is sent again (S410)', async () => {
    const { hint } = await signedIn();
    const elsewhere = { id_token_hint: hint, post_logout_redirect_uri: 'https://evil.test/' };
    const refused = await postForm(api, '/oidc/v1/end_session', elsewhere, { origin: 'https://evil.test' });
    expectErrorPage(refused, 400, 'post_logout_redirect_uri');
  });
});

describe('a request that proves nothing', () => {
  it.each<[string, Record<string, string>]>([
    ['no parameters, as from an image tag (S130)', {}],
    ['only a state', { state: 'x' }],
    ['only a post_logout_redirect_uri (S128)', { post_logout_redirect_uri: POST_LOGOUT_URI }],
    ['a post_logout_redirect_uri of nobody (S128)', { post_logout_redirect_uri: 'https://evil.test/' }],
    ['a script as post_logout_redirect_uri', { post_logout_redirect_uri: 'javascript:alert(1)' }],
  ])('%s: asks first, and the session lives', async (_name, parameters) => {
    const { browser } = await signedIn();
    const response = await browser.get(endSessionUrl(parameters));
    expectQuestion(response);
    expect(response.headers['content-security-policy']).toContain("form-action 'self';");
    expect(await hasSession(browser)).toBe(true);
    const confirmed = await browser.post('/logout', hiddenFields(response.body));
    expectSignedOutPage(confirmed);
    expect(await hasSession(browser)).toBe(false);
  });

  it('a client_id alone: asks first, then goes to its URI', async () => {
    const { browser } = await signedIn();
    const parameters = { client_id: client.clientId, post_logout_redirect_uri: POST_LOGOUT_URI, state: 's' };
    const question = await browser.get(endSessionUrl(parameters));
    expectQuestion(question);
    expect(question.headers['content-security-policy']).toContain("form-action 'self' https:;");
    expect(await hasSession(browser)).toBe(true);
    const confirmed = await browser.post('/logout', hiddenFields(question.body));
    expect(confirmed.statusCode).toBe(303);
    expect(confirmed.headers.location).toBe(`${POST_LOGOUT_URI}?state=s`);
    expect(await hasSession(browser)).toBe(false);
  });

  it('a hint of another user: asks first', async () => {
    const { browser } = await signedIn();
    const stranger = await aUser(await anOrganization(api));
    const { id_token: hint } = await obtainTokens(api, client, stranger);
    expectQuestion(await browser.get(endSessionUrl({ id_token_hint: hint })));
    expect(await hasSession(browser)).toBe(true);
  });

  it('in a browser where nobody is signed in: there is nothing to ask', async () => {
    expectSignedOutPage(await new TestBrowser(api).get(endSessionUrl({})));
    expectSignedOutPage(
      await new TestBrowser(api).get(endSessionUrl({ post_logout_redirect_uri: 'https://evil.test' })),
    );
  });
});

describe('a request that contradicts itself', () => {
  const VARIANTS = [
    'https://evil.test/',
    'https://rp.test/bye/',
    'https://rp.test/bye?foo=bar',
    'https://rp.test/bye#x',
    'https://rp.test.evil.test/bye',
    'https://rp.test@evil.test/bye',
    'https://rp.test/bye/../evil',
    'https://rp.test/by%65',
    'https://RP.test/bye',
    'http://rp.test/bye',
    '//rp.test/bye',
    'https:/\\evil.test',
    'https://rp.test/bye\r\nSet-Cookie: a=b',
    'https://rp.test/bye\u0000',
    'javascript:alert(1)//https://rp.test/bye',
    'data:text/html,<script>alert(1)</script>',
    'https://other.test/bye',
    'https://rp.test/cb',
  ];
  it.each(VARIANTS)('%j is not registered: a page, no redirect, the session stays (S127)', async (uri) => {
    const { browser, hint } = await signedIn();
    for (const named of [{ id_token_hint: hint }, { client_id: client.clientId }]) {
      const response = await browser.get(endSessionUrl({ ...named, post_logout_redirect_uri: uri }));
      expectErrorPage(response, 400, 'post_logout_redirect_uri');
      expect(response.body).not.toContain('<script>alert');
      expect(response.headers['content-security-policy']).toContain("form-action 'self';");
    }
    expect(await hasSession(browser)).toBe(true);
  });

  it('a client_id that is not the hint’s (S129)', async () => {
    const { browser, hint } = await signedIn();
    const response = await browser.get(endSessionUrl({ id_token_hint: hint, client_id: other.clientId }));
    expectErrorPage(response, 400, 'client_id does not match azp of id_token_hint');
    expect(response.body).toContain('invalid_request');
    expect(await hasSession(browser)).toBe(true);
  });

  it.each([
    ['unknown', '123'],
    ['with a NUL', '1\u00002'],
    ['long', '1'.repeat(5000)],
  ])('a client_id that is %s', async (_name, clientId) => {
    const { browser } = await signedIn();
    expectErrorPage(await browser.get(endSessionUrl({ client_id: clientId })), 400, 'client_id is unknown');
    expect(await hasSession(browser)).toBe(true);
  });

  it('a parameter given twice', async () => {
    const { browser, hint } = await signedIn();
    const url = `${endSessionUrl({ id_token_hint: hint })}&post_logout_redirect_uri=a&post_logout_redirect_uri=b`;
    expectErrorPage(await browser.get(url), 400, 'must not be repeated');
    expect(await hasSession(browser)).toBe(true);
  });

  it('a hint that is not ours', async () => {
    const { browser, hint } = await signedIn();
    const [, payload = '', signature = ''] = hint.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const hs256 = await new SignJWT({ ...decodeJwt(hint), sub: 'SubjectID' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(client.clientSecret));
    for (const forged of ['x', `${none}.${payload}.`, `${none}.${payload}.${signature}`, hs256]) {
      const response = await browser.get(
        endSessionUrl({ id_token_hint: forged, post_logout_redirect_uri: POST_LOGOUT_URI }),
      );
      expectErrorPage(response, 400, 'id_token_hint');
    }
    expect(await hasSession(browser)).toBe(true);
  });
});

describe('state (S132)', () => {
  it.each([
    `%&#"<>\\{}^|[]!'()*,-./:?@_\`~`.repeat(3),
    '"><script>alert(1)</script>',
    'a\r\nSet-Cookie: evil=1\r\n\r\n<b>',
    'a\nb\rc\td',
    '漢字 👩‍💻',
    'a+b c%20d',
  ])('%j comes back as it was, on the straight way and by way of the question', async (state) => {
    const straight = await signedIn();
    const target = { post_logout_redirect_uri: POST_LOGOUT_URI, state };
    const response = await straight.browser.get(endSessionUrl({ id_token_hint: straight.hint, ...target }));
    expect(parametersOf(response.headers.location)).toEqual({ state });

    const asked = await signedIn();
    const question = await asked.browser.get(endSessionUrl({ client_id: client.clientId, ...target }));
    expect(question.body).not.toContain('<script>alert');
    const fields = hiddenFields(question.body);
    // a browser would rewrite any line break in a field, so there is none
    for (const value of Object.values(fields)) expect(value).not.toMatch(/[\r\n]/);
    const confirmed = await asked.browser.post('/logout', fields);
    expect(parametersOf(confirmed.headers.location)).toEqual({ state });
  });
});

describe('the confirmation form', () => {
  it('is ours only (login CSRF turned round)', async () => {
    const { browser } = await signedIn();
    const fields = hiddenFields((await browser.get(endSessionUrl({}))).body);
    const stranger = await signedIn();
    const strangersFields = hiddenFields((await stranger.browser.get(endSessionUrl({}))).body);
    const attempts: [Record<string, string>, Record<string, string>][] = [
      [{ ...fields, csrf: '' }, {}],
      [{ ...fields, csrf: 'A'.repeat(43) }, {}],
      [strangersFields, {}],
      [fields, { origin: 'https://evil.test' }],
      [fields, { 'sec-fetch-site': 'cross-site' }],
    ];
    for (const [form, headers] of attempts) {
      expectErrorPage(await browser.post('/logout', form, headers), 403);
    }
    expectErrorPage(await new TestBrowser(api).post('/logout', fields), 403);
    expect(await hasSession(browser)).toBe(true);
  });

  it('cannot be made to redirect by what is put into it', async () => {
    const { browser } = await signedIn();
    const fields = hiddenFields((await browser.get(endSessionUrl({}))).body);
    const request = new URLSearchParams({
      client_id: client.clientId,
      post_logout_redirect_uri: 'https://evil.test/',
    }).toString();
    expectErrorPage(await browser.post('/logout', { ...fields, request }), 400, 'post_logout_redirect_uri');
    expect(await hasSession(browser)).toBe(true);
  });
});
