import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { anOwnApplication } from '../../support/applications.js';
import { Authenticator } from '../../support/authenticator.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  tokensOf,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { call, errorBody, postForm } from '../../support/calls.js';
import { TestAuthenticator } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { aPasskey, HOME, postCredential } from '../../support/passkeys.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError } from '../oidc/support/answers.js';

// Whoever must have a second factor sets one up while signing in: never a dead end, and never a way past it.

const PAGE = '/login/set-up-factor';
const CHALLENGE = `${PAGE}/passkey/challenge`;
type AskedRegistration = Parameters<Authenticator['register']>[0];
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SCOPE = 'openid offline_access urn:zitadel:iam:org:project:id:zitadel:aud';
const MFA_REQUIRED = errorBody(7, 'mfa required', 'AUTHZ-Kl3p0');
const DAY = 86_400;

const { api, world } = useWorld();
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const client = given(() =>
  anOwnApplication(world, { grantTypes: ['authorization_code', 'refresh_token', EXCHANGE] }),
);

let user: TestUser;
let browser: TestBrowser;

beforeEach(async () => {
  await api.advance(90);
  user = await aUser(world);
  browser = new TestBrowser(api);
});

async function require(requiredFor: 'all' | 'owners' | 'nobody', kinds?: readonly string[]): Promise<void> {
  const body =
    requiredFor === 'nobody' ? { secondFactor: 'offered' } : { secondFactor: 'required', requiredFor, kinds };
  expect((await call(api, 'PUT', 'policies/factors', { pat: root.pat, body })).statusCode).toBe(200);
}

async function becomeOwner({ userId, orgId }: TestUser): Promise<void> {
  await api.sql.query(
    `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $2)`,
    [userId, orgId],
  );
}

const signIn = (by = browser) => by.submitPassword(codeRequest(client, { scope: SCOPE }), user);
const silently = (by = browser) =>
  by.get(authorizeUrl(codeRequest(client, { scope: SCOPE, prompt: 'none' })));

/** At the page of an app: what its form sends back, and the app that was shown its secret. */
async function openPage(answered: Awaited<ReturnType<typeof signIn>>, by = browser) {
  const { location = '' } = answered.headers;
  expect(location).toMatch(/^\/login\/set-up-factor\?flow=/);
  const { body } = await by.get(`${location}&kind=totp`);
  const key = /<p class="key"[^>]*>([A-Z2-7 ]+)</.exec(body)?.[1] ?? '';
  return { body, location, fields: hiddenFields(body), app: new TestAuthenticator(key.replaceAll(' ', '')) };
}

/** At the page of a passkey, and a browser that makes one. */
async function openPasskeyPage(answered: Awaited<ReturnType<typeof signIn>>, by = browser) {
  const page = await by.get(answered.headers.location ?? '');
  expect(page.body).toContain('id="passkey-form"');
  const fields = hiddenFields(page.body);
  const ask = async () => (await by.post(CHALLENGE, fields)).json<AskedRegistration>();
  const send = (credential: object, form: Record<string, string> = fields, from = by) =>
    postCredential(from, PAGE, { ...form, kind: 'passkey' }, credential);
  return { page, fields, ask, send, key: new Authenticator(HOME) };
}

