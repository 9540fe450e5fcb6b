import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  IMPLICIT,
  obtainTokens,
  redemption,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError, expectRedirectedError } from './support/answers.js';

// The claims parameter (OpenID Connect Core §5.5).

const { api, world } = useWorld();
const client = given(() => anApplication(world, IMPLICIT));
const ada = given(() => aUser(world));
const signedIn = given(() => aSignedInBrowser(api, client, ada));

const request = (claims: unknown, changes: Record<string, string> = {}) =>
  codeRequest(client, {
    scope: 'openid',
    claims: typeof claims === 'string' ? claims : JSON.stringify(claims),
    ...changes,
  });
const ask = (claims: unknown, changes: Record<string, string> = {}, browser = signedIn) =>
  browser.get(authorizeUrl(request(claims, changes)));

async function tokensFor(claims: unknown, changes: Record<string, string> = {}): Promise<TokenAnswer> {
  const code = answerOf(await ask(claims, changes)).parameters.get('code') ?? '';
  return (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>();
}

async function infoOf(token: string): Promise<Record<string, unknown>> {
  return (await userinfo(api, token)).json<Record<string, unknown>>();
}

describe('userinfo', () => {
  it.each([
    ['null', null],
    ['essential', { essential: true }],
    ['voluntary', { essential: false }],
    ['with a value', { value: 'Somebody Else' }],
    ['with members nobody knows', { essential: true, purpose: 'fun' }],
  ])('gives a claim that was asked for beyond the scopes: %s', async (_name, name) => {
    const tokens = await tokensFor({ userinfo: { name } });
    expect(await infoOf(tokens.access_token)).toEqual({ sub: ada.userId, name: 'Ada Lovelace' });
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty('name');
  });

  it('gives it beside the claims of the scopes, and for a request by JWT access token too', async () => {
    const jwt = await anApplication(world, { accessTokenType: 'jwt' });
    const claims = JSON.stringify({ userinfo: { email: null } });
    const tokens = await obtainTokens(api, jwt, ada, { scope: 'openid profile', claims });
    expect(await infoOf(tokens.access_token)).toMatchObject({
      name: 'Ada Lovelace',
      email: expect.any(String),
    });
  });

  it('gives nobody’s claims to the token of another grant', async () => {
    const plain = await tokensFor('');
    await tokensFor({ userinfo: { name: null } });
    expect(await infoOf(plain.access_token)).toEqual({ sub: ada.userId });
  });

  it('gives nothing of it to a token that was narrowed out of openid', async () => {
    const claims = { userinfo: { name: null } };
    const first = await tokensFor(claims, { scope: 'openid email offline_access' });
    const narrow = (await refreshTokens(api, client, first, { scope: 'email' })).json<TokenAnswer>();
    expect(Object.keys(await infoOf(first.access_token))).toContain('name');
    expect(Object.keys(await infoOf(narrow.access_token))).toEqual(['sub', 'email', 'email_verified']);
  });

  it('answers many tokens at once, each with its own claims', async () => {
    const each = ['name', 'email', 'family_name', 'preferred_username'];
    const tokens = await Promise.all(each.map((name) => tokensFor({ userinfo: { [name]: null } })));
    const infos = await Promise.all(tokens.map(({ access_token }) => infoOf(access_token)));
    expect(infos.map((info) => Object.keys(info))).toEqual(each.map((name) => ['sub', name]));
  });
});

describe('the ID token', () => {
  const claims = { id_token: { email: { essential: true }, given_name: null } };
  const expected = { given_name: 'Ada', email: expect.any(String) as string };

  it('carries them at the redemption of the code and at every refresh', async () => {
    const first = await tokensFor(claims, { scope: 'openid offline_access' });
    expect(decodeJwt(first.id_token)).toMatchObject(expected);
    expect(await infoOf(first.access_token)).toEqual({ sub: ada.userId });
    const second = (await refreshTokens(api, client, first)).json<TokenAnswer>();
    expect(decodeJwt(second.id_token)).toMatchObject(expected);
    expect(decodeJwt(second.id_token)).not.toHaveProperty('name');
    // a token that is no OpenID Connect token any more has none of it
    const narrowed = await refreshTokens(api, client, second, { scope: 'offline_access' });
    const third = narrowed.json<TokenAnswer>();
    expect(third).not.toHaveProperty('id_token');
    expect(await infoOf(third.access_token)).toEqual({ sub: ada.userId });
  });

  it.each(['id_token', 'id_token token'])('carries them in the front channel: %s', async (response_type) => {
    const { parameters } = answerOf(await ask(claims, { response_type }));
    const payload = decodeJwt(parameters.get('id_token') ?? '');
    expect(payload).toMatchObject(expected);
    expect(payload).not.toHaveProperty('family_name');
  });

  it('of a sign-in carries them: the request is kept while the user types', async () => {
    const answered = await new TestBrowser(api).signIn(request(claims), ada);
    const code = answerOf(answered).parameters.get('code') ?? '';
    const tokens = (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>();
    expect(decodeJwt(tokens.id_token)).toMatchObject(expected);
  });

  it('cannot be given another value of what it says about itself', async () => {
    const own = { iss: 'https://evil.test', aud: 'evil', exp: 1, nonce: 'evil', azp: 'evil', amr: ['mfa'] };
    const asked = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, { value }]));
    const plain = decodeJwt((await tokensFor('')).id_token);
    const payload = decodeJwt((await tokensFor({ id_token: asked })).id_token);
    expect(Object.keys(payload)).toEqual(Object.keys(plain));
    expect(payload).toMatchObject({ iss: 'https://id.test', aud: [client.clientId], amr: ['pwd'] });
  });
});

