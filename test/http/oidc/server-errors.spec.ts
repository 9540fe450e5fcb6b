import { describe, expect, it } from 'vitest';
import { startTestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  obtainTokens,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectOAuthError, expectRedirectedError, REFERENCE } from './support/answers.js';
import { TcpProxy } from './support/tcp-proxy.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

/** Runs `work` while a table cannot be found, which no code of ours reckons with. */
async function without<T>(table: string, work: () => Promise<T>): Promise<T> {
  await api.sql.query(`ALTER TABLE ${table} RENAME TO ${table}_gone`);
  try {
    return await work();
  } finally {
    await api.sql.query(`ALTER TABLE ${table}_gone RENAME TO ${table}`);
  }
}

const refresh = (tokens: TokenAnswer, at = api) => refreshTokens(at, client, tokens);

describe('a fault of ours (server_error)', () => {
  it('is shown by the authorization endpoint while nothing is verified', async () => {
    const response = await without('applications', () => api.app.inject(authorizeUrl(codeRequest(client))));
    expectErrorPage(response, 500, 'server_error');
    expect(response.body).toMatch(REFERENCE);
  });

  it.each([
    ['before the sign-in page', 'auth_requests', {}],
    ['with a new browser', 'user_agents', {}],
    ['with prompt=none and a session', 'authorizations', { prompt: 'none' }],
  ] as const)('travels to the application afterwards: %s', async (_name, table, changes) => {
    const browser = new TestBrowser(api);
    if ('prompt' in changes) await browser.signIn(codeRequest(client), user);
    const response = await without(table, () => browser.get(authorizeUrl(codeRequest(client, changes))));
    const description = expectRedirectedError(response, 'server_error');
    expect(description).toMatch(REFERENCE);
    expect(description).not.toContain(table);
  });

  it('is a page at the sign-in, and the flow is as it was', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const form = { ...fields, loginName: user.loginName, password: PASSWORD };
    for (const table of ['login_identifiers', 'user_passwords', 'sessions', 'authorizations', 'events']) {
      const response = await without(table, () => browser.post('/login', form));
      expectErrorPage(response, 500, 'server_error');
      expect(response.body).toMatch(REFERENCE);
    }
    expect(redirected(await browser.post('/login', form)).has('code')).toBe(true);
  });

  it('is JSON at the token endpoint, and uses up neither code nor refresh token', async () => {
    const answered = await new TestBrowser(api).signIn(codeRequest(client), user);
    const form = redemption(redirected(answered).get('code') ?? '');
    for (const table of ['applications', 'codes', 'refresh_token_families']) {
      const response = await without(table, () => requestToken(api, form, basic(client)));
      expect(expectOAuthError(response, 500, 'server_error')).toMatch(REFERENCE);
    }
    const tokens = (await requestToken(api, form, basic(client))).json<TokenAnswer>();
    const response = await without('refresh_tokens', () => refresh(tokens));
    expectOAuthError(response, 500, 'server_error');
    expect((await refresh(tokens)).statusCode).toBe(200);
  });

  it('is JSON at userinfo: neither a false 200 nor a false 401', async () => {
    const { access_token: token } = await obtainTokens(api, client, user);
    for (const table of ['authorizations', 'revoked_tokens', 'sessions', 'token_keys']) {
      const response = await without(table, () => userinfo(api, token));
      expect(expectOAuthError(response, 500, 'server_error')).toMatch(REFERENCE);
    }
    expect((await userinfo(api, token)).statusCode).toBe(200);
  });

  it('is a page at the end-session endpoint, and the session lives', async () => {
    const browser = new TestBrowser(api);
    const { id_token: hint } = await obtainTokens(api, client, user, {}, browser);
    const url = `/oidc/v1/end_session?id_token_hint=${hint}`;
    for (const table of ['sessions', 'events']) {
      expectErrorPage(await without(table, () => browser.get(url)), 500, 'server_error');
    }
    expect(redirected(await browser.get(authorizeUrl(codeRequest(client)))).has('code')).toBe(true);
  });
});

describe('while PostgreSQL is away', () => {
  it('every endpoint says so with 503 and comes back by itself', async () => {
    const { proxy, url } = await TcpProxy.before(api.database.url);
    const cut = await startTestApi({ DATABASE_URL: url }, api);
    try {
      const browser = new TestBrowser(cut);
      const tokens = await obtainTokens(cut, client, user, {}, browser);
      const again = new TestBrowser(cut);
      const fields = await again.openSignIn(codeRequest(client));
      await proxy.close();

      const pages = [
        await browser.get(authorizeUrl(codeRequest(client))),
        await browser.get('/oidc/v1/end_session'),
        await again.get(`/login?flow=${fields['flow'] ?? ''}`),
        await again.post('/login', { ...fields, loginName: user.loginName, password: PASSWORD }),
      ];
      for (const page of pages) {
        expectErrorPage(page, 503, 'temporarily_unavailable');
        expect(page.headers['retry-after']).toBe('5');
      }
      for (const response of [
        await refresh(tokens, cut),
        await requestToken(cut, redemption('x'), basic(client)),
        await userinfo(cut, tokens.access_token),
      ]) {
        expect(expectOAuthError(response, 503, 'temporarily_unavailable')).toMatch(REFERENCE);
        expect(response.headers['retry-after']).toBe('5');
      }
      // a script's call asks for its origin first, and is told the same
      const scripted = await cut.app.inject({
        url: '/oidc/v1/userinfo',
        headers: { origin: 'https://rp.test', authorization: `Bearer ${tokens.access_token}` },
      });
      expectOAuthError(scripted, 503, 'temporarily_unavailable');
      expect((await cut.app.inject('/.well-known/openid-configuration')).statusCode).toBe(200);
      expect((await cut.app.inject('/debug/healthz')).statusCode).toBe(200);

      await proxy.open();
      expect((await userinfo(cut, tokens.access_token)).statusCode).toBe(200);
      expect((await refresh(tokens, cut)).statusCode).toBe(200);
      const answered = await again.post('/login', {
        ...fields,
        loginName: user.loginName,
        password: PASSWORD,
      });
      expect(redirected(answered).has('code')).toBe(true);
    } finally {
      await cut.close();
      await proxy.close();
    }
  });
});
