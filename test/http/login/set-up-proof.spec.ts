// SQL by hand: nothing takes a password or the verification of an address away that a test could call
import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApi } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import { Authenticator } from '../../support/authenticator.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import { BASE_DN, BIND_DN, BIND_PASSWORD, DirectoryDouble } from '../../support/directory.js';
import { TestAuthenticator } from '../../support/factors.js';
import { useForeignProvider } from '../../support/foreign-provider.js';
import { given, givenRunning } from '../../support/given.js';
import { anIdentityProvider, aServedProvider, chooseProvider } from '../../support/identity-providers.js';
import { newestCode } from '../../support/mail-code.js';
import { HOME, postCredential } from '../../support/passkeys.js';
import { PlainOAuthProvider } from '../../support/plain-oauth-provider.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError } from '../oidc/support/answers.js';

// A policy can ask for a second factor in a session that began days ago: whoever is at its browser by then.

const PAGE = '/login/set-up-factor';
const CHALLENGE = `${PAGE}/passkey/challenge`;
const CONFIRM = '/account/confirm';
const BY_MAIL = `${CONFIRM}/code`;
const BY_IDENTITY = `${CONFIRM}/identity`;
const SOON = 601;

const plain = givenRunning(() => PlainOAuthProvider.start());
const directory = givenRunning(() => DirectoryDouble.start());
const foreign = useForeignProvider();

const ALLOWED = { OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' };
const { api, world } = useWorld({ ...ALLOWED, SMTP_URL: 'smtp://127.0.0.1:1' });
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anOwnApplication(world));

let people = 0;
let user: TestUser;
let browser: TestBrowser;

beforeEach(async () => {
  await api.advance(90);
  await api.sql.query('DELETE FROM identity_providers');
  people += 1;
  user = await aUser(world, {
    email: { address: `set-up-${people}@mail.test`, verified: true },
    proven: true,
  });
  browser = new TestBrowser(api);
});
afterEach(async () => {
  await root.call('DELETE', 'policies/factors');
});

async function require(changes: object = {}): Promise<void> {
  const kinds = ['passkey', 'totp', 'email'];
  const policy = { secondFactor: 'required', requiredFor: 'all', kinds, ...changes };
  expect((await root.call('PUT', 'policies/factors', policy)).statusCode).toBe(200);
}

const authorize = (changes: Record<string, string> = {}) =>
  browser.get(authorizeUrl(codeRequest(client, changes)));
const signIn = () => browser.submitPassword(codeRequest(client), user);
const follow = (answered: LightMyRequestResponse) => browser.get(answered.headers.location ?? '');
const isIn = (answered: LightMyRequestResponse) => redirected(answered).has('code');

/** What its user has by now, and whatever is under way. */
async function kept(): Promise<object> {
  const { rows } = await api.sql.query(
    `SELECT (SELECT count(*)::int FROM passkeys WHERE user_id = $1) AS passkeys,
       (SELECT count(*)::int FROM user_totp_secrets WHERE user_id = $1) AS apps,
       (SELECT count(*)::int FROM user_code_factors WHERE user_id = $1) AS codes,
       (SELECT count(*)::int FROM notifications WHERE user_id = $1) AS messages`,
    [user.userId],
  );
  return rows[0] ?? {};
}
const NOTHING = { passkeys: 0, apps: 0, codes: 0, messages: 0 };

/** Through the page to that of the fresh proof. */
async function toProof(answered: LightMyRequestResponse): Promise<LightMyRequestResponse> {
  const { location = '' } = answered.headers;
  expect(location).toMatch(/^\/login\/set-up-factor\?flow=/);
  const sent = await browser.get(location);
  expect(sent.headers.location).toBe(`${CONFIRM}?${new URLSearchParams({ next: location }).toString()}`);
  return await follow(sent);
}

/** The page of an app, which is set up: the sign-in goes on. */
async function setUpApp(location: string): Promise<void> {
  const { body } = await browser.get(`${location}&kind=totp`);
  const key = /<p class="key"[^>]*>([A-Z2-7 ]+)</.exec(body)?.[1] ?? '';
  const app = new TestAuthenticator(key.replaceAll(' ', ''));
  expect(isIn(await browser.post(PAGE, { ...hiddenFields(body), code: app.code(api) }))).toBe(true);
}

