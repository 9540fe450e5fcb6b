import { createHash } from 'node:crypto';
import { decodeJwt, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication, REDIRECT_URI } from '../../support/applications.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  IMPLICIT,
  implicitRequest,
  redemption,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { verifyJwt } from '../../support/published-keys.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError } from './support/answers.js';

// Tokens by way of the browser (OpenID Connect Core §3.2): response types `id_token` and `id_token token`.

const { api, world } = useWorld();
const client = given(() => anApplication(world, IMPLICIT));
const user = given(() => aUser(world, { phone: { number: '+41791234567', verified: true } }));
const signedIn = given(() => aSignedInBrowser(api, client, user));

async function ask(changes: Record<string, string> = {}, of = client): Promise<Record<string, string>> {
  const response = await signedIn.get(authorizeUrl(implicitRequest(of, changes)));
  const { by, parameters } = answerOf(response);
  expect({ status: response.statusCode, by }).toEqual({ status: 302, by: 'fragment' });
  expect(response.headers['cache-control']).toBe('no-store');
  return Object.fromEntries(parameters);
}

async function verified(idToken: string | undefined, audience = client): Promise<JWTPayload> {
  return (await verifyJwt(api, idToken ?? '', { audience: audience.clientId })).payload;
}

const leftHalf = (text = '') =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

const USER_CLAIMS = ['name', 'email', 'phone_number', 'updated_at'];
const ALL_SCOPES = { scope: 'openid profile email phone address' };

describe('id_token token', () => {
  it('gives both tokens in the fragment, with all that protocol §8.2 names, state and issuer (S037)', async () => {
    const answer = await ask(ALL_SCOPES);
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^at_/) as string,
      token_type: 'Bearer',
      expires_in: String(12 * 3600),
      id_token: expect.any(String) as string,
      scope: 'openid profile email phone address',
      state: 'Marker-state',
      iss: 'https://id.test',
    });
    const payload = await verified(answer['id_token']);
    expect(payload).toMatchObject({
      sub: user.userId,
      aud: [client.clientId],
      azp: client.clientId,
      nonce: 'Marker-nonce',
      amr: ['pwd'],
      auth_time: expect.any(Number) as number,
      at_hash: leftHalf(answer['access_token']),
    });
    for (const claim of ['c_hash', 'sid', ...USER_CLAIMS]) expect(payload).not.toHaveProperty(claim);
    const info = await userinfo(api, answer['access_token'] ?? '');
    expect(info.json()).toMatchObject({ sub: user.userId, name: 'Ada Lovelace' });
  });

  it('puts the claims into the ID token as well where the application wants them there', async () => {
    const asserting = await anApplication(world, { ...IMPLICIT, idTokenUserinfoAssertion: true });
    const answer = await ask(ALL_SCOPES, asserting);
    const payload = await verified(answer['id_token'], asserting);
    for (const claim of ['at_hash', ...USER_CLAIMS]) expect(payload).toHaveProperty(claim);
  });

  it('gives an access token in the form of the application, which revocation by sign-out reaches', async () => {
    const jwt = await anApplication(world, { ...IMPLICIT, accessTokenType: 'jwt' });
    const browser = new TestBrowser(api);
    const { parameters } = answerOf(await browser.signIn(implicitRequest(jwt), user));
    const token = parameters.get('access_token') ?? '';
    expect(decodeJwt(token)).toMatchObject({ sub: user.userId, client_id: jwt.clientId });
    expect((await userinfo(api, token)).statusCode).toBe(200);
    await browser.get(`/oidc/v1/end_session?id_token_hint=${parameters.get('id_token') ?? ''}`);
    expect((await userinfo(api, token)).statusCode).toBe(401);
  });

  it('is the same type in the other order of words', async () => {
    expect(await ask({ response_type: 'token id_token' })).toHaveProperty('access_token');
  });
});