describe('required of all', () => {
  beforeEach(() => require('all'));

  it('is set up in the sign-in, and counts there and from then on', async () => {
    const { body, fields, app } = await openPage(await signIn());
    expect(body).not.toContain('name="skip"');
    const wrong = await browser.post(PAGE, { ...fields, code: '000000' });
    expect(wrong.body).toContain('id="code"');
    const before = browser.userAgentSecret;
    const answered = await browser.post(PAGE, { ...fields, code: app.code(api) });
    // as after every proof: a cookie that was stolen before is worth nothing
    expect(browser.userAgentSecret).not.toBe(before);
    const { access_token: pat } = await tokensOf(api, client, answered);
    expect((await call(api, 'GET', '/auth/v1/users/me', { pat })).statusCode).toBe(200);
    expect(redirected(await silently()).has('code')).toBe(true);
    const next = await signIn(new TestBrowser(api));
    expect(next.headers.location).toMatch(/^\/login\/second-factor/);
  });

  it('is not left out by another page, another tab, the back button, or without asking anybody', async () => {
    const { fields } = await openPage(await signIn());
    for (const path of ['/login/consent', '/login/verify-email', '/login/second-factor', '/login/accounts']) {
      const posted = await browser.post(path, { ...fields, decision: 'allow', skip: 'true', code: '1' });
      expect(posted.headers.location ?? '').not.toMatch(/code=/);
    }
    const skipped = await browser.post(PAGE, { ...fields, skip: 'true' });
    expect(skipped.headers.location).toMatch(/^\/login\/set-up-factor/);
    const tab = await browser.get(authorizeUrl(codeRequest(client)));
    expect(tab.headers.location).toMatch(/^\/login\/set-up-factor/);
    expectAnsweredError(await silently(), 'interaction_required', { by: 'query' });
    expect((await browser.get('/account')).statusCode).not.toBe(200);
  });

  it('is not made up for by an app that was begun in another session', async () => {
    const other = new TestBrowser(api);
    const theirs = await openPage(await signIn(other), other);
    const { fields } = await openPage(await signIn());
    const posted = await browser.post(PAGE, { ...fields, code: theirs.app.code(api) });
    expect(redirected(posted).has('code')).toBe(false);
  });

  it('stands in the way of earlier tokens, refreshed and exchanged ones too, but for what it takes', async () => {
    await require('nobody');
    const { access_token, refresh_token } = await tokensOf(api, client, await signIn());
    await require('all');
    const refreshed = await refreshTokens(api, client, { refresh_token });
    const form = {
      grant_type: EXCHANGE,
      subject_token: access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const exchanged = await requestToken(api, form, basic(client));
    const pats = [access_token, ...[refreshed, exchanged].map((one) => one.json<TokenAnswer>().access_token)];
    for (const pat of pats) {
      const body = { profile: { firstName: 'Ada', lastName: 'L' } };
      for (const refused of [
        await call(api, 'PUT', '/auth/v1/users/me/profile', { pat, body }),
        await call(api, 'GET', '/management/v1/orgs/me', { pat }),
        await call(api, 'GET', '/admin/v1/keys', { pat }),
      ]) {
        expect(refused.statusCode).toBe(403);
        expect(refused.json()).toEqual(MFA_REQUIRED);
      }
      expect((await call(api, 'GET', '/auth/v1/users/me', { pat })).statusCode).toBe(200);
    }
    const begun = await call(api, 'POST', '/auth/v1/users/me/factors/totp/_begin', {
      pat: access_token,
      body: {},
    });
    expect(begun.statusCode).toBe(200);
    expect((await call(api, 'GET', '/management/v1/orgs/me', { pat: root.pat })).statusCode).toBe(200);
  });

  it('keeps the last factor from being removed, until a manager resets it', async () => {
    const { fields, app } = await openPage(await signIn());
    const { access_token: pat } = await tokensOf(
      api,
      client,
      await browser.post(PAGE, { ...fields, code: app.code(api) }),
    );
    const remove = () => call(api, 'DELETE', '/auth/v1/users/me/factors/totp', { pat, body: {} });
    const refused = await remove();
    expect({ status: refused.statusCode, ...refused.json<object>() }).toMatchObject({ status: 400, code: 9 });
    expect((await call(api, 'DELETE', `users/${user.userId}/factors`, { pat: root.pat })).statusCode).toBe(
      200,
    );
    const again = new TestBrowser(api);
    await openPage(await signIn(again), again);
  });

  it('is not had by whoever has a passkey where the policy lists apps alone', async () => {
    await require('nobody');
    await aPasskey(api, client, user);
    const body = { secondFactor: 'required', requiredFor: 'all', kinds: ['totp'] };
    expect((await call(api, 'PUT', 'policies/factors', { pat: root.pat, body })).statusCode).toBe(200);
    const { fields, app } = await openPage(await signIn());
    const { access_token: pat } = await tokensOf(
      api,
      client,
      await browser.post(PAGE, { ...fields, code: app.code(api) }),
    );
    expect((await call(api, 'GET', '/auth/v1/users/me', { pat })).statusCode).toBe(200);
  });

  it('lets whoever need not have one remove it', async () => {
    const { fields, app } = await openPage(await signIn());
    const { access_token: pat } = await tokensOf(
      api,
      client,
      await browser.post(PAGE, { ...fields, code: app.code(api) }),
    );
    await require('nobody');
    const removed = await call(api, 'DELETE', '/auth/v1/users/me/factors/totp', { pat, body: {} });
    expect(removed.statusCode).toBe(200);
  });
});

describe('a passkey that is set up in the sign-in', () => {
  beforeEach(() => require('all'));

  it('is offered first, counts at once, and makes the browser another one', async () => {
    const { page, ask, send, key } = await openPasskeyPage(await signIn());
    expect(page.body).toContain('kind=totp');
    expect(page.body).not.toContain('class="qr"');
    expect(page.headers['content-security-policy']).toContain("connect-src 'self'");
    const before = browser.userAgentSecret;
    const { id_token } = await tokensOf(api, client, await send(key.register(await ask())));
    expect(decodeJwt(id_token)['amr']).toEqual(['pwd', 'user', 'mfa']);
    expect(browser.userAgentSecret).not.toBe(before);
    expect(redirected(await silently()).has('code')).toBe(true);
    const next = await signIn(new TestBrowser(api));
    expect(next.headers.location).toMatch(/^\/login\/second-factor/);
    const { rows } = await api.sql.query<{ type: string }>(
      `SELECT DISTINCT type FROM events WHERE actor_id = $1 AND type LIKE '%passkey%' OR aggregate_id = $1 AND type LIKE '%passkey%'`,
      [user.userId],
    );
    expect(rows).toEqual([{ type: 'user.human.passkey.added' }]);
  });

  it('leaves the app on offer when it is refused', async () => {
    const { ask, send, key, fields } = await openPasskeyPage(await signIn());
    const bad = key.register({ ...(await ask()), challenge: 'AAAA' });
    for (const credential of [bad, {}]) {
      const refused = await send(credential);
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain('The passkey was not accepted.');
      expect(refused.body).toContain('id="error-summary"');
      expect(refused.body).toContain(`${fields['flow'] ?? ''}&amp;kind=totp`);
    }
    expect(redirected(await send(key.register(await ask()))).has('code')).toBe(true);
  });

  it('is good once, in the flow, the session and the browser that asked for it, and not for long', async () => {
    const one = await openPasskeyPage(await signIn());
    const answer = one.key.register(await one.ask());
    const elsewhere = new TestBrowser(api);
    const other = await openPasskeyPage(await signIn(elsewhere), elsewhere);
    expect((await other.send(answer)).statusCode).toBe(400);
    expect((await one.send(answer, one.fields, elsewhere)).statusCode).toBe(403);
    const tab = await openPasskeyPage(await browser.get(authorizeUrl(codeRequest(client))));
    expect((await tab.send(answer)).statusCode).toBe(400);
    await api.advance(301);
    expect((await one.send(answer)).statusCode).toBe(400);
    expect(redirected(await one.send(one.key.register(await one.ask()))).has('code')).toBe(true);
    expect((await browser.post(CHALLENGE, one.fields)).statusCode).toBeGreaterThanOrEqual(400);
  });

  it('is kept once of two answers at once', async () => {
    const { ask, fields, key } = await openPasskeyPage(await signIn());
    const credential = JSON.stringify(key.register(await ask()));
    const cookie = browser.cookieHeader;
    const both = await Promise.all(
      [1, 2].map(() => postForm(api, PAGE, { ...fields, credential }, { cookie })),
    );
    expect(both.filter((answered) => redirected(answered).has('code'))).toHaveLength(1);
    expect(both.every(({ statusCode }) => statusCode < 500)).toBe(true);
    const { rows } = await api.sql.query('SELECT id FROM passkeys WHERE user_id = $1', [user.userId]);
    expect(rows).toHaveLength(1);
  });

  it('is required where the policy lists passkeys alone, and an app is not taken there', async () => {
    await require('all', ['passkey']);
    const { page, ask, send, key, fields } = await openPasskeyPage(await signIn());
    expect(page.body).not.toContain('kind=totp');
    const forced = await browser.get(`${PAGE}?flow=${fields['flow'] ?? ''}&kind=totp`);
    expect(forced.body).not.toContain('class="key"');
    const code = await browser.post(PAGE, { ...fields, kind: 'totp', code: '123456' });
    expect(code.headers.location).toMatch(/^\/login\/set-up-factor/);
    const { access_token: pat } = await tokensOf(api, client, await send(key.register(await ask())));
    const { rows } = await api.sql.query<{ id: string }>('SELECT id FROM passkeys WHERE user_id = $1', [
      user.userId,
    ]);
    const path = `/auth/v1/users/me/passkeys/${rows[0]?.id ?? ''}`;
    const last = await call(api, 'DELETE', path, { pat, body: {} });
    expect(last.statusCode).toBe(400);
  });

  it('is neither offered nor taken where the policy lists none, in the order of the policy', async () => {
    await require('all', ['totp']);
    const { body, fields } = await openPage(await signIn());
    expect(body).not.toContain('kind=passkey');
    expect((await browser.post(CHALLENGE, fields)).statusCode).toBe(409);
    await require('all', ['totp', 'passkey']);
    const ordered = await browser.get(`${PAGE}?flow=${fields['flow'] ?? ''}`);
    expect(ordered.body).toContain('class="key"');
    expect(ordered.body).toContain('kind=passkey');
  });

  it('can be put off by owners', async () => {
    await require('owners');
    await becomeOwner(user);
    const { fields } = await openPasskeyPage(await signIn());
    expect(redirected(await browser.post(PAGE, { ...fields, skip: 'true' })).has('code')).toBe(true);
  });
});

describe('required of owners', () => {
  beforeEach(async () => {
    await require('owners');
    await becomeOwner(user);
  });

  it('can be put off for 14 days from the first offer, session by session, and not after', async () => {
    const { body, fields } = await openPage(await signIn());
    const until = new Date((await nowSeconds()) * 1000 + 14 * DAY * 1000);
    expect(body).toContain(`datetime="${until.toISOString().slice(0, 10)}`);
    const { access_token: pat } = await tokensOf(
      api,
      client,
      await browser.post(PAGE, { ...fields, skip: 'true' }),
    );
    expect((await call(api, 'GET', '/management/v1/orgs/me', { pat })).statusCode).toBe(200);
    expect(redirected(await silently()).has('code')).toBe(true);
    const other = new TestBrowser(api);
    const reminded = await openPage(await signIn(other), other);
    await api.advance(14 * DAY);
    const late = await other.post(PAGE, { ...reminded.fields, skip: 'true' });
    expect(redirected(late).has('code')).toBe(false);
    const now = new TestBrowser(api);
    const last = await openPage(await signIn(now), now);
    expect(last.body).not.toContain('name="skip"');
    await now.post(PAGE, { ...last.fields, code: last.app.code(api) });
    expect(redirected(await silently(now)).has('code')).toBe(true);
  });

  it('asks nobody else', async () => {
    user = await aUser(world);
    expect(redirected(await signIn()).has('code')).toBe(true);
  });
});

async function nowSeconds(): Promise<number> {
  const { rows } = await api.sql.query<{ now: number }>(
    'SELECT extract(epoch FROM app_now())::float8 AS now',
  );
  return rows[0]?.now ?? 0;
}
