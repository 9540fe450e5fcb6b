import { createHash, sign } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { startTestApi, useReplica, type TestApi } from '../../support/api.js';
import {
  anApplication,
  anOwnApplication,
  aPublicApplication,
  type TestClient,
} from '../../support/applications.js';
import { makeSigner } from '../../support/assertions.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  IMPLICIT,
  implicitRequest,
  pkce,
  redemption,
  redirected,
  refreshRequest,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aProofKey, boundBy, proofOf, type ProofChanges, type ProofKey } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { API_SCOPE, aRobot, aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError, expectRedirectedError } from './support/answers.js';
import { EXCHANGE, EXCHANGING, give, subject, TYPES } from './support/exchanges.js';

const TOKEN = '/oauth/v2/token';
const USERINFO = '/oidc/v1/userinfo';
const ME = '/auth/v1/users/me';

const { api, world } = useWorld();
const replica = useReplica(api);
const key = given(() => aProofKey());
const thief = given(() => aProofKey());
const user = given(() => aUser(world));
const client = given(() => anApplication(world, { grantTypes: EXCHANGING }));
const spa = given(() => aPublicApplication(world));

/** A code of a browser that has just signed in. */
async function aCode(of: TestClient, changes: Record<string, string> = {}): Promise<string> {
  const answered = await new TestBrowser(api).signIn(codeRequest(of, changes), user);
  const code = redirected(answered).get('code');
  if (code === null) throw new Error(`no code: ${answered.headers.location ?? answered.body.slice(0, 300)}`);
  return code;
}

async function requestBound(
  form: Record<string, string>,
  by: ProofKey | undefined,
  headers: Record<string, string> = {},
  at: TestApi = api,
): Promise<LightMyRequestResponse> {
  const dpop = by === undefined ? {} : { dpop: await proofOf(by, 'POST', TOKEN) };
  return await requestToken(at, form, { ...headers, ...dpop });
}

/** Tokens of a confidential client, bound to the key. */
async function boundTokens(
  of: TestClient = client,
  changes: Record<string, string> = {},
): Promise<TokenAnswer> {
  const response = await requestBound(redemption(await aCode(of, changes)), key, basic(of));
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json();
}

/** The same of a public one. */
async function publicTokens(): Promise<TokenAnswer> {
  const { verifier, challenge } = pkce();
  const code = await aCode(spa, challenge);
  const form = { ...redemption(code, { code_verifier: verifier }), client_id: spa.clientId };
  const response = await requestBound(form, key);
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json();
}

async function ask(
  headers: Record<string, string>,
  path = USERINFO,
  at: TestApi = api,
): Promise<LightMyRequestResponse> {
  return await at.app.inject({ url: path, headers });
}

function refresh(token: string, of?: TestClient): Record<string, string> {
  return refreshRequest(token, of && { client_id: of.clientId });
}

describe('tokens that are asked for with a proof', () => {
  it.each(['opaque', 'jwt'] as const)('are bound to its key: %s', async (accessTokenType) => {
    const app = await anApplication(world, { accessTokenType });
    const tokens = await boundTokens(app);
    expect(tokens.token_type).toBe('DPoP');
    if (accessTokenType === 'jwt') {
      expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf: { jkt: key.jkt } });
    }
    const seen = await postForm(api, '/oauth/v2/introspect', { token: tokens.access_token }, basic(app));
    expect(seen.json()).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: key.jkt } });
    const answered = await ask(await boundBy(key, tokens.access_token, 'GET', USERINFO));
    expect(answered.statusCode).toBe(200);
    expect(answered.json()).toMatchObject({ sub: user.userId });
  });

  it.each(['ES256', 'RS256', 'PS256', 'EdDSA'])('may be bound to a key of %s', async (alg) => {
    const other = await aProofKey(alg);
    const response = await requestBound(redemption(await aCode(client)), other, basic(client));
    expect(response.json()).toMatchObject({ token_type: 'DPoP' });
  });

  it('are bound for service users, by an exchange and at a refresh as well', async () => {
    const robot = await aRobot(world);
    const own = { grant_type: 'client_credentials', client_id: robot.userName, client_secret: robot.secret };
    expect((await requestBound(own, key)).json()).toMatchObject({ token_type: 'DPoP' });
    const tokens = await boundTokens();
    const exchange = { grant_type: EXCHANGE, ...subject(tokens.access_token) };
    expect((await requestBound(exchange, key, basic(client))).json()).toMatchObject({ token_type: 'DPoP' });
    const refreshed = await requestBound(refresh(tokens.refresh_token), key, basic(client));
    expect(refreshed.json()).toMatchObject({ token_type: 'DPoP' });
  });

  it('are bearer tokens without one, as they always were', async () => {
    const response = await requestToken(api, redemption(await aCode(client)), basic(client));
    const tokens = response.json<TokenAnswer>();
    expect(tokens.token_type).toBe('Bearer');
    expect(response.headers['dpop-nonce']).toBeUndefined();
    const seen = await postForm(api, '/oauth/v2/introspect', { token: tokens.access_token }, basic(client));
    expect(seen.json()).toMatchObject({ token_type: 'Bearer' });
    expect(seen.json()).not.toHaveProperty('cnf');
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
  });
});