describe('id_token', () => {
  it('gives no access token; everything else that protocol §8.2 names', async () => {
    const answer = await ask({ response_type: 'id_token', ...ALL_SCOPES });
    expect(answer).toEqual({
      token_type: 'Bearer',
      expires_in: String(12 * 3600),
      id_token: expect.any(String) as string,
      scope: 'openid profile email phone address',
      state: 'Marker-state',
      iss: 'https://id.test',
    });
  });

  it('carries the claims of all scopes, since there is no other way to them', async () => {
    const { id_token: idToken } = await ask({ response_type: 'id_token', ...ALL_SCOPES });
    const payload = await verified(idToken);
    expect(payload).toMatchObject({
      sub: user.userId,
      nonce: 'Marker-nonce',
      name: 'Ada Lovelace',
      email: `${user.userName}@mail.test`,
      email_verified: true,
      phone_number: '+41791234567',
    });
    expect(payload).not.toHaveProperty('at_hash');
    const few = await verified((await ask({ response_type: 'id_token', scope: 'openid email' }))['id_token']);
    expect(few).toHaveProperty('email');
    expect(few).not.toHaveProperty('name');
  });
});

describe('what only a code has a use for', () => {
  it('offline_access is not granted', async () => {
    expect(await ask({ scope: 'openid offline_access' })).toMatchObject({ scope: 'openid' });
    const code = answerOf(
      await signedIn.get(authorizeUrl(codeRequest(client, { scope: 'openid offline_access' }))),
    ).parameters.get('code');
    const tokens = (await requestToken(api, redemption(code ?? ''), basic(client))).json<TokenAnswer>();
    expect(tokens.scope).toBe('openid offline_access');
  });

  it('PKCE is neither demanded of a public client nor judged', async () => {
    const spa = await anApplication(world, { ...IMPLICIT, authMethod: 'none', appType: 'user_agent' });
    expect(await ask({}, spa)).toHaveProperty('id_token');
    expect(await ask({ code_challenge: 'x', code_challenge_method: 'plain' }, spa)).toHaveProperty(
      'id_token',
    );
  });

  it('no code is written, and the grant names its session', async () => {
    const { id_token: idToken } = await ask({ nonce: 'of this one' });
    const { rows } = await api.sql.query(
      `SELECT g.session_id IS NOT NULL AS session, (SELECT count(*)::int FROM codes c WHERE c.authorization_id = g.id) AS codes
       FROM authorizations g WHERE g.nonce = 'of this one'`,
    );
    expect(idToken).toBeDefined();
    expect(rows).toEqual([{ session: true, codes: 0 }]);
  });
});

describe('an ID token of an application that hears of sign-outs', () => {
  it('names the session in every flow, and no other application’s does', async () => {
    const listening = await anApplication(world, {
      ...IMPLICIT,
      backChannelLogoutUri: 'https://rp.test/out',
    });
    const { rows } = await api.sql.query<{ id: string }>(
      `SELECT session_id AS id FROM authorizations WHERE application_id = $1 ORDER BY created_at LIMIT 1`,
      [client.id],
    );
    for (const type of ['id_token', 'id_token token']) {
      const { id_token: idToken } = await ask({ response_type: type }, listening);
      expect((await verified(idToken, listening))['sid']).toBe(rows[0]?.id);
    }
    const code = answerOf(await signedIn.get(authorizeUrl(codeRequest(listening)))).parameters.get('code');
    const tokens = (await requestToken(api, redemption(code ?? ''), basic(listening))).json<TokenAnswer>();
    expect(decodeJwt(tokens.id_token)['sid']).toBe(rows[0]?.id);
  });
});

