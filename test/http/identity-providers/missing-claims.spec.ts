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
import { given } from '../../support/given.js';
import { aServedProvider, chooseProvider, usersBySubject } from '../../support/identity-providers.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// A provider that makes accounts and gives no address: a page asks for it, and a code proves it.

const foreign = useForeignProvider();

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

let idp: string;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  ({ id: idp } = await aServedProvider(owner, foreign, { allowCreation: true }));
});

let subjects = 0;
function newSubject(): string {
  subjects += 1;
  return `nameless-${subjects}`;
}

/** @returns the page that asks */
async function comeBack(
  subject: string,
  claims: Readonly<Record<string, unknown>> = {},
  browser = new TestBrowser(api),
): Promise<LightMyRequestResponse> {
  foreign.subject = subject;
  foreign.claims = claims;
  const begun = await browser.get(authorizeUrl(codeRequest(client)));
  const flow = redirected(begun).get('flow') ?? '';
  const back = await foreign.visit(await chooseProvider(browser, begun, idp));
  const answered = await browser.get(back);
  expect(answered.headers.location).toBe(`/register/external?flow=${flow}`);
  const page = await browser.get(answered.headers.location ?? '');
  expect(page.statusCode).toBe(200);
  return page;
}

async function submit(
  browser: TestBrowser,
  page: LightMyRequestResponse,
  typed: Record<string, string>,
): Promise<LightMyRequestResponse> {
  return await browser.post('/register/external', { ...hiddenFields(page.body), ...typed });
}

async function newestCode(): Promise<string> {
  return linkIn((await collectMails(api)).at(-1), '/register/verify').code;
}

async function prove(
  browser: TestBrowser,
  asked: LightMyRequestResponse,
  code: string,
): Promise<LightMyRequestResponse> {
  const page = await browser.get(asked.headers.location ?? '');
  return await browser.post('/register/verify', { ...hiddenFields(page.body), code });
}

async function usersWith(email: string): Promise<number> {
  const { rows } = await api.sql.query('SELECT FROM user_humans WHERE lower(email) = lower($1)', [email]);
  return rows.length;
}

