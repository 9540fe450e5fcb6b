import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { aReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  whoIs,
} from '../../support/browser-flow.js';
import { useForeignProvider } from '../../support/foreign-provider.js';
import { given, givenRunning } from '../../support/given.js';
import { anIdentityProvider, chooseProvider, usersBySubject } from '../../support/identity-providers.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { PlainOAuthProvider } from '../../support/plain-oauth-provider.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// A provider gives somebody the user name that an account here has: whose it is, they show themselves.

const foreign = useForeignProvider();
const plain = givenRunning(() => PlainOAuthProvider.start());

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

let idp: string;
async function addProvider(changes: object = {}): Promise<void> {
  await api.sql.query('DELETE FROM identity_providers');
  const added = await anIdentityProvider(owner, {
    ...foreign.settings,
    allowCreation: true,
    mapping: { fields: { userName: 'department' } },
    ...changes,
  });
  idp = added.id;
  foreign.serve(added.callbackUrl);
}
beforeEach(async () => {
  await addProvider();
});

let subjects = 0;
function newSubject(): string {
  subjects += 1;
  return `namesake-${subjects}`;
}

const addressOf = (subject: string): string => `${subject}@elsewhere.test`;

/** @returns the answer to whoever comes back with that user name */
async function comeBack(
  subject: string,
  userName: string,
  browser: TestBrowser,
  claims: Readonly<Record<string, unknown>> = { email: addressOf(subject), email_verified: true },
  asks: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  foreign.subject = subject;
  foreign.claims = { ...claims, department: userName };
  const begun = await browser.get(authorizeUrl(codeRequest(client, asks)));
  const back = await foreign.visit(await chooseProvider(browser, begun, idp));
  return await browser.get(back);
}

/** The page that such an answer leads to. */
async function asked(
  browser: TestBrowser,
  answered: LightMyRequestResponse,
): Promise<LightMyRequestResponse> {
  expect(answered.headers.location).toMatch(/^\/register\/external\?flow=/);
  const page = await browser.get(answered.headers.location ?? '');
  expect(page.statusCode).toBe(200);
  return page;
}

const choose = async (browser: TestBrowser, page: LightMyRequestResponse, loginName: string) =>
  await browser.post('/register/external', { ...hiddenFields(page.body), loginName });

async function signIn(browser: TestBrowser, flow: string, loginName: string) {
  const form = hiddenFields((await browser.get(`/login?flow=${flow}`)).body);
  return await browser.post('/login', { ...form, loginName, password: PASSWORD });
}