describe('a sign-in', () => {
  it('is answered in the fragment by a 303, and the browser has a new secret (S037, S039)', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(implicitRequest(client));
    const before = browser.userAgentSecret;
    const response = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
    });
    expect(response.statusCode).toBe(303);
    const { by, parameters } = answerOf(response);
    expect(by).toBe('fragment');
    expect((await userinfo(api, parameters.get('access_token') ?? '')).statusCode).toBe(200);
    expect(browser.userAgentSecret).not.toBe(before);
  });

  it('brings state and nonce back as they came', async () => {
    const odd = `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~ \u202e漢字\r\n`.repeat(2);
    const { state, id_token: idToken } = await ask({ state: odd, nonce: odd });
    expect(state).toBe(odd);
    expect((await verified(idToken))['nonce']).toBe(odd);
  });

  // the session is committed by then: the browser must learn its new secret, whatever else fails
  it('that cannot be signed for is a server_error of the application, not a lost session', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(implicitRequest(client, { response_type: 'id_token' }));
    await api.sql.query(`ALTER TABLE service_users RENAME TO service_users_gone`);
    const form = { ...fields, loginName: user.loginName, password: PASSWORD };
    const response = await browser.post('/login', form);
    await api.sql.query(`ALTER TABLE service_users_gone RENAME TO service_users`);
    expectAnsweredError(response, 'server_error', { by: 'fragment' });
    const again = await browser.get(authorizeUrl(implicitRequest(client, { prompt: 'none' })));
    expect(answerOf(again).parameters.has('id_token')).toBe(true);
  });
});

describe('an application without the implicit flow (S026)', () => {
  it.each<[string, Parameters<typeof anApplication>[1]]>([
    ['neither type nor grant', {}],
    ['the type but not the grant', { responseTypes: [...IMPLICIT.responseTypes] }],
    ['the grant but not the type', { grantTypes: [...IMPLICIT.grantTypes] }],
    ['only the other type', { ...IMPLICIT, responseTypes: ['code', 'id_token'] }],
  ])('is refused: %s', async (_name, settings) => {
    const refused = await anApplication(world, settings);
    const response = await signedIn.get(authorizeUrl(implicitRequest(refused)));
    expectAnsweredError(response, 'unauthorized_client', { by: 'fragment' });
  });

  it('gets no token by a response type that is swapped while the user signs in', async () => {
    const web = await anApplication(world);
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(web)));
    const swapped = { response_type: 'id_token token', response_mode: 'fragment', nonce: 'n' };
    const query = new URLSearchParams(swapped).toString();
    const page = await browser.get(`${begun.headers.location ?? ''}&${query}`);
    const fields = { ...hiddenFields(page.body), ...swapped };
    const form = { ...fields, loginName: user.loginName, password: PASSWORD };
    const { by, parameters } = answerOf(await browser.post(`/login?${query}`, form));
    expect(by).toBe('query');
    expect([...parameters.keys()]).toEqual(['code', 'state', 'iss']);
  });

  it('keeps code from an application that only has the implicit flow', async () => {
    const implicit = await anApplication(world, {
      responseTypes: ['code', 'id_token'],
      grantTypes: ['implicit'],
    });
    const response = await signedIn.get(authorizeUrl(codeRequest(implicit)));
    expectAnsweredError(response, 'unauthorized_client', { by: 'query' });
  });
});

describe('two hundred requests of one session at once (S043)', () => {
  it('are all answered with tokens and leave no code', async () => {
    const crowded = await anApplication(world, IMPLICIT);
    const url = authorizeUrl(implicitRequest(crowded));
    const answers = await Promise.all(Array.from({ length: 200 }, () => signedIn.get(url)));
    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([302]));
    const tokens = answers.map((answer) => answerOf(answer).parameters.get('access_token') ?? '');
    expect(new Set(tokens).size).toBe(200);
    expect((await userinfo(api, tokens[0] ?? '')).statusCode).toBe(200);
    const { rows } = await api.sql.query<{ live: number }>(
      `SELECT count(*)::int AS live FROM codes c JOIN authorizations g ON g.id = c.authorization_id WHERE g.application_id = $1`,
      [crowded.id],
    );
    expect(rows[0]?.live).toBe(0);
  });
});

it('keeps tokens out of the query and out of our own addresses', async () => {
  const response = await signedIn.get(authorizeUrl(implicitRequest(client)));
  const location = new URL(response.headers.location ?? '');
  expect(location.search).toBe('');
  expect(`${location.origin}${location.pathname}`).toBe(REDIRECT_URI);
});
