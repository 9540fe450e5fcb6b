import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication, POST_LOGOUT_URI, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  endSessionUrl,
  hiddenFields,
  obtainTokens,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError, expectRedirectedError } from './support/answers.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const told = given(() =>
  anApplication(world, { backChannelLogoutUri: 'https://rp.test/out', accessTokenType: 'jwt' }),
);
const silent = given(() => anApplication(world));
const user = given(() => aUser(world));
const other = given(() => aUser(world));

/** Another account in the same browser. */
async function alsoSignIn(browser: TestBrowser, client: TestClient, who: TestUser) {
  return await obtainTokens(api, client, who, { prompt: 'login' }, browser);
}

async function silently(browser: TestBrowser, client: TestClient, hint?: string, at = api): Promise<string> {
  const response = await at.app.inject({
    url: authorizeUrl(codeRequest(client, { prompt: 'none', ...(hint && { id_token_hint: hint }) })),
    headers: { cookie: browser.cookieHeader },
  });
  return redirected(response).get('error') ?? 'code';
}

interface NoticeRow {
  readonly user_id: string;
  readonly application_id: string;
  readonly reason: string;
}

async function noticesOf(...sids: unknown[]): Promise<NoticeRow[]> {
  const { rows } = await api.sql.query<NoticeRow>(
    `SELECT n.user_id, n.application_id, s.end_reason AS reason
     FROM logout_notices n JOIN outbox o ON o.id = n.outbox_id JOIN sessions s ON s.id = n.session_id
     WHERE n.session_id = ANY ($1)`,
    [sids],
  );
  return rows;
}

describe('sid', () => {
  it('is in the ID tokens of applications that are told of logouts, the same in each, and in no other’s', async () => {
    const browser = new TestBrowser(api);
    const first = await obtainTokens(api, told, user, {}, browser);
    const { sid } = decodeJwt(first.id_token);
    expect(sid).toMatch(/^[A-Za-z0-9_-]{22}$/);
    const again = await alsoSignIn(browser, told, user);
    expect(decodeJwt(again.id_token)['sid']).toBe(sid);
    expect(decodeJwt((await alsoSignIn(browser, silent, user)).id_token)).not.toHaveProperty('sid');
    const elsewhere = await obtainTokens(api, told, user);
    expect(decodeJwt(elsewhere.id_token)['sid']).not.toBe(sid);
  });
});

describe('after a logout on one replica, on the other', () => {
  it('the session’s tokens, codes and silent sign-ins are over, and offline access lives on without it', async () => {
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, told, user, {}, browser);
    const online = await alsoSignIn(browser, silent, user);
    const plain = await obtainTokens(api, silent, user, { scope: 'openid', prompt: 'login' }, browser);
    expect(plain).not.toHaveProperty('refresh_token');
    const pending = await browser.get(authorizeUrl(codeRequest(told)));
    const code = redirected(pending).get('code') ?? '';
    expect(code).not.toBe('');
    const cookie = browser.cookieHeader;
    for (const { access_token: token } of [tokens, online, plain]) {
      expect((await userinfo(replica, token)).statusCode).toBe(200);
    }

    await browser.get(endSessionUrl({ id_token_hint: tokens.id_token }));

    for (const { access_token: token } of [tokens, online, plain]) {
      expect((await userinfo(replica, token)).statusCode).toBe(401);
    }
    expectOAuthError(await requestToken(replica, redemption(code), basic(told)), 400, 'invalid_grant');
    const replayed = await replica.app.inject({
      url: authorizeUrl(codeRequest(told, { prompt: 'none', id_token_hint: tokens.id_token })),
      headers: { cookie },
    });
    expectRedirectedError(replayed, 'login_required');

    const refreshed = await refreshTokens(replica, told, tokens);
    expect(refreshed.statusCode).toBe(200);
    const fresh = refreshed.json<typeof tokens>();
    expect((await userinfo(replica, fresh.access_token)).statusCode).toBe(200);
    for (const token of [fresh.access_token, fresh.id_token]) {
      expect(decodeJwt(token)).not.toHaveProperty('sid');
    }
  });

  it('the page that went back shows no account, and its form starts anew (S131)', async () => {
    const browser = new TestBrowser(api);
    const { id_token: hint } = await obtainTokens(api, told, user, {}, browser);
    const home = async () =>
      (await replica.app.inject({ url: '/', headers: { cookie: browser.cookieHeader } })).body;
    expect(await home()).toContain(user.loginName);
    await browser.get(endSessionUrl({ id_token_hint: hint }));
    expect(await home()).not.toContain(user.loginName);
    const begun = await browser.get(authorizeUrl(codeRequest(told)));
    expect(begun.headers.location).toMatch(/^\/login/);
  });
});

