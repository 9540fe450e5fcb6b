import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecoveryCodes } from '../../../src/domain/factors/recovery-codes/recovery-codes.js';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  tokensOf,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { aTotpSecret, type TestAuthenticator } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const PAGE = '/login/second-factor';
const DAY = 86_400;

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));
const owner = given(() => aServiceUser(world, 'IAM_OWNER'));

let user: TestUser;
let app: TestAuthenticator;
let browser: TestBrowser;

const allow = async (trustedBrowserDays: number) =>
  expect(
    (await owner.call('PUT', 'policies/factors', { trustedBrowserDays: String(trustedBrowserDays) }))
      .statusCode,
  ).toBe(200);

beforeEach(async () => {
  await api.advance(90);
  await replica.advance(90);
  user = await aUser(world);
  app = await aTotpSecret(api, user.userId);
  browser = new TestBrowser(api);
  await allow(30);
});
afterEach(async () => {
  await owner.call('DELETE', 'policies/factors');
});

const signIn = async (by = browser, whose = user) =>
  await by.signIn(codeRequest(client, { prompt: 'login' }), whose);

const isAsked = ({ headers }: Awaited<ReturnType<typeof signIn>>) =>
  headers.location?.startsWith(`${PAGE}?flow=`) === true;

/** Signs in, shows the app's code, and ticks the box. */
async function trust(by = browser, changes: Record<string, string> = { trust: 'true' }) {
  const page = await by.get((await signIn(by)).headers.location ?? '');
  const answered = await by.post(PAGE, { ...hiddenFields(page.body), ...changes, code: app.code(api) });
  expect(redirected(answered).has('code')).toBe(true);
  return page;
}

describe('a browser that its user trusts', () => {
  it('is spared the second factor, and tokens claim none', async () => {
    const page = await trust();
    expect(page.body).toContain('name="trust"');
    const answered = await signIn();
    const tokens = await tokensOf(api, client, answered);
    expect(decodeJwt(tokens.id_token)['amr']).toEqual(['pwd']);
    const none = authorizeUrl(codeRequest(client, { prompt: 'none' }));
    expect(redirected(await browser.get(none)).has('code')).toBe(true);
    const { rows } = await api.sql.query(
      `SELECT count(*)::int AS n FROM events WHERE actor_id = $1 AND type = 'session.browser_trusted'`,
      [user.userId],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  it('is one that the user chose, and no other browser, nor another user in it', async () => {
    await trust(browser, {});
    expect(isAsked(await signIn())).toBe(true);
    await api.advance(60);
    const chosen = new TestBrowser(api);
    await trust(chosen);
    expect(isAsked(await signIn(new TestBrowser(api)))).toBe(true);
    const other = await aUser(world);
    await aTotpSecret(api, other.userId);
    expect(isAsked(await signIn(chosen, other))).toBe(true);
    expect(isAsked(await signIn(chosen))).toBe(false);
  });

  it('is one for so many days, and at once no longer than the policy says now', async () => {
    await trust();
    await api.advance(8 * DAY);
    expect(isAsked(await signIn())).toBe(false);
    await allow(7);
    expect(isAsked(await signIn())).toBe(true);
    // a session that began under the trust as well
    await allow(30);
    expect(isAsked(await signIn())).toBe(false);
    await api.advance(22 * DAY + 60);
    expect(isAsked(await signIn())).toBe(true);
  });

  it('is none where the policy allows none, whatever the form says', async () => {
    await allow(0);
    const page = await trust();
    expect(page.body).not.toContain('name="trust"');
    await allow(30);
    expect(isAsked(await signIn())).toBe(true);
  });

  it('is none by a recovery code', async () => {
    const hash = api.app.get(RecoveryCodes).hashOf(user.userId, 'ABCDE-FGHJK');
    await api.sql.query(`INSERT INTO user_recovery_codes (user_id, org_id, hash) VALUES ($1, $2, $3)`, [
      user.userId,
      user.orgId,
      hash,
    ]);
    const { headers } = await signIn();
    const page = await browser.get(`${headers.location ?? ''}&kind=recovery-code`);
    expect(page.body).not.toContain('name="trust"');
    const typed = { ...hiddenFields(page.body), trust: 'true', code: 'ABCDE-FGHJK' };
    expect(redirected(await browser.post(PAGE, typed)).has('code')).toBe(true);
    expect(isAsked(await signIn())).toBe(true);
  });
});

describe('the trust in a browser ends', () => {
  const sql = (text: string) => api.sql.query(text, [user.userId]);
  const manage = async (method: 'POST' | 'DELETE', path: string) =>
    expect(
      (await call(api, method, `/management/v1/users/${user.userId}${path}`, { pat: owner.pat })).statusCode,
    ).toBe(200);

  it.each<[string, () => Promise<unknown>]>([
    ['with a new password', () => sql(`UPDATE user_passwords SET changed_at = app_now() WHERE user_id = $1`)],
    [
      'with another authenticator app',
      () => sql(`UPDATE user_totp_secrets SET secret_sealed = secret_sealed || '\\x00' WHERE user_id = $1`),
    ],
    [
      'with a passkey that is added',
      () =>
        sql(`INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name)
             SELECT org_id, id, '\\x01', '\\x02', '\\x03', 'Key' FROM users WHERE id = $1`),
    ],
    ['with all of the access', () => manage('DELETE', '/sessions')],
    [
      'with all sessions, also where it has none left',
      async () => {
        await sql(`UPDATE sessions SET ended_at = app_now(), end_reason = 'logout' WHERE user_id = $1`);
        await call(api, 'DELETE', `/management/v1/users/${user.userId}/sessions?keepOfflineAccess=true`, {
          pat: owner.pat,
        });
      },
    ],
  ])('%s', async (_what, end) => {
    await trust();
    expect(isAsked(await signIn())).toBe(false);
    await end();
    expect(isAsked(await signIn())).toBe(true);
  });

  it('with a reset of the factors, for those that come after', async () => {
    await trust();
    await manage('DELETE', '/factors');
    await aTotpSecret(api, user.userId);
    expect(isAsked(await signIn())).toBe(true);
  });

  it('in a session that is open there as well', async () => {
    await trust();
    await signIn();
    const none = authorizeUrl(codeRequest(client, { prompt: 'none' }));
    expect(redirected(await browser.get(none)).has('code')).toBe(true);
    await sql(`UPDATE user_passwords SET changed_at = app_now() WHERE user_id = $1`);
    expect(redirected(await browser.get(none)).get('error')).toBe('interaction_required');
  });

  it('not with signing out there, nor with a password that is hashed anew', async () => {
    await trust();
    await sql(`UPDATE sessions SET ended_at = app_now(), end_reason = 'logout' WHERE user_id = $1`);
    await sql(`UPDATE user_passwords SET scheme = scheme WHERE user_id = $1`);
    expect(isAsked(await signIn())).toBe(false);
  });
});