function formAt(page: string, action: string): Record<string, string> | undefined {
  const form = new RegExp(`<form[^>]*action="${action}"[\\s\\S]*?</form>`).exec(page)?.[0];
  return form === undefined ? undefined : hiddenFields(form);
}

/** By the code that the page of the proof has mailed. @returns where it leads */
async function confirmByMail(page: LightMyRequestResponse): Promise<string> {
  const sent = await browser.post(`${BY_MAIL}/send`, formAt(page.body, `${BY_MAIL}/send`) ?? {});
  expect(sent.headers.location).toContain('sent=code');
  const typing = formAt((await follow(sent)).body, BY_MAIL) ?? {};
  const done = await browser.post(BY_MAIL, { ...typing, code: await newestCode(api, user.userId) });
  return done.headers.location ?? '';
}

describe('a session from before the policy asked for a factor (S510)', () => {
  it('sets up nothing before its user has shown who they are', async () => {
    expect(isIn(await signIn())).toBe(true);
    await require();
    await api.advance(SOON);
    expectAnsweredError(await authorize({ prompt: 'none' }), 'interaction_required', { by: 'query' });
    const page = await toProof(await authorize());
    expect(page.statusCode).toBe(200);
    const fields = formAt(page.body, CONFIRM) ?? {};
    expect((await browser.post(CONFIRM, { ...fields, password: 'not theirs' })).statusCode).toBe(400);
    expect(await kept()).toEqual(NOTHING);
    const back = (await browser.post(CONFIRM, { ...fields, password: PASSWORD })).headers.location ?? '';
    expect(back).toBe(fields['next']);
    await setUpApp(back);
  });

  it('sets up nothing on a page that was left open', async () => {
    await require();
    const { location = '' } = (await signIn()).headers;
    const { body } = await browser.get(`${location}&kind=totp`);
    const key = /<p class="key"[^>]*>([A-Z2-7 ]+)</.exec(body)?.[1] ?? '';
    const app = new TestAuthenticator(key.replaceAll(' ', ''));
    const fields = hiddenFields(body);
    const made = new Authenticator(HOME);
    await api.advance(400);
    type Asked = Parameters<Authenticator['register']>[0];
    const asked = (await browser.post(CHALLENGE, fields)).json<Asked>();
    await api.advance(201);
    const passkey = made.register(asked);
    for (const answered of [
      await browser.post(PAGE, { ...fields, code: app.code(api) }),
      await postCredential(browser, PAGE, { ...fields, kind: 'passkey' }, passkey),
      await browser.post(`${PAGE}/send`, { ...fields, kind: 'email' }),
    ]) {
      expect(answered.statusCode).toBe(303);
      const shown = await follow(answered);
      expect(shown.headers.location).toContain(`${CONFIRM}?next=`);
    }
    expect((await browser.post(CHALLENGE, fields)).statusCode).toBe(409);
    expect(await kept()).toEqual(NOTHING);
  });

  it('may put it off where its user may, and shows no secret for that', async () => {
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $2)`,
      [user.userId, user.orgId],
    );
    expect(isIn(await signIn())).toBe(true);
    await require({ requiredFor: 'owners' });
    await api.advance(SOON);
    const { location = '' } = (await authorize()).headers;
    const { body } = await browser.get(`${location}&kind=totp`);
    expect(body).toContain('name="skip"');
    expect(body).not.toContain('class="key"');
    expect(body).not.toContain('passkey-form');
    const proof = unescapeHtml(/id="show-proof" href="([^"]*)"/.exec(body)?.[1] ?? '');
    expect((await browser.get(proof)).body).toContain('type="password"');
    expect(isIn(await browser.post(PAGE, { ...hiddenFields(body), skip: 'true' }))).toBe(true);
  });

  it('signs its user in again in the same sign-in, whose forms may lead to the application', async () => {
    expect(isIn(await signIn())).toBe(true);
    await require();
    await api.advance(SOON);
    const { location = '' } = (await authorize()).headers;
    const flow = location.replace(PAGE, '/login');
    const confirm = `${CONFIRM}/sign-in?${new URLSearchParams({ next: location }).toString()}`;
    expect((await browser.get(confirm)).headers.location).toBe(flow);
    const page = await browser.get(flow);
    expect(page.headers['content-security-policy']).toMatch(/form-action 'self' http/);
    const fields = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
    const entered = await browser.post('/login', fields);
    expect(entered.headers.location).toBe(location);
    await setUpApp(location);
  });

  it('goes on to the application by the form of the proof where no factor is needed any more', async () => {
    expect(isIn(await signIn())).toBe(true);
    await require();
    await api.advance(SOON);
    const page = await toProof(await authorize());
    expect((await root.call('DELETE', 'policies/factors')).statusCode).toBe(200);
    // Chromium stops what follows a form at addresses that its page does not name (CSP Level 3, form-action)
    expect(page.headers['content-security-policy']).toMatch(/form-action 'self' http/);
    const fields = { ...formAt(page.body, CONFIRM), password: PASSWORD };
    expect(isIn(await follow(await browser.post(CONFIRM, fields)))).toBe(true);
  });

  it('opens no page of the account but that of the proof, and that to its own browser', async () => {
    expect(isIn(await signIn())).toBe(true);
    await require();
    await api.advance(SOON);
    const page = await toProof(await authorize());
    const fields = formAt(page.body, CONFIRM) ?? {};
    expect((await browser.get('/account')).headers.location).toBe('/login?destination=account');
    const other = new TestBrowser(api);
    const taken = await other.post(CONFIRM, { ...fields, password: PASSWORD });
    expect(taken.statusCode).toBe(403);
    const shown = await other.get(
      `${CONFIRM}?${new URLSearchParams({ next: fields['next'] ?? '' }).toString()}`,
    );
    expect(shown.headers.location).toBe('/login?destination=account');
  });
});

describe('somebody who signs in by a provider', () => {
  async function comeBy(id: string, subject: string): Promise<LightMyRequestResponse> {
    await owner.call('POST', `users/${user.userId}/idps`, { idpId: id, externalUserId: subject });
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    return await passBy(id);
  }

  async function passBy(id: string): Promise<LightMyRequestResponse> {
    plain.user = { id: user.userId, login: 'octo' };
    plain.emails = [];
    const there = await fetch(
      await chooseProvider(browser, await authorize({ prompt: 'select_account' }), id),
      {
        redirect: 'manual',
      },
    );
    return await browser.get(new URL(there.headers.get('location') ?? ''));
  }

  const aPlainProvider = () => anIdentityProvider(owner, { ...plain.settings, name: 'Plain' });

  it('that asks nothing shows a mailed code, and passing by once more is none (S510)', async () => {
    await require();
    const { id } = await aPlainProvider();
    await toProof(await comeBy(id, user.userId));
    const page = await toProof(await passBy(id));
    expect(page.body).not.toContain('type="password"');
    const back = await confirmByMail(page);
    expect(back).toMatch(/^\/login\/set-up-factor\?flow=/);
    await setUpApp(back);
  });

  it('that asks nothing is told where no mail can be sent, and offered none', async () => {
    const other = await startTestApi(ALLOWED, api);
    try {
      await require();
      const { id } = await aPlainProvider();
      browser = new TestBrowser(other);
      const page = await toProof(await comeBy(id, user.userId));
      expect(page.body).toContain('id="no-mail"');
      expect(page.body).not.toContain(BY_MAIL);
      expect(page.body).toContain(`href="${CONFIRM}/sign-in?`);
    } finally {
      await other.close();
    }
  });

  it('that asks nothing is told when the next code can be had, for one that has just been used', async () => {
    await require({ kinds: ['email'] });
    const { id } = await aPlainProvider();
    const back = await confirmByMail(await toProof(await comeBy(id, user.userId)));
    const early = await browser.get(back);
    expect(early.body).toMatch(/<button[^>]*id="send-code"[^>]* disabled/);
    expect(early.body).toMatch(/data-seconds="(?:60|5\d)"/);
    await api.advance(60);
    const { body } = await browser.get(back);
    expect(body).not.toContain('data-seconds="');
    const sent = await browser.post(`${PAGE}/send`, formAt(body, `${PAGE}/send`) ?? {});
    const typing = formAt((await follow(sent)).body, PAGE) ?? {};
    const done = await browser.post(PAGE, { ...typing, code: await newestCode(api, user.userId) });
    expect(isIn(done)).toBe(true);
  });

  it('that asks nothing, and who has never verified an address, sets up a factor at once and not later', async () => {
    await require();
    const { id } = await aPlainProvider();
    await api.sql.query('UPDATE user_humans SET email_verified = false WHERE user_id = $1', [user.userId]);
    const { location = '' } = (await comeBy(id, user.userId)).headers;
    expect((await browser.get(`${location}&kind=totp`)).body).toContain('class="key"');
    await api.advance(SOON);
    const later = await toProof(await authorize());
    expect(later.body).not.toContain(BY_MAIL);
    const again = unescapeHtml(/href="(\/account\/confirm\/sign-in[^"]*)"/.exec(later.body)?.[1] ?? '');
    expect((await browser.get(again)).headers.location).toMatch(/^\/login\?flow=/);
    const { location: anew = '' } = (await passBy(id)).headers;
    const { body } = await browser.get(`${anew}&kind=totp`);
    expect(body).toContain('class="key"');
  });

  it('that asks nothing sets one up at once, too, with a passkey that never signed them in alone', async () => {
    await require({ kinds: ['totp'] });
    const { id } = await aPlainProvider();
    await api.sql.query('UPDATE user_humans SET email_verified = false WHERE user_id = $1', [user.userId]);
    await api.sql.query(
      `INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name)
       VALUES ($1, $2, convert_to($2, 'UTF8'), '\\x00', '\\x00', 'Key')`,
      [user.orgId, user.userId],
    );
    const { location = '' } = (await comeBy(id, user.userId)).headers;
    expect((await browser.get(location)).body).toContain('class="key"');
  });

  it('that can be asked anew shows who they are there', async () => {
    const { id } = await aServedProvider(owner, foreign);
    expect(isIn(await signIn())).toBe(true);
    await require();
    await owner.call('POST', `users/${user.userId}/idps`, { idpId: id, externalUserId: user.userId });
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    await api.advance(SOON);
    const page = await toProof(await authorize());
    const fields = formAt(page.body, BY_IDENTITY) ?? {};
    const sent = await browser.post(BY_IDENTITY, fields);
    foreign.subject = user.userId;
    const url = await foreign.visit(unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? ''));
    const done = await follow(await browser.get(url));
    expect(done.headers.location).toBe(fields['next']);
    await setUpApp(done.headers.location ?? '');
  });

  it('that is a directory sets up a factor at once', async () => {
    await require();
    const password = 'a password of the directory';
    const dn = `uid=set-up${people},${BASE_DN}`;
    directory.users.set(dn, {
      password,
      attributes: { uid: `set-up${people}`, mail: `set-up${people}@acme.test`, entryUUID: user.userId },
    });
    const { id } = await anIdentityProvider(owner, {
      kind: 'ldap',
      name: 'Acme accounts',
      urls: [directory.ldaps],
      caCertificate: directory.authority,
      baseDn: BASE_DN,
      bindDn: BIND_DN,
      bindPassword: BIND_PASSWORD,
      userFilter: '(uid={loginName})',
      trustEmail: true,
      allowCreation: true,
    });
    const sent = await browser.get(await chooseProvider(browser, await authorize(), id));
    const typed = { ...hiddenFields(sent.body), loginName: `set-up${people}`, password };
    const entered = await browser.post(`/login/idps/${id}/directory`, typed);
    const { location = '' } = entered.headers;
    expect(location).toMatch(/^\/login\/set-up-factor\?flow=/);
    await setUpApp(location);
  });
});