describe('a provider that gives no address', () => {
  it('leads to a page that asks for it, and to an account once it is proven', async () => {
    const subject = newSubject();
    const email = `${subject}@mail.test`;
    const browser = new TestBrowser(api);
    const page = await comeBack(subject, {}, browser);
    expect(page.body).toContain('Elsewhere');
    expect(page.body).toContain('id="firstName"');
    expect(page.body).not.toContain('<script src');
    const asked = await submit(browser, page, { email, firstName: 'Ada', lastName: 'Lovelace' });
    expect(asked.statusCode).toBe(303);
    expect([await usersWith(email), await usersBySubject(api, subject)]).toEqual([0, []]);
    const code = await newestCode();
    expect((await prove(browser, asked, 'AAAAAA')).statusCode).toBe(400);
    const user = await whoIs(api, client, await prove(browser, asked, code));
    expect(user).toMatchObject({ email, email_verified: true, given_name: 'Ada', family_name: 'Lovelace' });
    expect(await usersBySubject(api, subject)).toEqual([user['sub']]);
    // from then on they are known by their subject, and nothing is asked
    const again = new TestBrowser(api);
    const begun = await again.get(authorizeUrl(codeRequest(client)));
    const back = await foreign.visit(await chooseProvider(again, begun, idp));
    expect((await whoIs(api, client, await again.get(back)))['sub']).toBe(user['sub']);
  });

  it.each([
    ['one that is none', { email: 'not an address', email_verified: true }],
    ['a claim that vouches for nothing', { email_verified: true }],
  ])('believes nothing that is said of an address: %s', async (_case, claims) => {
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await comeBack(subject, claims, browser);
    const asked = await submit(browser, page, { email: `${subject}@mail.test` });
    expect(asked.headers.location).toContain('/register/verify?id=');
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it('asks for no name that the provider has said, and for none at all costs', async () => {
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await comeBack(subject, { given_name: 'Grace' }, browser);
    expect(page.body).not.toContain('id="firstName"');
    expect(page.body).toContain('id="lastName"');
    const email = `${subject}@mail.test`;
    // what was not asked for is not taken
    const asked = await submit(browser, page, { email, firstName: 'Mallory' });
    const user = await whoIs(api, client, await prove(browser, asked, await newestCode()));
    expect(user).toMatchObject({ email, given_name: 'Grace' });
    expect(user['family_name']).toBeUndefined();
  });

  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'email'],
    ['no address', { email: 'ada@' }, 'email'],
    ['a name that is too long', { email: 'a@mail.test', firstName: 'x'.repeat(201) }, 'firstName'],
    ['a name that nobody sees', { email: 'a@mail.test', lastName: 'Love\u202elace' }, 'lastName'],
  ])('says what is wrong, and keeps what was typed: %s', async (_case, typed, field) => {
    const browser = new TestBrowser(api);
    await collectMails(api);
    const answered = await submit(browser, await comeBack(newSubject(), {}, browser), typed);
    expect(answered.statusCode).toBe(400);
    expect(Array.from(answered.body.matchAll(/ id="(\w+)-error"/g), ([, id]) => id)).toEqual([field]);
    if ('email' in typed) expect(answered.body).toContain(`value="${typed['email']}"`);
    expect(await collectMails(api)).toEqual([]);
  });

  it('takes another address after a slip: the code of the first is worth nothing then', async () => {
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await comeBack(subject, {}, browser);
    const slip = await submit(browser, page, { email: `slip-${subject}@mail.test` });
    const first = await newestCode();
    const asked = await submit(browser, page, { email: `${subject}@mail.test` });
    const code = await newestCode();
    expect((await prove(browser, slip, first)).statusCode).toBe(400);
    const user = await whoIs(api, client, await prove(browser, asked, code));
    expect(user['email']).toBe(`${subject}@mail.test`);
    expect(await usersWith(`slip-${subject}@mail.test`)).toBe(0);
  });

  it('shows what was typed to whoever goes back, and takes it as it is then', async () => {
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await comeBack(subject, { given_name: 'Grace' }, browser);
    const email = `${subject}@mail.test`;
    await submit(browser, page, { email: `slip-${email}`, lastName: 'Hoper' });
    const flow = hiddenFields(page.body)['flow'] ?? '';
    const back = await browser.get(`/register/external?flow=${flow}`);
    expect(back.body).not.toContain('id="firstName"');
    for (const typed of [`slip-${email}`, 'Hoper']) expect(back.body).toContain(`value="${typed}"`);
    await submit(browser, back, { email, lastName: 'Hopper' });
    const again = await browser.get(`/register/external?flow=${flow}`);
    // a name that is taken away is none
    await submit(browser, again, { email, lastName: '' });
    const emptied = await browser.get(`/register/external?flow=${flow}`);
    expect(emptied.body).not.toContain('Hopper');
    const asked = await submit(browser, emptied, { email, lastName: 'Hopper' });
    const user = await whoIs(api, client, await prove(browser, asked, await newestCode()));
    expect(user).toMatchObject({ email, given_name: 'Grace', family_name: 'Hopper' });
  });

  it('makes one user, however often the code is sent, and of two addresses at once', async () => {
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await comeBack(subject, {}, browser);
    const asked = await submit(browser, page, { email: `${subject}@mail.test` });
    const code = await newestCode();
    // the same person in another browser, with another address
    const second = new TestBrowser(api);
    const other = await submit(second, await comeBack(subject, {}, second), {
      email: `other-${subject}@mail.test`,
    });
    const otherCode = await newestCode();
    const fields = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
    await Promise.all([
      browser.post('/register/verify', { ...fields, code }),
      browser.post('/register/verify', { ...fields, code }),
      prove(second, other, otherCode),
    ]);
    expect(await usersBySubject(api, subject)).toHaveLength(1);
    const made = [await usersWith(`${subject}@mail.test`), await usersWith(`other-${subject}@mail.test`)];
    expect(made.toSorted()).toEqual([0, 1]);
  });

  it('is no way into an account that has the address, nor tells that there is one (S356)', async () => {
    const address = `${newSubject()}@mail.test`;
    const user = await aUser(world, { email: { address, verified: true }, proven: true });
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const page = await comeBack(subject, {}, browser);
    const asked = await submit(browser, page, { email: address });
    expect(asked.headers.location).toContain('/register/verify?id=');
    const told = (await collectMails(api)).at(-1);
    expect(told?.to).toBe(address);
    expect(told?.text).not.toContain('/register/verify');
    const stranger = newSubject();
    const elsewhere = new TestBrowser(api);
    const same = await submit(elsewhere, await comeBack(stranger, {}, elsewhere), {
      email: `${stranger}@mail.test`,
    });
    const plain = async (at: TestBrowser, of: LightMyRequestResponse) =>
      (await at.get(of.headers.location ?? '')).body.replace(
        /value="[^"]*"|nonce="[^"]*"|nonce-[^']*|id=[\w-]+|[\w]•••@/g,
        '',
      );
    expect(await plain(browser, asked)).toBe(await plain(elsewhere, same));
    for (const code of ['AAAAAA', 'BBBBBB']) {
      expect((await prove(browser, asked, code)).statusCode).toBe(400);
    }
    expect(await usersBySubject(api, subject)).toEqual([]);
    // its owner signs in to it in the same browser, and the identity goes with it
    const flow = hiddenFields(page.body)['flow'] ?? '';
    const form = hiddenFields((await browser.get(`/login?flow=${flow}`)).body);
    const done = await browser.post('/login', { ...form, loginName: user.loginName, password: PASSWORD });
    expect((await whoIs(api, client, done))['sub']).toBe(user.userId);
    expect(await usersBySubject(api, subject)).toEqual([user.userId]);
  });

  it('connects no account that somebody signs in to before they have said an address', async () => {
    const subject = newSubject();
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    const flow = hiddenFields((await comeBack(subject, {}, browser)).body)['flow'] ?? '';
    const signIn = await browser.get(`/login?flow=${flow}`);
    expect(signIn.body).not.toContain('You came back from');
    const form = { ...hiddenFields(signIn.body), loginName: user.loginName, password: PASSWORD };
    expect((await whoIs(api, client, await browser.post('/login', form)))['sub']).toBe(user.userId);
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it("makes no account with an address of another organization's domain", async () => {
    const subject = newSubject();
    const { domain } = await anOrganization(api);
    const browser = new TestBrowser(api);
    const answered = await submit(browser, await comeBack(subject, {}, browser), { email: `ada@${domain}` });
    expect(answered.statusCode).toBe(400);
    expect(answered.body).toContain('cannot be used for a new account');
  });

  it('gets no more mails than an address of the network may ask for (S356)', async () => {
    const narrow = await aReplica(api, { OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1' });
    const browser = new TestBrowser(narrow);
    const page = await comeBack(newSubject(), {}, browser);
    await submit(browser, page, { email: `flood-1-${subjects}@mail.test` });
    const answered = await submit(browser, page, { email: `flood-2-${subjects}@mail.test` });
    expect(answered.statusCode).toBe(429);
    expect(answered.headers['retry-after']).toMatch(/^\d+$/);
  });

  it('has no such page for anybody else, in another browser, or once the provider makes no accounts', async () => {
    const browser = new TestBrowser(api);
    const page = await comeBack(newSubject(), {}, browser);
    const flow = hiddenFields(page.body)['flow'] ?? '';
    const stranger = new TestBrowser(api);
    expect((await stranger.get(`/register/external?flow=${flow}`)).statusCode).toBe(400);
    const begun = redirected(await stranger.get(authorizeUrl(codeRequest(client)))).get('flow') ?? '';
    expect((await stranger.get(`/register/external?flow=${begun}`)).statusCode).toBe(400);
    await api.sql.query('UPDATE identity_providers SET allow_creation = false WHERE id = $1', [idp]);
    await collectMails(api);
    expect((await submit(browser, page, { email: `late-${subjects}@mail.test` })).statusCode).toBe(400);
    expect(await collectMails(api)).toEqual([]);
  });

  it('says so where the provider makes no accounts', async () => {
    await api.sql.query('UPDATE identity_providers SET allow_creation = false WHERE id = $1', [idp]);
    foreign.subject = newSubject();
    foreign.claims = {};
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client)));
    const back = await foreign.visit(await chooseProvider(browser, begun, idp));
    const answered = await browser.get(back);
    expect(redirected(answered).get('idp')).toBe('idp-no-account');
  });
});