describe('a proof that does not hold', () => {
  const now = (): number => Math.floor(Date.now() / 1000);

  it.each<[string, () => ProofChanges]>([
    ['of another type', () => ({ header: { typ: 'JWT' } })],
    ['without a type', () => ({ header: { typ: undefined } })],
    ['without a key', () => ({ header: { jwk: undefined } })],
    ['with the private key', () => ({ header: { jwk: key.privateKey.export({ format: 'jwk' }) } })],
    ['with a symmetric key', () => ({ header: { jwk: { kty: 'oct', k: 'c2VjcmV0' } } })],
    ['with another key than it is signed with', () => ({ header: { jwk: thief.publicJwk } })],
    ['for another method', () => ({ claims: { htm: 'GET' } })],
    ['for a method in small letters', () => ({ claims: { htm: 'post' } })],
    ['without a method', () => ({ claims: { htm: undefined } })],
    ['for another path', () => ({ claims: { htu: 'https://id.test/oauth/v2/introspect' } })],
    ['for a path with an escape too many', () => ({ claims: { htu: 'https://id.test/oauth%2fv2/token' } })],
    ['for another host', () => ({ claims: { htu: `https://evil.test${TOKEN}` } })],
    ['for the same host without TLS', () => ({ claims: { htu: `http://id.test${TOKEN}` } })],
    ['for no address', () => ({ claims: { htu: undefined } })],
    ['for what is no address', () => ({ claims: { htu: 'token' } })],
    ['without a time', () => ({ claims: { iat: undefined } })],
    ['too old', () => ({ claims: { iat: now() - 62 } })],
    ['from the future', () => ({ claims: { iat: now() + 130 } })],
    ['with a time that is text', () => ({ claims: { iat: String(now()) } })],
    ['over already', () => ({ claims: { exp: now() - 62 } })],
    ['without a jti', () => ({ claims: { jti: undefined } })],
    ['with an empty jti', () => ({ claims: { jti: '' } })],
    ['with an endless jti', () => ({ claims: { jti: 'x'.repeat(513) } })],
  ])('is refused: %s (S252)', async (_name, changes) => {
    const code = await aCode(client);
    const dpop = await proofOf(key, 'POST', TOKEN, changes());
    const response = await requestToken(api, redemption(code), { ...basic(client), dpop });
    expectOAuthError(response, 400, 'invalid_dpop_proof');
    // and has cost nobody the code
    expect((await requestBound(redemption(code), key, basic(client))).statusCode).toBe(200);
  });

  it('is refused: unsigned, by a secret, malformed, or several (S252)', async () => {
    const good = await proofOf(key, 'POST', TOKEN);
    const [, payload = ''] = good.split('.');
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
    const { publicJwk: jwk } = key;
    const all = [
      `${part({ typ: 'dpop+jwt', alg: 'none', jwk })}.${payload}.`,
      `${part({ typ: 'dpop+jwt', alg: 'HS256', jwk })}.${payload}.${Buffer.alloc(32).toString('base64url')}`,
      `${good.slice(0, -8)}AAAAAAAA`,
      'x',
      '',
      `${good}, ${good}`,
      `${part({ typ: 'dpop+jwt', alg: 'ES256', jwk, pad: 'x'.repeat(9000) })}.${payload}.x`,
    ];
    for (const dpop of all) {
      const response = await requestToken(api, redemption('x'), { ...basic(client), dpop });
      expectOAuthError(response, 400, 'invalid_dpop_proof');
    }
  });

  it('is refused: by a key that is too short (S252)', async () => {
    // no good library would sign with it
    const { publicJwk: jwk, privateKey } = makeSigner('RS256', 1024);
    const [, payload = ''] = (await proofOf(key, 'POST', TOKEN)).split('.');
    const head = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'RS256', jwk })).toString('base64url');
    const signature = sign('sha256', Buffer.from(`${head}.${payload}`), privateKey).toString('base64url');
    const dpop = `${head}.${payload}.${signature}`;
    const response = await requestToken(api, redemption('x'), { ...basic(client), dpop });
    expectOAuthError(response, 400, 'invalid_dpop_proof');
  });

  it('is held against the address of the service, whatever headers say (S252)', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' };
    const dpop = await proofOf(key, 'POST', `https://evil.test${TOKEN}`);
    const refused = await requestToken(api, redemption('x'), { ...basic(client), ...headers, dpop });
    expectOAuthError(refused, 400, 'invalid_dpop_proof');
    const response = await requestBound(redemption(await aCode(client)), key, {
      ...basic(client),
      ...headers,
    });
    expect(response.statusCode).toBe(200);
  });

  it('may spell the address in its own way, and come from a clock that is a little wrong', async () => {
    for (const claims of [
      { htu: `HTTPS://ID.TEST:443${TOKEN}?x=1#y` },
      { htu: 'https://id.test/%6fauth/./v2/%74oken' },
      { iat: now() - 30 },
      { iat: now() + 50 },
      { nbf: now() - 5, exp: now() + 60 },
    ]) {
      const dpop = await proofOf(key, 'POST', TOKEN, { claims });
      const response = await requestToken(api, redemption(await aCode(client)), { ...basic(client), dpop });
      expect(response.statusCode).toBe(200);
    }
  });
});