describe('a user name that somebody here has', () => {
  it('leads to a page that asks for another one, by which the account is made', async () => {
    const user = await aUser(world);
    const subject = newSubject();
    const browser = new TestBrowser(api);
    await collectMails(api);
    const page = await asked(browser, await comeBack(subject, user.userName, browser));
    expect(page.body).toContain(user.userName);
    expect(page.body).not.toContain('id="email"');
    expect(await usersBySubject(api, subject)).toEqual([]);
    for (const [name, problem] of [
      ['', 'Choose a login name.'],
      ['with blanks', 'contains characters'],
      ['somebody@another.test', 'contains characters'],
      [user.userName.toUpperCase(), 'Choose another one.'],
    ] as const) {
      const refused = await choose(browser, page, name);
      expect([name, refused.statusCode]).toEqual([name, 400]);
      expect(refused.body).toContain(problem);
    }
    const entered = await choose(browser, page, subject);
    const made = await whoIs(api, client, entered);
    expect(made).toMatchObject({ email: addressOf(subject), email_verified: true });
    expect(made['sub']).not.toBe(user.userId);
    expect(await usersBySubject(api, subject)).toEqual([made['sub']]);
    const { rows } = await api.sql.query('SELECT user_name FROM users WHERE id = $1', [made['sub']]);
    expect(rows).toEqual([{ user_name: subject }]);
    // the provider vouches for the address: no code is asked for
    expect(await collectMails(api)).toEqual([]);
    expect((await choose(browser, page, `${subject}-again`)).statusCode).toBe(400);
    expect(await usersBySubject(api, subject)).toHaveLength(1);
  });

  it('connects the account that has it once its owner signs in to it, and not before (S380)', async () => {
    const user = await aUser(world);
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await asked(browser, await comeBack(subject, user.userName, browser));
    expect(page.body).toContain('If that account is yours');
    const flow = hiddenFields(page.body)['flow'] ?? '';
    const form = hiddenFields((await browser.get(`/login?flow=${flow}`)).body);
    const wrong = { ...form, loginName: user.loginName, password: 'Marker-wrong' };
    expect((await browser.post('/login', wrong)).statusCode).toBe(400);
    expect(await usersBySubject(api, subject)).toEqual([]);
    expect((await whoIs(api, client, await signIn(browser, flow, user.loginName)))['sub']).toBe(user.userId);
    expect(await usersBySubject(api, subject)).toEqual([user.userId]);
  });

  it('connects none to whoever passes through a provider that asks nothing (S511)', async () => {
    const user = await aUser(world);
    const theirs = await anIdentityProvider(owner, { ...plain.settings, name: 'Plain' });
    await owner.call('POST', `users/${user.userId}/idps`, { idpId: theirs.id, externalUserId: user.userId });
    plain.user = { id: user.userId, login: 'octo' };
    plain.emails = [];
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const begun = await comeBack(subject, user.userName, browser);
    const there = await fetch(await chooseProvider(browser, begun, theirs.id), { redirect: 'manual' });
    const entered = await browser.get(new URL(there.headers.get('location') ?? ''));
    expect((await whoIs(api, client, entered))['sub']).toBe(user.userId);
    expect(await usersBySubject(api, subject)).toEqual([]);
    // their owner shows it by the password
    const page = await asked(
      browser,
      await comeBack(subject, user.userName, browser, undefined, { prompt: 'login' }),
    );
    const flow = hiddenFields(page.body)['flow'] ?? '';
    expect((await whoIs(api, client, await signIn(browser, flow, user.loginName)))['sub']).toBe(user.userId);
    expect(await usersBySubject(api, subject)).toEqual([user.userId]);
  });

  it('connects no other account, and none that only the name was typed of (S380)', async () => {
    const [user, other] = [await aUser(world), await aUser(world)];
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await asked(browser, await comeBack(subject, user.userName, browser));
    expect((await choose(browser, page, other.userName)).statusCode).toBe(400);
    const flow = hiddenFields(page.body)['flow'] ?? '';
    expect((await whoIs(api, client, await signIn(browser, flow, other.loginName)))['sub']).toBe(
      other.userId,
    );
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it('connects none where the provider may not be connected, and does not offer it', async () => {
    await addProvider({ allowLinking: false });
    const user = await aUser(world);
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await asked(browser, await comeBack(subject, user.userName, browser));
    expect(page.body).not.toContain('If that account is yours');
    const flow = hiddenFields(page.body)['flow'] ?? '';
    expect((await browser.get(`/login?flow=${flow}`)).body).not.toContain('You came back from');
    expect((await whoIs(api, client, await signIn(browser, flow, user.loginName)))['sub']).toBe(user.userId);
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it('is asked for after the code where the provider does not vouch for the address, and no other code then', async () => {
    const user = await aUser(world);
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const claims = { email: addressOf(subject), email_verified: false };
    const sent = await comeBack(subject, user.userName, browser, claims);
    expect(sent.headers.location).toContain('/register/verify?id=');
    const { code } = linkIn((await collectMails(api)).at(-1), '/register/verify');
    const form = await browser.get(sent.headers.location ?? '');
    const prove = async (typed: string) =>
      await browser.post('/register/verify', { ...hiddenFields(form.body), code: typed });
    expect((await prove('AAAAAA')).statusCode).toBe(400);
    const page = await asked(browser, await prove(code));
    const made = await whoIs(api, client, await choose(browser, page, subject));
    expect(made).toMatchObject({ email: addressOf(subject), email_verified: true });
    expect(await usersBySubject(api, subject)).toEqual([made['sub']]);
    expect(await collectMails(api)).toEqual([]);
    // the code is of no use any more
    expect((await prove(code)).statusCode).toBe(400);
    expect(await usersBySubject(api, subject)).toHaveLength(1);
  });

  it('keeps when the provider says that they signed in there, for an application that asks how long ago', async () => {
    const user = await aUser(world);
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const claims = { email: addressOf(subject), email_verified: true };
    // who is sent `max_age` says when (OpenID Connect Core §2, `auth_time`)
    const back = await comeBack(subject, user.userName, browser, claims, { max_age: '3600' });
    const page = await asked(browser, back);
    const entered = await choose(browser, page, subject);
    expect(redirected(entered).has('code')).toBe(true);
    const again = async (): Promise<string | null> => {
      const request = codeRequest(client, { prompt: 'none', max_age: '3600' });
      return redirected(await browser.get(authorizeUrl(request))).get('error');
    };
    expect(await again()).toBeNull();
    // nor is it taken for what could open the account
    const { rows } = await api.sql.query<{ proofs: object }>(
      'SELECT proofs FROM sessions WHERE user_id = ANY ($1::text[])',
      [await usersBySubject(api, subject)],
    );
    expect(rows.map(({ proofs }) => Object.keys(proofs).sort())).toEqual([['external', 'external-told']]);
    await api.advance(3602);
    expect(await again()).toBe('login_required');
  });

  it('keeps the names that were typed before', async () => {
    const user = await aUser(world);
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const nameless = await asked(browser, await comeBack(subject, user.userName, browser, {}));
    const typed = { email: addressOf(subject), firstName: 'Grace', lastName: 'Hopper' };
    const sent = await browser.post('/register/external', { ...hiddenFields(nameless.body), ...typed });
    const { code } = linkIn((await collectMails(api)).at(-1), '/register/verify');
    const form = hiddenFields((await browser.get(sent.headers.location ?? '')).body);
    const page = await asked(browser, await browser.post('/register/verify', { ...form, code }));
    const made = await whoIs(api, client, await choose(browser, page, subject));
    expect(made).toMatchObject({ email: typed.email, given_name: 'Grace', family_name: 'Hopper' });
  });

  it('is not found out by trying many (S380)', async () => {
    const narrow = await aReplica(api, { OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_SIGN_IN: '2' });
    const user = await aUser(world);
    const browser = new TestBrowser(narrow);
    const page = await asked(browser, await comeBack(newSubject(), user.userName, browser));
    for (const status of [400, 400, 429]) {
      expect((await choose(browser, page, user.userName)).statusCode).toBe(status);
    }
  });

  it('makes one account, however often a name is sent at once', async () => {
    const user = await aUser(world);
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await asked(browser, await comeBack(subject, user.userName, browser));
    await Promise.all([1, 2, 3].map((nth) => choose(browser, page, `${subject}-${nth}`)));
    expect(await usersBySubject(api, subject)).toHaveLength(1);
    const { rows } = await api.sql.query('SELECT FROM user_humans WHERE email = $1', [addressOf(subject)]);
    expect(rows).toHaveLength(1);
  });
});
