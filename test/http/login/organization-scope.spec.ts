import { beforeAll, describe, expect, it } from 'vitest';
import { randomToken } from '../../../src/domain/shared/random.js';
import { anApplication } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  redirected,
  TestBrowser,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const ACCENT = '#123abc';
const REGISTER = /href="\/register\?/;

// An authorization request that names an organization (protocol §6.2: "user must belong to org; login branding/policy
// of org"), from an application that belongs to another one.

/** The default organization, which has the application. */
const { api, world: home } = useWorld();
const homeOwner = given(() => aServiceUser(home, 'ORG_OWNER'));
const client = given(() => anApplication(home));
const acme = given(() => anOrganization(api));
const acmeOwner = given(() => aServiceUser(acme, 'ORG_OWNER'));
beforeAll(async () => {
  for (const world of [home, acme]) await world.allowRegister();
  await put(homeOwner, 'branding', { displayName: 'Home', accentColor: '#006600' });
  await put(acmeOwner, 'branding', { displayName: 'Acme', accentColor: ACCENT });
});

async function put({ pat }: ServiceUser, policy: string, body: object): Promise<void> {
  const response = await call(api, 'PUT', `policies/${policy}`, { pat, body });
  expect(response.statusCode, response.body).toBe(200);
}

const request = (scope: string, changes: Record<string, string> = {}) =>
  codeRequest(client, { scope: `openid ${scope}`, ...changes });
const toAcme = (): string => `urn:zitadel:iam:org:id:${acme.orgId}`;

async function pageOf(scope: string, changes: Record<string, string> = {}, browser = new TestBrowser(api)) {
  const begun = await browser.get(authorizeUrl(request(scope, changes)));
  return await browser.get(begun.headers.location ?? '');
}

/** One user of that name in each organization. */
async function namesakes() {
  const userName = `ada-${randomToken(6)}`.toLowerCase();
  const email = { address: `${userName}@mail.test`, verified: true };
  return {
    here: await aUser(home, { userName, email }),
    there: await aUser(acme, { userName, email, password: `${PASSWORD}-there` }),
  };
}

async function subjectOf(code: string | null): Promise<string | undefined> {
  expect(code).not.toBeNull();
  const { rows } = await api.sql.query<{ user_id: string }>(
    'SELECT user_id FROM authorizations ORDER BY created_at DESC LIMIT 1',
  );
  return rows[0]?.user_id;
}