describe('what cannot be had', () => {
  it.each<[string, unknown]>([
    ['claims nobody knows', { userinfo: { 'name#de': null, 'https://x.test/y': { essential: true } } }],
    ['names of built-ins', '{"userinfo":{"__proto__":null,"constructor":null},"id_token":{"toString":null}}'],
    ['other members', { userinfo: {}, verified_claims: { x: [1] } }],
    ['an essential claim the user does not have', { userinfo: { birthdate: { essential: true } } }],
    ['nothing', {}],
  ])('is left out without an error: %s', async (_name, claims) => {
    const tokens = await tokensFor(claims);
    expect(await infoOf(tokens.access_token)).toEqual({ sub: ada.userId });
  });
});

describe('a parameter that is no good', () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`c${index}`, null]));
  it.each<[string, unknown, string]>([
    ['no JSON', '{"userinfo":', 'claims is not JSON'],
    [
      'a claim twice (S207)',
      '{"id_token":{"sub":null,"sub":{"value":"1"}}}',
      'claims: id_token.sub is given twice',
    ],
    ['a list', '[]', 'claims is malformed'],
    ['a text', '"x"', 'claims is malformed'],
    ['null', 'null', 'claims is malformed'],
    ['userinfo that is no object', { userinfo: ['name'] }, 'claims is malformed'],
    ['a claim that is a text', { id_token: { name: 'Ada' } }, 'claims is malformed'],
    ['a claim that is a list', { id_token: { name: [] } }, 'claims is malformed'],
    ['essential that is a text', { userinfo: { name: { essential: 'true' } } }, 'claims is malformed'],
    ['values that are no list', { userinfo: { name: { values: 'x' } } }, 'claims is malformed'],
    ['too many claims', { userinfo: many }, 'claims is malformed'],
    ['too long', { userinfo: { ['x'.repeat(8192)]: null } }, 'claims is longer than 8192 characters'],
    ['deep', '['.repeat(8000), 'claims is not JSON'],
    ['several users', { id_token: { sub: { values: ['1', '2'] } } }, 'claims: sub must name one user by id'],
    ['a user that is no text', { id_token: { sub: { value: 1 } } }, 'claims: sub must name one user by id'],
    [
      'a user with a NUL',
      { id_token: { sub: { value: 'a\u0000' } } },
      'claims: sub must name one user by id',
    ],
  ])('%s', async (_name, claims, description) => {
    for (const browser of [signedIn, new TestBrowser(api)]) {
      expect(expectRedirectedError(await ask(claims, {}, browser), 'invalid_request')).toBe(description);
    }
  });
});