describe('a proof that comes again', () => {
  it('is refused on every replica, also where all else is in order (S253)', async () => {
    const robot = await aRobot(world);
    const form = { grant_type: 'client_credentials', client_id: robot.userName, client_secret: robot.secret };
    const dpop = await proofOf(key, 'POST', TOKEN);
    expect((await requestToken(api, form, { dpop })).statusCode).toBe(200);
    for (const at of [api, replica]) {
      expectOAuthError(await requestToken(at, form, { dpop }), 400, 'invalid_dpop_proof');
    }
  });

  it('is good for one of many at once (S253)', async () => {
    const { access_token: token } = await boundTokens();
    const headers = await boundBy(key, token, 'GET', USERINFO);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => ask(headers, USERINFO, nth % 2 === 0 ? api : replica)),
    );
    expect(all.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    for (const one of all.filter(({ statusCode }) => statusCode !== 200)) {
      expect(one.statusCode).toBe(401);
      expect(one.headers['www-authenticate']).toContain('DPoP error="invalid_dpop_proof"');
    }
  });

  it('is not remembered for whoever shows nothing that is good (S253)', async () => {
    const count = async (): Promise<number> =>
      (await api.sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM used_proofs`)).rows[0]?.n ?? 0;
    const before = await count();
    await requestBound(redemption('x'), key, basic(client));
    await requestBound({ ...redemption('x'), client_id: spa.clientId }, key);
    await ask(await boundBy(key, 'at_nothing', 'GET', USERINFO));
    expect(await count()).toBe(before);
  });

  it('is no other for being signed by another key', async () => {
    const jti = 'the same for both';
    for (const by of [key, thief]) {
      const dpop = await proofOf(by, 'POST', TOKEN, { claims: { jti } });
      const response = await requestToken(api, redemption(await aCode(client)), { ...basic(client), dpop });
      expect(response.statusCode).toBe(200);
    }
  });
});

describe('a token that is bound to a key', () => {
  const own = given(() => anOwnApplication(world));
  const apiScope = { scope: `openid ${API_SCOPE}` };

  it.each([USERINFO, ME])('is no bearer token at %s (S254)', async (path) => {
    const { access_token: token } = await boundTokens(own, apiScope);
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${token}`, dpop: await proofOf(key, 'GET', path, { accessToken: token }) },
    ]) {
      const response = await ask(headers, path);
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toMatch(
        /^DPoP error="invalid_token", error_description="[^"]+", algs="RS256 PS256 ES256 EdDSA Ed25519"$/,
      );
    }
    expect((await ask(await boundBy(key, token, 'GET', path), path)).statusCode).toBe(200);
  });

  it('is no bearer token in a form (S254)', async () => {
    const { access_token: token } = await boundTokens();
    const response = await postForm(api, USERINFO, { access_token: token });
    expectOAuthError(response, 401, 'invalid_token');
  });

  it('is no bearer token at the other APIs (S254)', async () => {
    const administrator = await aRobot(world);
    await give(api, { userId: administrator.userId, orgId: world.orgId }, 'IAM_OWNER', world);
    const form = {
      grant_type: 'client_credentials',
      client_id: administrator.userName,
      client_secret: administrator.secret,
      scope: `openid ${API_SCOPE}`,
    };
    const { access_token: token } = (await requestBound(form, key)).json<TokenAnswer>();
    for (const path of ['/management/v1/orgs/me', '/admin/v1/settings/security']) {
      expect((await ask({ authorization: `Bearer ${token}` }, path)).statusCode).toBe(401);
      expect((await ask(await boundBy(key, token, 'GET', path), path)).statusCode).toBe(200);
    }
  });

  it.each<[string, (token: string, path: string) => Promise<Record<string, string>>]>([
    ['without a proof', (token) => Promise.resolve({ authorization: `DPoP ${token}` })],
    ['with a proof by another key', (token, path) => boundBy(thief, token, 'GET', path)],
    [
      'with a proof that names no token',
      async (token, path) => ({ authorization: `DPoP ${token}`, dpop: await proofOf(key, 'GET', path) }),
    ],
    [
      'with a proof for another token',
      (token, path) => boundBy(key, token, 'GET', path, { accessToken: 'another' }),
    ],
    [
      'with a proof for the token endpoint',
      async (token) => ({
        authorization: `DPoP ${token}`,
        dpop: await proofOf(key, 'POST', TOKEN, { accessToken: token }),
      }),
    ],
    ['with a proof for another method', (token, path) => boundBy(key, token, 'POST', path)],
    ['with a proof for another resource', (token) => boundBy(key, token, 'GET', '/oidc/v1/other')],
  ])('is refused %s (S254)', async (_name, headersOf) => {
    const { access_token: token } = await boundTokens(own, apiScope);
    for (const path of [USERINFO, ME]) {
      const response = await ask(await headersOf(token, path), path);
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toMatch(/^DPoP error="invalid_(token|dpop_proof)"/);
    }
  });

  it('needs a new proof to repeat a call that was refused (RFC 9449 §11.1)', async () => {
    const { access_token: token } = await boundTokens(own, apiScope);
    const path = '/management/v1/orgs/me';
    const headers = await boundBy(key, token, 'GET', path);
    expect((await ask(headers, path)).statusCode).toBe(403);
    const again = await ask(headers, path);
    expect(again.statusCode).toBe(401);
    expect(again.headers['www-authenticate']).toContain('DPoP error="invalid_dpop_proof"');
    expect((await ask(await boundBy(key, token, 'GET', path), path)).statusCode).toBe(403);
  });

  it('ends like any other', async () => {
    const { access_token: token } = await boundTokens();
    await postForm(api, '/oauth/v2/revoke', { token }, basic(client));
    const response = await ask(await boundBy(key, token, 'GET', USERINFO));
    expect(response.headers['www-authenticate']).toContain('DPoP error="invalid_token"');
  });

  it('cannot be made of a bearer token by a proof', async () => {
    const bearer = (
      await requestToken(api, redemption(await aCode(client)), basic(client))
    ).json<TokenAnswer>();
    const response = await ask(await boundBy(key, bearer.access_token, 'GET', USERINFO));
    expect(response.statusCode).toBe(401);
    const service = await aServiceUser(world);
    expect((await ask(await boundBy(key, service.pat, 'GET', USERINFO))).statusCode).toBe(401);
  });

  it('is not exchanged by a public client that has not its key (S254)', async () => {
    const open = await anApplication(world, { authMethod: 'none', grantTypes: EXCHANGING });
    const { verifier, challenge } = pkce();
    const code = await aCode(open, challenge);
    const form = { ...redemption(code, { code_verifier: verifier }), client_id: open.clientId };
    const { access_token: token } = (await requestBound(form, key)).json<TokenAnswer>();
    const exchange = { grant_type: EXCHANGE, client_id: open.clientId, ...subject(token) };
    expectOAuthError(await requestBound(exchange, undefined), 400, 'invalid_request');
    expectOAuthError(await requestBound(exchange, thief), 400, 'invalid_request');
    expect((await requestBound(exchange, key)).json()).toMatchObject({ token_type: 'DPoP' });
  });
});

