import { describe, expect, it } from 'vitest';
import { ChangeUserState } from '../../../src/domain/accounts/change-user-state.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { useReplica } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  refreshTokens,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';
import { expectOAuthError, expectRedirectedError } from './support/answers.js';

// What one replica ends is dead on the other when the call returns: nothing positive is cached anywhere.

const { api: one, world } = useWorld();
const two = useReplica(one);
const client = given(() => anApplication(world));
const jwtClient = given(() => anApplication(world, { accessTokenType: 'jwt' }));

interface Held {
  readonly browser: TestBrowser;
  readonly opaque: TokenAnswer;
  readonly jwt: TokenAnswer;
}

/** A browser of replica two with tokens of both forms, which replica two has seen working. */
async function holdTokens(user: TestUser): Promise<Held> {
  const browser = new TestBrowser(two);
  const opaque = await obtainTokens(two, client, user, {}, browser);
  const jwt = await obtainTokens(two, jwtClient, user, { prompt: 'login' }, browser);
  for (const { access_token: token } of [opaque, jwt]) {
    expect((await userinfo(two, token)).statusCode).toBe(200);
  }
  return { browser, opaque, jwt };
}

const refresh = (tokens: TokenAnswer, by: TestClient) => refreshTokens(two, by, tokens);

async function expectAccessDead({ opaque, jwt }: Held): Promise<void> {
  for (const { access_token: token } of [opaque, jwt]) {
    const response = await userinfo(two, token);
    expectOAuthError(response, 401, 'invalid_token');
    expect(response.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
  }
}

async function expectAllDead(held: Held): Promise<void> {
  await expectAccessDead(held);
  expectOAuthError(await refresh(held.opaque, client), 400, 'invalid_grant');
  expectOAuthError(await refresh(held.jwt, jwtClient), 400, 'invalid_grant');
  const silent = await held.browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
  expectRedirectedError(silent, 'login_required');
}

async function changeState(user: TestUser, to: 'deactivate' | 'reactivate'): Promise<void> {
  const change = { orgId: user.orgId, userId: user.userId, actorId: user.userId, through: null };
  await one.app.get(UnitOfWork).run((tx) => one.app.get(ChangeUserState)[to](tx, change));
}

describe('a user who is deactivated (S121)', () => {
  it('is out everywhere at once, and what was issued before stays dead', async () => {
    const user = await aUser(world);
    const held = await holdTokens(user);
    await changeState(user, 'deactivate');
    await expectAllDead(held);
    const refused = await held.browser.signIn(codeRequest(client), user);
    expect(refused.statusCode).toBe(400);

    await changeState(user, 'reactivate');
    await expectAllDead(held);
    const again = await obtainTokens(two, client, user, {}, held.browser);
    expect((await userinfo(two, again.access_token)).statusCode).toBe(200);
    await expectAccessDead(held);
  });

  it('cannot slip through a sign-in that is running meanwhile', async () => {
    const user = await aUser(world);
    const browser = new TestBrowser(two);
    const fields = await browser.openSignIn(codeRequest(client));
    await changeState(user, 'deactivate');
    const response = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
    });
    expect(response.statusCode).toBe(400);
  });
});

describe('a session that ended', () => {
  it('takes its access tokens with it, and leaves the offline grant', async () => {
    const user = await aUser(world);
    const held = await holdTokens(user);
    // the sign-out reaches the other replica
    const ended = await one.app.inject({
      url: `/oidc/v1/end_session?id_token_hint=${held.opaque.id_token}`,
      headers: { cookie: held.browser.cookieHeader },
    });
    expect(ended.statusCode).toBe(200);
    await expectAccessDead(held);
    const silent = await held.browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expectRedirectedError(silent, 'login_required');
    for (const [tokens, by] of [
      [held.opaque, client],
      [held.jwt, jwtClient],
    ] as const) {
      const later = (await refresh(tokens, by)).json<TokenAnswer>();
      expect((await userinfo(two, later.access_token)).statusCode).toBe(200);
    }
  });

  it('is one of several: the others go on', async () => {
    const user = await aUser(world);
    const here = await holdTokens(user);
    const there = await holdTokens(user);
    await here.browser.get(`/oidc/v1/end_session?id_token_hint=${here.opaque.id_token}`);
    await expectAccessDead(here);
    expect((await userinfo(two, there.opaque.access_token)).statusCode).toBe(200);
  });
});

describe('what else ends tokens at once', () => {
  it.each<[string, string, (user: TestUser, own: World, app: TestClient) => unknown[]]>([
    [
      'the application was switched off',
      `UPDATE applications SET state = 'inactive' WHERE id = $1`,
      (_u, _w, a) => [a.id],
    ],
    [
      'the client’s secret was replaced',
      `UPDATE applications SET token_epoch = token_epoch + 1 WHERE id = $1`,
      (_u, _w, a) => [a.id],
    ],
    [
      'the project was switched off',
      `UPDATE projects SET state = 'inactive' WHERE id = $1`,
      (_u, w) => [w.projectId],
    ],
    [
      'the organization was switched off',
      `UPDATE organizations SET state = 'inactive' WHERE id = $1`,
      (_u, w) => [w.orgId],
    ],
    ['the user was locked', `UPDATE users SET state = 'locked' WHERE id = $1`, (u) => [u.userId]],
    [
      'the user was signed out everywhere',
      `UPDATE users SET token_epoch = token_epoch + 1 WHERE id = $1`,
      (u) => [u.userId],
    ],
    ['the user was deleted', `DELETE FROM users WHERE id = $1`, (u) => [u.userId]],
    [
      'the grant was revoked',
      `UPDATE authorizations SET revoked_at = app_now(), revoke_reason = 'test' WHERE user_id = $1`,
      (u) => [u.userId],
    ],
  ])('%s', async (_name, statement, values) => {
    const own = await anOrganization(one);
    const app = await anApplication(own);
    const user = await aUser(own);
    const tokens = await obtainTokens(two, app, user);
    expect((await userinfo(two, tokens.access_token)).statusCode).toBe(200);
    await one.sql.query(statement, values(user, own, app));
    expectOAuthError(await userinfo(two, tokens.access_token), 401, 'invalid_token');
  });

  it('a key that was retired: JWTs and opaque tokens alike (S018)', async () => {
    const user = await aUser(world);
    const held = await holdTokens(user);
    await one.sql.query(`UPDATE signing_keys SET state = 'gone'`);
    expectOAuthError(await userinfo(two, held.jwt.access_token), 401, 'invalid_token');
    expect((await userinfo(two, held.opaque.access_token)).statusCode).toBe(200);
    await one.sql.query(`UPDATE token_keys SET state = 'gone'`);
    expectOAuthError(await userinfo(two, held.opaque.access_token), 401, 'invalid_token');
    await one.sql.query(`UPDATE signing_keys SET state = 'current'`);
    await one.sql.query(`UPDATE token_keys SET state = 'current'`);
    expect((await userinfo(two, held.jwt.access_token)).statusCode).toBe(200);
  });
});