describe('with several accounts in one browser', () => {
  it('a hint ends the session of its user and leaves the others', async () => {
    const browser = new TestBrowser(api);
    const mine = await obtainTokens(api, silent, user, {}, browser);
    const theirs = await alsoSignIn(browser, silent, other);
    const response = await browser.get(
      endSessionUrl({ id_token_hint: mine.id_token, post_logout_redirect_uri: POST_LOGOUT_URI }),
    );
    expect(response.headers.location).toBe(POST_LOGOUT_URI);
    expect((await userinfo(api, mine.access_token)).statusCode).toBe(401);
    expect((await userinfo(api, theirs.access_token)).statusCode).toBe(200);
    expect(await silently(browser, silent, mine.id_token)).toBe('login_required');
    expect(await silently(browser, silent, theirs.id_token)).toBe('code');
  });

  it('a confirmed request without a hint ends them all', async () => {
    const browser = new TestBrowser(api);
    const mine = await obtainTokens(api, silent, user, {}, browser);
    const theirs = await alsoSignIn(browser, silent, other);
    const question = await browser.get(endSessionUrl({}));
    await browser.post('/logout', hiddenFields(question.body));
    for (const { access_token: token } of [mine, theirs]) {
      expect((await userinfo(api, token)).statusCode).toBe(401);
    }
    expect(await silently(browser, silent)).toBe('login_required');
  });

  it('a hint with the sid of another browser, or of a session that is over, is suspect: the person is asked', async () => {
    const elsewhere = await obtainTokens(api, told, user);
    const browser = new TestBrowser(api);
    const over = await obtainTokens(api, told, user, {}, browser);
    await browser.get(endSessionUrl({ id_token_hint: over.id_token }));
    const now = await obtainTokens(api, told, user, {}, browser);
    for (const { id_token: hint } of [elsewhere, over]) {
      const response = await browser.get(endSessionUrl({ id_token_hint: hint }));
      expect(response.body).toContain('id="logout-confirm"');
      expect(await silently(browser, told)).toBe('code');
    }
    const response = await browser.get(endSessionUrl({ id_token_hint: now.id_token }));
    expect(response.body).toContain('signed out');
    expect((await userinfo(api, elsewhere.access_token)).statusCode).toBe(200);
  });
});

describe('a logout notice is queued for', () => {
  it('each application with a URI that the session was used for, and to no other', async () => {
    const second = await anApplication(world, { backChannelLogoutUri: 'https://rp.test/out' });
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, told, user, {}, browser);
    await alsoSignIn(browser, silent, user);
    await alsoSignIn(browser, second, user);
    const { sid } = decodeJwt(tokens.id_token);
    expect(await noticesOf(sid)).toEqual([]);
    await browser.get(endSessionUrl({ id_token_hint: tokens.id_token }));
    expect(
      (await noticesOf(sid)).toSorted((a, b) => a.application_id.localeCompare(b.application_id)),
    ).toEqual(
      [told, second]
        .map(({ id }) => ({ user_id: user.userId, application_id: id, reason: 'logout' }))
        .toSorted((a, b) => a.application_id.localeCompare(b.application_id)),
    );
  });

  it('the applications of each account, once, when 20 confirm at once', async () => {
    const browser = new TestBrowser(api);
    const mine = decodeJwt((await obtainTokens(api, told, user, {}, browser)).id_token)['sid'];
    const theirs = decodeJwt((await alsoSignIn(browser, told, other)).id_token)['sid'];
    const fields = hiddenFields((await browser.get(endSessionUrl({}))).body);
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.post('/logout', fields)));
    for (const answer of answers) expect(answer.statusCode).toBe(200);
    expect((await noticesOf(mine, theirs)).map((notice) => notice.user_id).toSorted()).toEqual(
      [user.userId, other.userId].toSorted(),
    );
    const { rows } = await api.sql.query(
      `SELECT position FROM events WHERE aggregate_id = ANY ($1) AND type = $2`,
      [[mine, theirs], 'session.ended'],
    );
    expect(rows).toHaveLength(2);
  });

  it.each([
    ['deactivated', '_deactivate', 'user_deactivated'],
    ['locked', '_lock', 'user_locked'],
  ])('the applications of a user whom an administrator has %s', async (_, change, reason) => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const leaver = await aUser(world);
    const sids = [
      decodeJwt((await obtainTokens(api, told, leaver)).id_token)['sid'],
      decodeJwt((await obtainTokens(api, told, leaver)).id_token)['sid'],
    ];
    const response = await owner.call('POST', `users/${leaver.userId}/${change}`);
    expect(response.statusCode).toBe(200);
    expect(await noticesOf(...sids)).toEqual(
      sids.map(() => ({ user_id: leaver.userId, application_id: told.id, reason })),
    );
  });

  it('nobody while the session lives', async () => {
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, told, user, {}, browser);
    await browser.get(endSessionUrl({}));
    expect(await noticesOf(decodeJwt(tokens.id_token)['sid'])).toEqual([]);
  });
});

describe('the pages of a logout', () => {
  it('speak the language asked for, before and after the confirmation, and offer ways on', async () => {
    const browser = new TestBrowser(api);
    await obtainTokens(api, silent, user, {}, browser);
    const question = await browser.get(endSessionUrl({ ui_locales: 'xx de', logout_hint: user.loginName }));
    expect(question.body).toContain('<html lang="de"');
    expect(question.body).toMatch(/<a class="button quiet" href="\/">/);
    const done = await browser.post('/logout', hiddenFields(question.body));
    expect(done.body).toContain('<html lang="de"');
    expect(done.body).toContain('href="/login"');
  });

  it('let pass what they do not know', async () => {
    const browser = new TestBrowser(api);
    const { id_token: hint } = await obtainTokens(api, silent, user, {}, browser);
    const response = await browser.get(
      endSessionUrl({
        id_token_hint: hint,
        logout_hint: '<script>',
        ui_locales: '../../etc',
        extra: 'foobar',
      }),
    );
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('signed out');
    expect(response.body).not.toContain('<script>');
  });
});

describe('a session', () => {
  it('is remembered with the browser it began in, in words of ours', async () => {
    const browser = new TestBrowser(api);
    const someone = await aUser(world);
    const fields = await browser.openSignIn(codeRequest(silent));
    await browser.post(
      '/login',
      { ...fields, loginName: someone.loginName, password: 'Marker-Passw0rd!' },
      { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0 <script>' },
    );
    const { rows } = await api.sql.query(`SELECT device FROM sessions WHERE user_id = $1`, [someone.userId]);
    expect(rows).toEqual([{ device: 'Firefox, Linux' }]);
  });
});
