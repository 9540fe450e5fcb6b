import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Clock } from '../../../src/domain/shared/clock.js';
import type { ShiftedClock } from '../../support/api.js';
import {
  anApplication,
  aPublicApplication,
  POST_LOGOUT_URI,
  type TestClient,
} from '../../support/applications.js';
import {
  basic,
  codeRequest,
  pkce,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

async function freshCode(
  changes: Record<string, string> = {},
  { to = client, by = user, browser = new TestBrowser(api) } = {},
): Promise<string> {
  return redirected(await browser.signIn(codeRequest(to, changes), by)).get('code') ?? '';
}

const redeem = (code: string, changes: Record<string, string> = {}, by = client) =>
  requestToken(api, redemption(code, changes), basic(by));

async function expectDead(tokens: TokenAnswer): Promise<void> {
  expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
  expectOAuthError(await refreshTokens(api, client, tokens), 400, 'invalid_grant');
}

describe('a code', () => {
  it('works once, and its replay ends what came of it (S076)', async () => {
    const code = await freshCode();
    const tokens = (await redeem(code)).json<TokenAnswer>();
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
    expectOAuthError(await redeem(code), 400, 'invalid_grant');
    await expectDead(tokens);
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE type = 'grant.revoked' AND data->>'reason' = 'code_replayed'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('is a replay also after refreshes, after its time and with a wrong redirect URI', async () => {
    const code = await freshCode();
    const first = (await redeem(code)).json<TokenAnswer>();
    const second = (await refreshTokens(api, client, first)).json<TokenAnswer>();
    await api.advance(120);
    expectOAuthError(await redeem(code, { redirect_uri: 'https://evil.test/' }), 400, 'invalid_grant');
    await expectDead(second);
  });

  it('lives for 60 seconds (S079)', async () => {
    const early = await freshCode();
    await api.advance(50);
    expect((await redeem(early)).statusCode).toBe(200);
    const late = await freshCode();
    await api.advance(61);
    expectOAuthError(await redeem(late), 400, 'invalid_grant');
  });

  it('is judged by the time of the database, however wrong this process’s clock is', async () => {
    const clock = api.app.get<ShiftedClock>(Clock, { strict: false });
    const right = clock.shiftMs;
    const good = await freshCode();
    clock.shiftMs = right + 90_000;
    expect((await redeem(good)).statusCode).toBe(200);
    clock.shiftMs = right;
    const late = await freshCode();
    await api.advance(61);
    clock.shiftMs = right;
    expectOAuthError(await redeem(late), 400, 'invalid_grant');
    clock.shiftMs = right + 61_000;
  });

  it('is for the client that asked for it (S078)', async () => {
    const other = await anApplication(world);
    const spa = await aPublicApplication(world);
    const stranger = await anApplication(await anOrganization(api));
    const code = await freshCode();
    for (const thief of [other, stranger]) {
      expectOAuthError(await redeem(code, {}, thief), 400, 'invalid_grant');
    }
    const form = redemption(code, { client_id: spa.clientId, code_verifier: pkce().verifier });
    expectOAuthError(await requestToken(api, form), 400, 'invalid_grant');
    // and none of them used it up
    expect((await redeem(code)).statusCode).toBe(200);
  });

  it.each([
    ['another registered one', 'https://rp.test/other'],
    ['a slash more', 'https://rp.test/cb/'],
    ['other case', 'https://RP.test/cb'],
    ['a NUL', 'https://rp.test/cb\u0000'],
    ['another scheme', 'http://rp.test/cb'],
    ['20 kB', `https://rp.test/${'a'.repeat(20_000)}`],
  ])('is bound to its redirect URI: %s', async (_name, uri) => {
    const code = await freshCode();
    const description = expectOAuthError(await redeem(code, { redirect_uri: uri }), 400, 'invalid_grant');
    expect(description).toContain('redirect_uri');
    expect((await redeem(code)).statusCode).toBe(200);
  });

  it.each<[string, (code: string) => string]>([
    ['one character changed', (code) => `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`],
    ['cut short', (code) => code.slice(0, -1)],
    ['padded', (code) => `${code}=`],
    ['longer', (code) => `${code}A`],
    ['in other case', (code) => code.toLowerCase()],
    ['with a space', (code) => ` ${code}`],
    ['with a NUL', (code) => `${code}\u0000`],
    ['of another service', () => randomBytes(32).toString('base64url')],
    ['10 kB', () => 'A'.repeat(10_000)],
    ['a wildcard', () => '%'],
  ])('%s is no code (S083)', async (_name, change) => {
    const code = await freshCode();
    expectOAuthError(await redeem(change(code)), 400, 'invalid_grant');
    expect((await redeem(code)).statusCode).toBe(200);
  });

  it('is stored as a hash only', async () => {
    const code = await freshCode();
    const { rows } = await api.sql.query(`SELECT 1 FROM codes c WHERE c.*::text LIKE '%' || $1 || '%'`, [
      code,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('PKCE (S080, S081)', () => {
  it.each<[string, (verifier: string) => Record<string, string>, string, string]>([
    ['omitted', () => ({}), 'invalid_request', 'code_verifier required'],
    ['empty', () => ({ code_verifier: '' }), 'invalid_request', 'code_verifier required'],
    [
      'of another request',
      () => ({ code_verifier: pkce().verifier }),
      'invalid_grant',
      'invalid code_verifier',
    ],
    ['in other case', (v) => ({ code_verifier: v.toLowerCase() }), 'invalid_grant', 'invalid code_verifier'],
    ['too short', (v) => ({ code_verifier: v.slice(1) }), 'invalid_request', 'code_verifier must'],
    ['too long', (v) => ({ code_verifier: v.repeat(4) }), 'invalid_request', 'code_verifier must'],
    ['not in ASCII', (v) => ({ code_verifier: `ü${v}` }), 'invalid_request', 'code_verifier must'],
    ['with a plus sign', (v) => ({ code_verifier: `+${v}` }), 'invalid_request', 'code_verifier must'],
  ])('a verifier %s', async (_name, form, error, description) => {
    const { verifier, challenge } = pkce();
    const code = await freshCode(challenge);
    expect(expectOAuthError(await redeem(code, form(verifier)), 400, error)).toContain(description);
    expect((await redeem(code, { code_verifier: verifier })).statusCode).toBe(200);
  });

  it('the challenge itself is no verifier', async () => {
    const { challenge } = pkce();
    const code = await freshCode(challenge);
    const response = await redeem(code, { code_verifier: challenge.code_challenge });
    expectOAuthError(response, 400, 'invalid_grant');
  });

  it('a verifier without a challenge means that somebody stripped the challenge', async () => {
    const code = await freshCode();
    const response = await redeem(code, { code_verifier: pkce().verifier });
    expect(expectOAuthError(response, 400, 'invalid_request')).toBe('code_verifier unexpectedly provided');
  });
});

describe('between code and token (S082)', () => {
  it.each<[string, (browser: TestBrowser, user: TestUser, client: TestClient) => Promise<unknown>]>([
    [
      'the user was deactivated',
      (_browser, { userId }) =>
        api.sql.query(`UPDATE users SET state = 'inactive', token_epoch = token_epoch + 1 WHERE id = $1`, [
          userId,
        ]),
    ],
    [
      'the user was deactivated and let in again',
      (_browser, { userId }) =>
        api.sql.query(`UPDATE users SET token_epoch = token_epoch + 1 WHERE id = $1`, [userId]),
    ],
    ['the user signed out', (browser) => signOut(browser)],
  ])('%s: the code is dead', async (_name, happen) => {
    const somebody = await aUser(world);
    const browser = new TestBrowser(api);
    const code = await freshCode({}, { by: somebody, browser });
    await happen(browser, somebody, client);
    expectOAuthError(await redeem(code), 400, 'invalid_grant');
  });

  it('the organization of the user was switched off: the code is dead', async () => {
    const other = await anOrganization(api);
    const code = await freshCode({}, { by: await aUser(other) });
    await api.sql.query(`UPDATE organizations SET state = 'inactive' WHERE id = $1`, [other.orgId]);
    expectOAuthError(await redeem(code), 400, 'invalid_grant');
  });

  it('the application was switched off: so is the client', async () => {
    const dormant = await anApplication(world);
    const code = await freshCode({}, { to: dormant });
    await api.sql.query(`UPDATE applications SET state = 'inactive' WHERE id = $1`, [dormant.id]);
    expectOAuthError(await redeem(code, {}, dormant), 401, 'invalid_client');
  });
});

async function signOut(browser: TestBrowser): Promise<void> {
  const page = await browser.get(
    `/oidc/v1/end_session?client_id=${client.clientId}&post_logout_redirect_uri=${POST_LOGOUT_URI}`,
  );
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
  expect((await browser.post('/logout', { csrf })).statusCode).toBe(200);
}