// claims have one value each, and no answer may depend on the languages asked for (OpenID Connect Core §5.2)
describe('languages of claims', () => {
  it('change nothing, whether known, unknown or malformed', async () => {
    const claims = { userinfo: { name: null, locale: null }, id_token: { given_name: null } };
    const plain = await tokensFor(claims);
    const info = await infoOf(plain.access_token);
    expect(info).toMatchObject({ sub: ada.userId, name: 'Ada Lovelace' });
    for (const claims_locales of ['de', 'ja-Kana-JP en', 'se', '../../etc/passwd {{7*7}}']) {
      const tokens = await tokensFor(claims, { claims_locales });
      expect(await infoOf(tokens.access_token)).toEqual(info);
      expect(Object.keys(decodeJwt(tokens.id_token))).toEqual(Object.keys(decodeJwt(plain.id_token)));
      expect(decodeJwt(tokens.id_token)).toMatchObject({ given_name: 'Ada' });
    }
  });

  it('as tags of claims are unknown claims, essential or not, and left out', async () => {
    const tagged = { 'name#de': { essential: true }, 'given_name#ja-Kana-JP': null };
    const tokens = await tokensFor({ userinfo: { ...tagged, family_name: null }, id_token: tagged });
    expect(await infoOf(tokens.access_token)).toEqual({ sub: ada.userId, family_name: 'Lovelace' });
    const names = Object.keys(decodeJwt(tokens.id_token)).filter((name) => /name/.test(name));
    expect(names).toEqual([]);
  });
});

describe('sub in claims.id_token', () => {
  const naming = (userId: string) => ({ id_token: { sub: { value: userId } } });

  it('of the user who is signed in: answered without asking', async () => {
    expect(decodeJwt((await tokensFor(naming(ada.userId), { prompt: 'none' })).id_token).sub).toBe(
      ada.userId,
    );
    const listed = { id_token: { sub: { values: [ada.userId] } } };
    expect(answerOf(await ask(listed, { prompt: 'none' })).parameters.has('code')).toBe(true);
    expect(answerOf(await ask({ id_token: { sub: null } })).parameters.has('code')).toBe(true);
  });

  it('of somebody else: login_required, or the sign-in page', async () => {
    for (const userId of ['1', 'nobody', (await aUser(world)).userId]) {
      expectRedirectedError(await ask(naming(userId), { prompt: 'none' }), 'login_required');
      const asked = await ask(naming(userId));
      expect(asked.headers.location).toMatch(/^\/login/);
      expect((await signedIn.get(asked.headers.location ?? '')).body).not.toContain(ada.loginName);
    }
  });

  it('is not satisfied by another user who signs in on the page', async () => {
    const eve = await aUser(world);
    for (const [user, outcome] of [
      [eve, 'error'],
      [ada, 'code'],
    ] as const) {
      const browser = new TestBrowser(api);
      const asked = await ask(naming(ada.userId), {}, browser);
      const page = await browser.get(asked.headers.location ?? '');
      // whoever writes the parameter must not learn the name that goes with an id
      expect(page.body).not.toContain(ada.userName);
      const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
      const answered = await browser.post('/login', form);
      expect(answerOf(answered).parameters.has(outcome)).toBe(true);
      if (outcome === 'error') expectRedirectedError(answered, 'login_required');
    }
  });

  it('against an id_token_hint that names another: nobody can be both', async () => {
    const hint = (await obtainTokens(api, client, await aUser(world))).id_token;
    expectRedirectedError(await ask(naming(ada.userId), { id_token_hint: hint }), 'login_required');
    const own = (await obtainTokens(api, client, ada)).id_token;
    const both = { id_token_hint: own, prompt: 'none' };
    expect(answerOf(await ask(naming(ada.userId), both)).parameters.has('code')).toBe(true);
  });

  it('is told in the fragment where tokens go there', async () => {
    const response = await ask(naming('nobody'), { response_type: 'id_token', prompt: 'none' });
    expectAnsweredError(response, 'login_required', { by: 'fragment' });
  });
});