describe('a request that names an organization', () => {
  it.each([
    ['by id', () => toAcme()],
    ['by id, in this service’s own words', () => `urn:service:iam:org:id:${acme.orgId}`],
    ['by domain', () => `urn:zitadel:iam:org:domain:primary:${acme.domain.toUpperCase()}`],
    ['by domain, in this service’s own words', () => `urn:service:iam:org:domain:primary:${acme.domain}`],
  ])('%s has pages that look as that organization wants', async (_how, scope) => {
    const browser = new TestBrowser(api);
    const page = await pageOf(scope(), {}, browser);
    expect(page.body).toContain(`--accent:${ACCENT};`);
    expect(page.body).toContain('Sign in – Acme');
    const register = await pageOf(scope(), { prompt: 'create' }, browser);
    expect(register.body).toContain(`--accent:${ACCENT};`);
  });

  it('keeps its look after a mistake, and without the scope the application’s stays', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(request(toAcme()));
    const refused = await browser.post('/login', { ...fields, loginName: 'nobody', password: 'wrong' });
    expect([refused.statusCode, refused.body.includes(`--accent:${ACCENT};`)]).toEqual([400, true]);
    expect((await pageOf('profile')).body).toContain('--accent:#006600;');
    expect((await pageOf('urn:zitadel:iam:org:id:nowhere')).body).toContain('--accent:#006600;');
  });

  it('offers an account where that organization’s policy allows it, and only in it', async () => {
    expect((await pageOf(toAcme())).body).toMatch(REGISTER);
    await put(acmeOwner, 'login', { allowRegister: false });
    expect((await pageOf(toAcme())).body).not.toMatch(REGISTER);
    expect((await pageOf('profile')).body).toMatch(REGISTER);
    await put(acmeOwner, 'login', { allowRegister: true });
    await put(homeOwner, 'login', { allowRegister: false });
    expect((await pageOf(toAcme())).body).toMatch(REGISTER);
    expect((await pageOf('profile')).body).not.toMatch(REGISTER);
    await home.allowRegister();
    expect((await pageOf('urn:zitadel:iam:org:id:nowhere')).body).not.toMatch(REGISTER);
  });

  it('asks for the password that that organization’s policy asks for', async () => {
    await put(acmeOwner, 'password', { minLength: 33, hasSymbol: false });
    const rules = async (scope: string) =>
      /at least (\d+) characters/.exec((await pageOf(scope, { prompt: 'create' })).body)?.[1];
    expect([await rules(toAcme()), await rules('profile')]).toEqual(['33', '8']);
  });

  it('means its user by a name that others have, too', async () => {
    const { here, there } = await namesakes();
    for (const loginName of [there.userName, `${there.userName}@mail.test`, there.loginName]) {
      const signIn = async (scope: string, password: string) => {
        const browser = new TestBrowser(api);
        const fields = await browser.openSignIn(request(scope));
        return await browser.post('/login', { ...fields, loginName, password });
      };
      const answered = await signIn(toAcme(), `${PASSWORD}-there`);
      expect(await subjectOf(redirected(answered).get('code'))).toBe(there.userId);
      // the namesake’s password opens nothing here, and everything where nobody asked for an organization
      expect((await signIn(toAcme(), PASSWORD)).statusCode).toBe(400);
      if (loginName === there.loginName) continue;
      expect(await subjectOf(redirected(await signIn('profile', PASSWORD)).get('code'))).toBe(here.userId);
    }
  });

  it('finds its user under however many namesakes', async () => {
    const { there } = await namesakes();
    for (let count = 0; count < 6; count += 1) {
      await aUser(await anOrganization(api), { userName: there.userName });
    }
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(request(toAcme()));
    const typed = { loginName: there.userName, password: `${PASSWORD}-there` };
    const answered = await browser.post('/login', { ...fields, ...typed });
    expect(await subjectOf(redirected(answered).get('code'))).toBe(there.userId);
  });

  it('sends the code for a forgotten password to its user', async () => {
    const { there } = await namesakes();
    const browser = new TestBrowser(api);
    const { flow = '' } = await browser.openSignIn(request(toAcme()));
    const form = await browser.get(`/password/forgotten?flow=${flow}`);
    expect(form.body).toContain(`--accent:${ACCENT};`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(form.body)?.[1] ?? '';
    await browser.post('/password/forgotten', { flow, csrf, loginName: there.userName });
    const { rows } = await api.sql.query(
      "SELECT user_id FROM verification_codes WHERE purpose = 'reset_password' ORDER BY created_at DESC LIMIT 1",
    );
    expect(rows).toEqual([{ user_id: there.userId }]);
  });

  it('lists only its accounts, and goes to the sign-in page where there is none', async () => {
    const { here, there } = await namesakes();
    const browser = await aSignedInBrowser(api, client, here);
    const choose = { prompt: 'select_account' };
    expect((await pageOf(toAcme(), choose, browser)).body).toContain('id="password"');
    const fields = await browser.openSignIn(request(toAcme(), { prompt: 'login' }));
    const typed = { loginName: there.userName, password: `${PASSWORD}-there` };
    redirected(await browser.post('/login', { ...fields, ...typed }));
    const { body } = await pageOf(toAcme(), choose, browser);
    expect(body).toContain(there.loginName);
    expect(body).not.toContain(here.loginName);
    expect((await pageOf('profile', choose, browser)).body).toContain(here.loginName);
  });

  it('refuses whoever lives elsewhere, right password or not', async () => {
    const elsewhere = await aUser(home);
    const answered = await new TestBrowser(api).signIn(request(toAcme()), elsewhere);
    expect(redirected(answered).get('error')).toBe('access_denied');
    expect(redirected(answered).get('code')).toBeNull();
  });
});