describe('an ID token that came with a proof', () => {
  it('is exchanged by a public client for the key alone (S254)', async () => {
    const open = await anApplication(world, { authMethod: 'none', grantTypes: EXCHANGING });
    const { verifier, challenge } = pkce();
    const code = await aCode(open, challenge);
    const form = { ...redemption(code, { code_verifier: verifier }), client_id: open.clientId };
    const { id_token: token } = (await requestBound(form, key)).json<TokenAnswer>();
    // no client has asked for it: the suite warns of such claims
    expect(decodeJwt(token)).not.toHaveProperty('cnf');
    const exchange = { grant_type: EXCHANGE, client_id: open.clientId, ...subject(token, TYPES.id) };
    for (const by of [undefined, thief]) {
      expectOAuthError(await requestBound(exchange, by), 400, 'invalid_request');
    }
    expect((await requestBound(exchange, key)).json()).toMatchObject({ token_type: 'DPoP' });
  });
});

describe('refresh tokens', () => {
  it('of a public client are bound to the key that they came with (S255)', async () => {
    const { refresh_token: token } = await publicTokens();
    expectOAuthError(await requestBound(refresh(token, spa), undefined), 400, 'invalid_grant');
    expectOAuthError(await requestBound(refresh(token, spa), thief), 400, 'invalid_grant');
    const refreshed = await requestBound(refresh(token, spa), key);
    expect(refreshed.json()).toMatchObject({ token_type: 'DPoP' });
    const { refresh_token: next } = refreshed.json<TokenAnswer>();
    // neither the used one nor its successor, within the grace of a retry as well
    for (const one of [token, next]) {
      expectOAuthError(await requestBound(refresh(one, spa), thief), 400, 'invalid_grant');
      expectOAuthError(await requestBound(refresh(one, spa), undefined), 400, 'invalid_grant');
    }
    expect((await requestBound(refresh(next, spa), key, {}, replica)).statusCode).toBe(200);
  });

  it('of a public client that came with no proof go without one', async () => {
    const { verifier, challenge } = pkce();
    const form = redemption(await aCode(spa, challenge), { code_verifier: verifier });
    const tokens = (await requestToken(api, { ...form, client_id: spa.clientId })).json<TokenAnswer>();
    const refreshed = await requestBound(refresh(tokens.refresh_token, spa), undefined);
    expect(refreshed.json()).toMatchObject({ token_type: 'Bearer' });
  });

  it('of a public client are bound to the first key that they are refreshed with (S255)', async () => {
    const { verifier, challenge } = pkce();
    const form = redemption(await aCode(spa, challenge), { code_verifier: verifier });
    const tokens = (await requestToken(api, { ...form, client_id: spa.clientId })).json<TokenAnswer>();
    const refreshed = await requestBound(refresh(tokens.refresh_token, spa), key);
    expect(refreshed.json()).toMatchObject({ token_type: 'DPoP' });
    const { refresh_token: next } = refreshed.json<TokenAnswer>();
    for (const by of [thief, undefined]) {
      expectOAuthError(await requestBound(refresh(next, spa), by), 400, 'invalid_grant');
    }
    expect((await requestBound(refresh(next, spa), key)).statusCode).toBe(200);
  });

  it('outlive a proof that a client sends a second time (RFC 9449 §11.1)', async () => {
    const { refresh_token: token } = await boundTokens();
    const dpop = await proofOf(key, 'POST', TOKEN);
    const headers = { ...basic(client), dpop };
    const { refresh_token: next } = (await requestToken(api, refresh(token), headers)).json<TokenAnswer>();
    const again = await requestToken(api, refresh(next), headers);
    expectOAuthError(again, 400, 'invalid_dpop_proof');
    await api.sql.query(`UPDATE refresh_tokens SET used_at = used_at - interval '1 minute'`);
    expect((await requestBound(refresh(next), key, basic(client))).statusCode).toBe(200);
  });

  it('outlive a race for one proof, as codes do', async () => {
    const grants = [await boundTokens(), await boundTokens(), await boundTokens()];
    const codes = [await aCode(client), await aCode(client), await aCode(client)];
    const forms = [
      ...grants.map(({ refresh_token: token }) => refresh(token)),
      ...codes.map((code) => redemption(code)),
    ];
    const headers = { ...basic(client), dpop: await proofOf(key, 'POST', TOKEN) };
    const answers = await Promise.all(
      forms.map((form, nth) => requestToken(nth % 2 === 0 ? api : replica, form, headers)),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    // beyond the grace of a retry
    await api.sql.query(`UPDATE refresh_tokens SET used_at = used_at - interval '1 minute'`);
    for (const [nth, form] of forms.entries()) {
      if (answers[nth]?.statusCode === 200) continue;
      expectOAuthError(answers[nth] as LightMyRequestResponse, 400, 'invalid_dpop_proof');
      expect((await requestBound(form, key, basic(client))).statusCode).toBe(200);
    }
  });

  it('of a client with a secret may change the key (RFC 9449 §5)', async () => {
    const { refresh_token: token } = await boundTokens();
    const other = await aProofKey();
    const refreshed = await requestBound(refresh(token), other, basic(client));
    const { access_token: next } = refreshed.json<TokenAnswer>();
    expect((await ask(await boundBy(other, next, 'GET', USERINFO))).statusCode).toBe(200);
    expect((await ask(await boundBy(key, next, 'GET', USERINFO))).statusCode).toBe(401);
  });
});

describe('a code that is bound to a key (S255)', () => {
  it.each(['authorize', 'push', 'pushed proof'])('by %s needs a proof of it', async (way) => {
    const code = await codeBoundBy(way);
    expectOAuthError(await requestBound(redemption(code), undefined, basic(client)), 400, 'invalid_grant');
    expectOAuthError(await requestBound(redemption(code), thief, basic(client)), 400, 'invalid_grant');
    expect((await requestBound(redemption(code), key, basic(client))).statusCode).toBe(200);
  });

  async function codeBoundBy(way: string): Promise<string> {
    if (way === 'authorize') return await aCode(client, { dpop_jkt: key.jkt });
    const request = codeRequest(client, way === 'push' ? { dpop_jkt: key.jkt } : {});
    const proof = way === 'push' ? {} : { dpop: await proofOf(key, 'POST', '/oauth/v2/par') };
    const pushed = await postForm(api, '/oauth/v2/par', request, { ...basic(client), ...proof });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const answered = await new TestBrowser(api).signIn({ client_id: client.clientId, request_uri }, user);
    return redirected(answered).get('code') ?? '';
  }

  it('is refused where proof and parameter name two keys, and where the parameter is none', async () => {
    const push = async (jkt: string) =>
      await postForm(api, '/oauth/v2/par', codeRequest(client, { dpop_jkt: jkt }), {
        ...basic(client),
        dpop: await proofOf(key, 'POST', '/oauth/v2/par'),
      });
    expectOAuthError(await push(thief.jkt), 400, 'invalid_dpop_proof');
    expectOAuthError(await push('nothing'), 400, 'invalid_request');
    expect((await push(key.jkt)).statusCode).toBe(201);
    const url = authorizeUrl(codeRequest(client, { dpop_jkt: 'nothing' }));
    expectRedirectedError(await api.app.inject(url), 'invalid_request');
  });
});

describe('an application whose tokens are all bound', () => {
  const strict = given(() =>
    anApplication(world, {
      ...IMPLICIT,
      dpopBoundAccessTokens: true,
      responseTypes: ['code', 'id_token', 'id_token token'],
    }),
  );

  it('gets none without a proof', async () => {
    const code = await aCode(strict);
    expectOAuthError(
      await requestBound(redemption(code), undefined, basic(strict)),
      400,
      'invalid_dpop_proof',
    );
    const tokens = (await requestBound(redemption(code), key, basic(strict))).json<TokenAnswer>();
    expect(tokens.token_type).toBe('DPoP');
    const refused = await requestBound(refresh(tokens.refresh_token), undefined, basic(strict));
    expectOAuthError(refused, 400, 'invalid_dpop_proof');
  });

  it('gets none by way of the browser where that was asked for before', async () => {
    const late = await anApplication(world, {
      ...IMPLICIT,
      responseTypes: ['code', 'id_token', 'id_token token'],
    });
    const pushed = await postForm(api, '/oauth/v2/par', implicitRequest(late), basic(late));
    const { request_uri } = pushed.json<{ request_uri: string }>();
    await api.sql.query(`UPDATE applications SET dpop_bound_access_tokens = true WHERE id = $1`, [late.id]);
    const url = authorizeUrl({ client_id: late.clientId, request_uri });
    const answered = await new TestBrowser(api).get(url);
    expect(answered.statusCode).toBe(400);
    expect(answered.body).not.toContain('access_token');
  });

  it('gets none by way of the browser', async () => {
    const url = authorizeUrl(implicitRequest(strict));
    const response = await api.app.inject(url);
    expect(response.headers.location).toContain('#error=unauthorized_client');
  });
});

describe('nonces', () => {
  const strict = useReplica(api, { DPOP_NONCE: 'required' });
  const other = useReplica(api, { DPOP_NONCE: 'required' });

  async function nonceOf(at: TestApi = strict): Promise<string> {
    const response = await requestBound(redemption('x'), key, basic(client), at);
    expectOAuthError(response, 400, 'use_dpop_nonce');
    return String(response.headers['dpop-nonce']);
  }

  it('are asked for, and good on every replica for a while', async () => {
    const nonce = await nonceOf(other);
    const dpop = await proofOf(key, 'POST', TOKEN, { claims: { nonce } });
    const response = await requestToken(strict, redemption(await aCode(client)), { ...basic(client), dpop });
    expect(response.statusCode).toBe(200);
    expect(response.headers['dpop-nonce']).toBe(nonce);
    const { access_token: token } = response.json<TokenAnswer>();
    const asked = await ask(await boundBy(key, token, 'GET', USERINFO), USERINFO, strict);
    expect(asked.statusCode).toBe(401);
    expect(asked.headers['www-authenticate']).toContain('DPoP error="use_dpop_nonce"');
    const again = { claims: { nonce: String(asked.headers['dpop-nonce']) } };
    expect((await ask(await boundBy(key, token, 'GET', USERINFO, again), USERINFO, strict)).statusCode).toBe(
      200,
    );
  });

  it.each<[string, (nonce: string) => string]>([
    ['made up', () => 'nothing'],
    ['changed', (nonce) => `${nonce.slice(0, -1)}${nonce.endsWith('A') ? 'B' : 'A'}`],
    ['of a key that is not there', (nonce) => `AAAAAA${nonce.slice(6)}`],
  ])('are refused when they are %s', async (_name, change) => {
    const dpop = await proofOf(key, 'POST', TOKEN, { claims: { nonce: change(await nonceOf()) } });
    const response = await requestToken(strict, redemption('x'), { ...basic(client), dpop });
    expectOAuthError(response, 400, 'use_dpop_nonce');
  });

  it('end', async () => {
    const late = await startTestApi({ DPOP_NONCE: 'required' }, api);
    try {
      const nonce = await nonceOf(late);
      await late.advance(601);
      const claims = { nonce, iat: Math.floor(Date.now() / 1000) + 601 };
      const dpop = await proofOf(key, 'POST', TOKEN, { claims });
      const response = await requestToken(late, redemption('x'), { ...basic(client), dpop });
      expectOAuthError(response, 400, 'use_dpop_nonce');
    } finally {
      await late.advance(-601);
      await late.close();
    }
  });

  it('are nobody’s business who sends no proof', async () => {
    const response = await requestToken(strict, redemption(await aCode(client)), basic(client));
    expect(response.json()).toMatchObject({ token_type: 'Bearer' });
    expect(response.headers['dpop-nonce']).toBeUndefined();
  });
});

describe('scripts', () => {
  it('may send a proof, and read the nonce, where they may call', async () => {
    const preflight = async (asked: string) =>
      await api.app.inject({
        method: 'OPTIONS',
        url: TOKEN,
        headers: { origin: 'https://rp.test', 'access-control-request-headers': asked },
      });
    expect((await preflight('content-type,dpop')).headers['access-control-allow-headers']).toContain('DPoP');
    expect((await preflight('content-type')).headers['access-control-allow-headers']).not.toContain('DPoP');
    const response = await requestBound(redemption('x'), key, { origin: 'https://rp.test' });
    expect(response.headers['access-control-expose-headers']).toContain('DPoP-Nonce');
  });
});

it('takes the thumbprint of RFC 7638', async () => {
  const { kty, crv, x, y } = key.publicJwk;
  const canonical = JSON.stringify({ crv, kty, x, y });
  expect(key.jkt).toBe(createHash('sha256').update(canonical).digest('base64url'));
  await expect(Promise.resolve(key.jkt)).resolves.toHaveLength(43);
});
