import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { aReplica } from '../../support/api.js';
import { anApplication, aPublicApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  pkce,
  redemption,
  redirected,
  refreshRequest,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

const refresh = (token: string, changes: Record<string, string> = {}, by = client) =>
  refreshTokens(api, by, { refresh_token: token }, changes);

async function refreshed(token: string, changes: Record<string, string> = {}): Promise<TokenAnswer> {
  const response = await refresh(token, changes);
  expect(response.statusCode).toBe(200);
  return response.json();
}

async function expectDead(tokens: TokenAnswer): Promise<void> {
  expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
  expectOAuthError(await refresh(tokens.refresh_token), 400, 'invalid_grant');
}

describe('a refresh', () => {
  it('gives new tokens of the same sign-in', async () => {
    const first = await obtainTokens(api, client, user);
    await api.advance(2);
    const response = await refresh(first.refresh_token);
    expect(response.headers['cache-control']).toBe('no-store');
    const second = response.json<TokenAnswer>();
    expect(second).toEqual({
      access_token: expect.stringMatching(/^at_/) as string,
      token_type: 'Bearer',
      expires_in: 43_200,
      scope: 'openid profile email offline_access',
      id_token: expect.any(String) as string,
      refresh_token: expect.stringMatching(/^rt_[A-Za-z0-9_-]{43}$/) as string,
    });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const [old, fresh] = [decodeJwt(first.id_token), decodeJwt(second.id_token)];
    for (const claim of ['iss', 'sub', 'aud', 'azp', 'auth_time', 'amr'])
      expect(fresh[claim]).toEqual(old[claim]);
    expect(fresh.iat).toBeGreaterThan(old.iat ?? 0);
    // OpenID Connect Core §12.2: a nonce belongs to the authorization request
    expect(fresh).not.toHaveProperty('nonce');
    expect((await userinfo(api, second.access_token)).statusCode).toBe(200);
    // what was issued before lives until it expires
    expect((await userinfo(api, first.access_token)).statusCode).toBe(200);
  });

  it('works again and again', async () => {
    let tokens = await obtainTokens(api, client, user);
    for (let n = 0; n < 5; n += 1) tokens = await refreshed(tokens.refresh_token);
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
  });

  it('stores no refresh token as it is', async () => {
    const { refresh_token: token } = await refreshed((await obtainTokens(api, client, user)).refresh_token);
    const { rows } = await api.sql.query(
      `SELECT 1 FROM refresh_tokens t WHERE t.*::text LIKE '%' || $1 || '%'`,
      [token.slice(3)],
    );
    expect(rows).toEqual([]);
  });
});

describe('the scope of a refresh (S090)', () => {
  it('may be narrower, never wider, and the first one stays', async () => {
    const first = await obtainTokens(api, client, user, { scope: 'openid profile offline_access' });
    const narrow = await refreshed(first.refresh_token, { scope: 'openid' });
    expect(narrow.scope).toBe('openid');
    expect((await userinfo(api, narrow.access_token)).json()).toEqual({ sub: user.userId });
    for (const scope of ['openid email', 'openid profile offline_access phone', 'evil', 'OPENID']) {
      expectOAuthError(await refresh(narrow.refresh_token, { scope }), 400, 'invalid_scope');
    }
    const again = await refreshed(narrow.refresh_token, { scope: 'openid profile offline_access' });
    expect((await userinfo(api, again.access_token)).json()).toHaveProperty('name');
    expect((await refreshed(again.refresh_token)).scope).toBe('openid profile offline_access');
  });

  it('without openid gives no ID token', async () => {
    const first = await obtainTokens(api, client, user);
    expect(await refreshed(first.refresh_token, { scope: 'profile' })).not.toHaveProperty('id_token');
  });

  it.each(['  ', 'openid\u0000', 'openid "', 'öpenid', `openid ${'x'.repeat(10_000)}`])(
    'malformed: %j',
    async (scope) => {
      const { refresh_token: token } = await obtainTokens(api, client, user);
      expectOAuthError(await refresh(token, { scope }), 400, 'invalid_scope');
      expect((await refresh(token)).statusCode).toBe(200);
    },
  );
});

describe('a refresh token of somebody else (S089)', () => {
  it('is refused and not used up', async () => {
    const other = await anApplication(world);
    const spa = await aPublicApplication(world);
    const { refresh_token: token } = await obtainTokens(api, client, user);
    expectOAuthError(await refresh(token, {}, other), 400, 'invalid_grant');
    const form = refreshRequest(token);
    expectOAuthError(await requestToken(api, { ...form, client_id: spa.clientId }), 400, 'invalid_grant');
    expectOAuthError(await requestToken(api, form), 401, 'invalid_client');
    expectOAuthError(await requestToken(api, { ...form, client_id: client.clientId }), 401, 'invalid_client');
    expect((await refresh(token)).statusCode).toBe(200);
  });

  it('replayed by another client does not end the grant', async () => {
    const other = await anApplication(world);
    const first = await obtainTokens(api, client, user);
    const second = await refreshed(first.refresh_token);
    await api.advance(60);
    expectOAuthError(await refresh(first.refresh_token, {}, other), 400, 'invalid_grant');
    expect((await refresh(second.refresh_token)).statusCode).toBe(200);
  });

  it('of a public client needs the client_id', async () => {
    const spa = await aPublicApplication(world);
    const { verifier, challenge } = pkce();
    const answered = await new TestBrowser(api).signIn(codeRequest(spa, challenge), user);
    const form = redemption(redirected(answered).get('code') ?? '', {
      client_id: spa.clientId,
      code_verifier: verifier,
    });
    const { refresh_token: token } = (await requestToken(api, form)).json<TokenAnswer>();
    const again = refreshRequest(token);
    expectOAuthError(await requestToken(api, again), 401, 'invalid_client');
    expect((await requestToken(api, { ...again, client_id: spa.clientId })).statusCode).toBe(200);
  });
});

describe('what is no refresh token (S093)', () => {
  it('is refused: cut short by 1 to 20, respelled, longer, another kind', async () => {
    const tokens = await obtainTokens(api, client, user);
    const token = tokens.refresh_token;
    const last = token.charCodeAt(token.length - 1);
    const spellings = [
      ...Array.from({ length: 20 }, (_, n) => token.slice(0, -1 - n)),
      `${token}=`,
      `${token}A`,
      `${token} `,
      `${token}\u0000`,
      token.toUpperCase(),
      token.slice(3),
      `rt_${token}`,
      // the two low bits of the last character carry nothing: another spelling of the same bytes
      token.slice(0, -1) + String.fromCharCode(last === 122 ? last - 1 : last + 1),
      `${token.slice(0, 10)}${token.charAt(10) === 'A' ? 'B' : 'A'}${token.slice(11)}`,
      tokens.access_token,
      tokens.id_token,
      '%',
      'x'.repeat(20_000),
    ];
    for (const spelling of spellings) expectOAuthError(await refresh(spelling), 400, 'invalid_grant');
    expect((await refresh(token)).statusCode).toBe(200);
    expect((await userinfo(api, token)).statusCode).toBe(401);
  });
});

describe('a retry within the grace window (S088)', () => {
  it('gets the same successor, and the family goes on from there', async () => {
    const first = await obtainTokens(api, client, user);
    const [lost, retried] = [await refreshed(first.refresh_token), await refreshed(first.refresh_token)];
    expect(retried.refresh_token).toBe(lost.refresh_token);
    expect(retried.access_token).not.toBe(lost.access_token);
    const next = await refreshed(retried.refresh_token);
    expect((await userinfo(api, next.access_token)).statusCode).toBe(200);
  });

  it('is held to the same scopes', async () => {
    const first = await obtainTokens(api, client, user, { scope: 'openid offline_access' });
    await refreshed(first.refresh_token);
    expectOAuthError(await refresh(first.refresh_token, { scope: 'openid email' }), 400, 'invalid_scope');
    expect((await refreshed(first.refresh_token, { scope: 'openid' })).scope).toBe('openid');
  });

  it('is of no use once the user is shut out', async () => {
    const somebody = await aUser(world);
    const first = await obtainTokens(api, client, somebody);
    await refreshed(first.refresh_token);
    await api.sql.query(`UPDATE users SET token_epoch = token_epoch + 1 WHERE id = $1`, [somebody.userId]);
    expectOAuthError(await refresh(first.refresh_token), 400, 'invalid_grant');
  });
});

describe('a replay ends the family (S087)', () => {
  it('after the grace window', async () => {
    const first = await obtainTokens(api, client, user);
    const second = await refreshed(first.refresh_token);
    const third = await refreshed(second.refresh_token);
    await api.advance(11);
    expectOAuthError(await refresh(first.refresh_token), 400, 'invalid_grant');
    await expectDead(third);
    await expectDead(first);
  });

  it('after the window also when nothing was done with the successor', async () => {
    const first = await obtainTokens(api, client, user);
    const second = await refreshed(first.refresh_token);
    await api.advance(11);
    expectOAuthError(await refresh(first.refresh_token), 400, 'invalid_grant');
    await expectDead(second);
  });

  it('inside the window once the successor was used', async () => {
    const first = await obtainTokens(api, client, user);
    const second = await refreshed(first.refresh_token);
    const third = await refreshed(second.refresh_token);
    expectOAuthError(await refresh(first.refresh_token), 400, 'invalid_grant');
    await expectDead(third);
  });

  it('also for a replica that starts later (S091)', async () => {
    const first = await obtainTokens(api, client, user);
    const second = await refreshed((await refreshed(first.refresh_token)).refresh_token);
    expectOAuthError(await refresh(first.refresh_token), 400, 'invalid_grant');
    const later = await aReplica(api);
    expectOAuthError(await refreshTokens(later, client, second), 400, 'invalid_grant');
    expect((await userinfo(later, second.access_token)).statusCode).toBe(401);
  });

  it('writes it down once, and touches no other grant of the user', async () => {
    const other = await obtainTokens(api, client, user);
    const first = await obtainTokens(api, client, user);
    await refreshed((await refreshed(first.refresh_token)).refresh_token);
    for (let n = 0; n < 3; n += 1) expectOAuthError(await refresh(first.refresh_token), 400, 'invalid_grant');
    const { rows } = await api.sql.query<{ n: number }>(
      `SELECT max(n)::int AS n FROM (SELECT count(*) AS n FROM events WHERE type = 'grant.revoked' GROUP BY aggregate_id) c`,
    );
    expect(rows[0]?.n).toBe(1);
    expect((await userinfo(api, other.access_token)).statusCode).toBe(200);
    expect((await refresh(other.refresh_token)).statusCode).toBe(200);
  });
});

describe('a grant with offline_access', () => {
  it('outlives the sign-out, and what it issues then names no session', async () => {
    const jwtClient = await anApplication(world, { accessTokenType: 'jwt' });
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, jwtClient, user, {}, browser);
    expect(decodeJwt(tokens.access_token)).toHaveProperty('sid');
    const ended = await browser.get(`/oidc/v1/end_session?id_token_hint=${tokens.id_token}`);
    expect(ended.statusCode).toBe(200);
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    const later = (await refresh(tokens.refresh_token, {}, jwtClient)).json<TokenAnswer>();
    expect(decodeJwt(later.access_token)).not.toHaveProperty('sid');
    expect((await userinfo(api, later.access_token)).statusCode).toBe(200);
    // a new session in the same browser does not bring the old tokens back
    await browser.signIn(codeRequest(jwtClient), user);
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    expect(redirected(await browser.get(authorizeUrl(codeRequest(client)))).has('code')).toBe(true);
  });
});
