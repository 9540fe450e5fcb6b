import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { SERVED_ACR_VALUES } from '../../../src/domain/sessions/acr.js';
import { aReplica, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  tokensOf,
  unescapeHtml,
  userinfo,
} from '../../support/browser-flow.js';
import { ForeignProvider, useForeignProvider } from '../../support/foreign-provider.js';
import { given } from '../../support/given.js';
import {
  aServedProvider,
  chooseProvider,
  usersBySubject,
  type AddedProvider,
} from '../../support/identity-providers.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { png } from '../../support/pictures.js';
import { countTogether } from '../../support/rate-limits.js';
import { aServiceUser } from '../../support/service-users.js';
import { aManager, aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const foreign = useForeignProvider();
const other = useForeignProvider();

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

async function addProvider(at: ForeignProvider, settings: object = {}, by = owner): Promise<AddedProvider> {
  return await aServedProvider(by, at, { allowCreation: true, ...settings });
}

let idp: AddedProvider;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  foreign.broken = false;
  other.broken = false;
  foreign.claims = {};
  idp = await addProvider(foreign, { updateOnSignIn: true });
});

let subjects = 0;
function newSubject(): string {
  subjects += 1;
  return `subject-${subjects}`;
}

/** From the application to the provider: the address that the browser is sent to. */
async function toProvider(
  browser: TestBrowser,
  changes: Record<string, string> = {},
  id = idp.id,
): Promise<string> {
  const begun = await browser.get(authorizeUrl(codeRequest(client, changes)));
  await browser.get(begun.headers.location ?? '');
  return await chooseProvider(browser, begun, id);
}

/** The way back, as the provider sends the browser. */
async function back(browser: TestBrowser, url: URL): Promise<LightMyRequestResponse> {
  expect(url.origin).toBe('https://id.test');
  return await browser.get(url);
}

async function signIn(
  subject: string,
  claims: Readonly<Record<string, unknown>>,
  browser = new TestBrowser(api),
): Promise<LightMyRequestResponse> {
  foreign.subject = subject;
  foreign.claims = claims;
  return await back(browser, await foreign.visit(await toProvider(browser)));
}

async function whoIs(answered: LightMyRequestResponse): Promise<Record<string, unknown>> {
  const { access_token: token } = await tokensOf(api, client, answered);
  return (await userinfo(api, token)).json<Record<string, unknown>>();
}

function problemOf(answered: LightMyRequestResponse): string | null {
  expect(answered.statusCode).toBe(302);
  return redirected(answered).get('idp');
}

describe('signing in with a provider', () => {
  it('has a button in the look of the organization', async () => {
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client)));
    const page = await browser.get(begun.headers.location ?? '');
    expect(page.body).toMatch(
      new RegExp(`<a class="button quiet" href="/login/idps/${idp.id}\\?flow=[^"]*"\\s*>Continue with`),
    );
    // its page has the colour and the logo of the organization, and so has the one that sends people on
    await owner.call('PUT', `idps/${idp.id}`, {
      kind: 'oidc',
      name: 'Elsewhere',
      clientId: foreign.clientId,
      issuer: foreign.issuer,
      homeRealm: true,
    });
    const look = { displayName: 'Acme', accentColor: '#FF8800', logo: png().toString('base64') };
    expect((await owner.call('PUT', 'policies/branding', look)).statusCode).toBe(200);
    const { logoUrl } = (await owner.call('GET', 'policies/branding')).json<{ logoUrl: string }>();
    const branded = await browser.get(begun.headers.location ?? '');
    const typed = { ...hiddenFields(branded.body), loginName: `ada@${world.domain}`, password: '' };
    const sentOn = await browser.post('/login', typed);
    expect(sentOn.body).toContain('id="send-on"');
    for (const { body } of [branded, sentOn]) {
      expect(body).toContain(`/login/idps/${idp.id}?`);
      expect(body).toContain(`<img src="${new URL(logoUrl).pathname}" alt="Acme"`);
      expect(body).toContain('--accent:#ff8800;');
    }
    await owner.call('DELETE', 'policies/branding');
    await owner.call('PUT', 'policies/login', { allowExternalIdps: false });
    expect((await browser.get(begun.headers.location ?? '')).body).not.toContain('/login/idps/');
    await owner.call('DELETE', 'policies/login');
  });

  it('makes an account at the first sign-in, finds it at the second, and keeps it up to date', async () => {
    const subject = newSubject();
    const email = `${subject}@elsewhere.test`;
    const first = await whoIs(
      await signIn(subject, { email, email_verified: true, given_name: 'Grace', family_name: 'Hopper' }),
    );
    expect(first).toMatchObject({ email, email_verified: true, given_name: 'Grace', family_name: 'Hopper' });
    const second = await whoIs(
      await signIn(subject, { email: 'moved@elsewhere.test', email_verified: true, given_name: 'Amazing' }),
    );
    expect(second).toMatchObject({ sub: first['sub'], email, given_name: 'Amazing', family_name: 'Hopper' });
  });

  it('says nothing in amr and acr that was not shown here', async () => {
    const subject = newSubject();
    const { id_token: token } = await tokensOf(
      api,
      client,
      await signIn(subject, { email: `${subject}@elsewhere.test`, email_verified: true }),
    );
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).not.toHaveProperty('amr');
    expect(claims).not.toHaveProperty('acr');
  });

  it('hands on what the application asks for', async () => {
    const subject = newSubject();
    foreign.subject = subject;
    foreign.claims = { email: `${subject}@elsewhere.test`, email_verified: true };
    const browser = new TestBrowser(api);
    const url = await toProvider(browser, {
      prompt: 'login',
      login_hint: 'grace@elsewhere.test',
      ui_locales: 'de',
      max_age: '60',
      // of the classes that are known here, as all else that is asked for is dropped
      acr_values: `urn:test:gold ${SERVED_ACR_VALUES.join(' ')}`,
    });
    const asked = new URL(url).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      prompt: 'login',
      login_hint: 'grace@elsewhere.test',
      ui_locales: 'de',
      max_age: '60',
      acr_values: SERVED_ACR_VALUES.join(' '),
      redirect_uri: idp.callbackUrl,
      code_challenge_method: 'S256',
    });
    expect(asked.get('state')).not.toBe(asked.get('nonce'));
    expect((await whoIs(await back(browser, await foreign.visit(url))))['email']).toBe(
      `${subject}@elsewhere.test`,
    );
  });

  it('goes straight to the provider that a scope names', async () => {
    const browser = new TestBrowser(api);
    const scope = `openid urn:zitadel:iam:org:idp:id:${idp.id}`;
    const begun = await browser.get(authorizeUrl(codeRequest(client, { scope })));
    const sent = await browser.get(begun.headers.location ?? '');
    expect(sent.statusCode).toBe(302);
    expect(sent.headers.location).toContain(`/login/idps/${idp.id}?flow=`);
    // one that is not there leads back to the page, which says so and stays
    const unknown = 'openid urn:zitadel:iam:org:idp:id:nobody';
    const lost = await browser.get(authorizeUrl(codeRequest(client, { scope: unknown })));
    const start = await browser.get((await browser.get(lost.headers.location ?? '')).headers.location ?? '');
    const page = await browser.get(start.headers.location ?? '');
    expect(page.body).toContain('You were not signed in there');
  });

  it("sends nobody on to another organization's provider: a button says whose it is", async () => {
    const elsewhere = await anOrganization(api);
    const theirs = await addProvider(
      other,
      { name: 'Directory' },
      await aServiceUser(elsewhere, 'ORG_OWNER'),
    );
    const browser = new TestBrowser(api);
    const scope = `openid urn:zitadel:iam:org:idp:id:${theirs.id}`;
    const begun = await browser.get(authorizeUrl(codeRequest(client, { scope })));
    const page = await browser.get(begun.headers.location ?? '');
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain(`/login/idps/${theirs.id}?flow=`);
    expect(page.body).toContain(`Directory (Org ${elsewhere.domain})`);
    // nor by an address of its domain that the application names
    await api.sql.query('UPDATE identity_providers SET home_realm = true WHERE id = ANY ($1)', [
      [idp.id, theirs.id],
    ]);
    const hint = { login_hint: `ada@${elsewhere.domain}` };
    const hinted = await browser.get(authorizeUrl(codeRequest(client, hint)));
    expect((await browser.get(hinted.headers.location ?? '')).statusCode).toBe(200);
  });

  it('sends whoever types an address of a verified domain to the provider of the domain', async () => {
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, { homeRealm: true });
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const sent = await browser.post('/login', { ...fields, loginName: `Ada@${world.domain}`, password: '' });
    // a page: what a form leads to would be held against the policy
    expect(sent.statusCode).toBe(200);
    const way = unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? '');
    expect(way).toContain(`/login/idps/${idp.id}?hint=`);
    const asked = new URL((await browser.get(way)).headers.location ?? '');
    expect(asked.searchParams.get('login_hint')).toBe(`Ada@${world.domain}`);
    const stays = await browser.post('/login', { ...fields, loginName: 'ada@nobodys.test', password: '' });
    expect(stays.body).toContain('Enter your password');
    // the way of whoever the application names
    const hinted = await browser.get(
      authorizeUrl(codeRequest(client, { login_hint: `ada@${world.domain}` })),
    );
    expect((await browser.get(hinted.headers.location ?? '')).headers.location).toContain('/login/idps/');
  });

  it('keeps whoever types an address of a domain that nobody has proven to be theirs', async () => {
    await addProvider(other, { name: 'Directory', homeRealm: true });
    const domain = `unproven-${newSubject()}.test`;
    expect((await owner.call('POST', 'orgs/me/domains', { domain })).statusCode).toBe(200);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const type = async () =>
      (await browser.post('/login', { ...fields, loginName: `ada@${domain}`, password: '' })).body;
    const come = async () => {
      const hinted = await browser.get(authorizeUrl(codeRequest(client, { login_hint: `ada@${domain}` })));
      return (await browser.get(hinted.headers.location ?? '')).headers.location;
    };
    expect(await type()).toContain('Enter your password');
    expect(await type()).not.toContain('id="send-on"');
    expect(await come()).toBeUndefined();
    // the proof alone makes the difference
    await api.sql.query('UPDATE organization_domains SET is_verified = true WHERE domain = $1', [domain]);
    expect(await type()).toContain('id="send-on"');
    expect(await come()).toContain('/login/idps/');
    await api.sql.query('DELETE FROM organization_domains WHERE domain = $1', [domain]);
  });

  it('says so while the provider is away, and leaves the other ways open', async () => {
    const user = await aUser(world);
    other.broken = true;
    const away = await addProvider(other, { name: 'Away' });
    const browser = new TestBrowser(api);
    const problem = await toProvider(browser, {}, away.id);
    expect(problem).toContain('idp=idp-unavailable');
    const page = await browser.get(problem);
    expect(page.body).toContain('The other service does not answer');
    const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
    expect(redirected(await browser.post('/login', form)).get('code')).not.toBeNull();
  });

  it('says the same of what is no discovery document', async () => {
    other.broken = 'page';
    const away = await addProvider(other, { name: 'Away' });
    expect(await toProvider(new TestBrowser(api), {}, away.id)).toContain('idp=idp-unavailable');
  });

  it('says so as well when it goes away while somebody is there', async () => {
    const browser = new TestBrowser(api);
    foreign.subject = newSubject();
    const url = await foreign.visit(await toProvider(browser));
    foreign.broken = true;
    expect(problemOf(await back(browser, url))).toBe('idp-unavailable');
  });

  it('leaves a provider alone that failed several times in a row', async () => {
    other.broken = true;
    const away = await addProvider(other, { name: 'Away' });
    for (let attempt = 0; attempt < 5; attempt += 1) await toProvider(new TestBrowser(api), {}, away.id);
    const { calls } = other;
    expect(await toProvider(new TestBrowser(api), {}, away.id)).toContain('idp=idp-unavailable');
    expect(other.calls).toBe(calls);
  });

  it('leaves it alone as well where only what follows the sign-in there fails', async () => {
    const half = await addProvider(other, { name: 'Half' });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const browser = new TestBrowser(api);
      other.broken = false;
      other.subject = newSubject();
      const url = await other.visit(await toProvider(browser, {}, half.id));
      other.broken = true;
      expect(problemOf(await back(browser, url))).toBe('idp-unavailable');
    }
    const { calls } = other;
    expect(await toProvider(new TestBrowser(api), {}, half.id)).toContain('idp=idp-unavailable');
    expect(other.calls).toBe(calls);
  });

  it('waits no longer than five seconds for one that does not answer, and then leaves it alone', async () => {
    const slow = await addProvider(other, { name: 'Slow' });
    const browsers = Array.from({ length: 5 }, () => new TestBrowser(api));
    const urls: URL[] = [];
    for (const browser of browsers) {
      other.subject = newSubject();
      urls.push(await other.visit(await toProvider(browser, {}, slow.id)));
    }
    other.broken = 'silent';
    const before = other.calls;
    const startedAt = performance.now();
    const answers = await Promise.all(
      browsers.map(async (browser, at) => await back(browser, urls[at] ?? new URL('https://id.test'))),
    );
    const took = performance.now() - startedAt;
    expect(answers.map(problemOf)).toEqual(Array.from({ length: 5 }, () => 'idp-unavailable'));
    expect(took).toBeGreaterThan(4_900);
    // one call each, and that one lasts no longer: test/unit/outbound/one-request.spec.ts
    expect(other.calls).toBe(before + 5);
    expect(took).toBeLessThan(60_000);
    // nobody waits for it after that
    const { calls } = other;
    expect(await toProvider(new TestBrowser(api), {}, slow.id)).toContain('idp=idp-unavailable');
    expect(other.calls).toBe(calls);
  });

  it('gives roles and metadata by the mapping, and takes roles away', async () => {
    const { projectId } = world;
    await owner.call('POST', `projects/${projectId}/roles`, { roleKey: 'admin', displayName: 'Admin' });
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, {
      updateOnSignIn: true,
      mapping: {
        roles: [{ claim: 'groups', value: 'admins', projectId, roleKey: 'admin' }],
        metadata: [{ claim: 'department', key: 'department' }],
      },
    });
    const subject = newSubject();
    const claims = { email: `${subject}@elsewhere.test`, email_verified: true };
    const user = await whoIs(
      await signIn(subject, { ...claims, groups: ['users', 'admins'], department: 'R&D' }),
    );
    const path = `users/${String(user['sub'])}`;
    const grants = async () =>
      (await owner.call('POST', `${path}/grants/_search`)).json<{ result?: { roleKeys: string[] }[] }>()
        .result;
    expect((await grants())?.map(({ roleKeys }) => roleKeys)).toEqual([['admin']]);
    const metadata = await owner.call('GET', `${path}/metadata/department`);
    expect(metadata.json()).toMatchObject({ metadata: { value: Buffer.from('R&D').toString('base64') } });
    await signIn(subject, { ...claims, groups: ['users'] });
    expect(await grants()).toEqual([]);
  });

  it('lets nobody in who lacks a claim that is required', async () => {
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, { requiredClaims: { department: 'R&D' } });
    const subject = newSubject();
    const claims = { email: `${subject}@elsewhere.test`, email_verified: true };
    expect(problemOf(await signIn(subject, { ...claims, department: 'Sales' }))).toBe('idp-refused');
    expect((await whoIs(await signIn(subject, { ...claims, department: 'R&D' })))['email']).toBe(
      claims.email,
    );
  });

  it('makes no account where that is off', async () => {
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, { allowCreation: false });
    const subject = newSubject();
    const email = `${subject}@elsewhere.test`;
    expect(problemOf(await signIn(subject, { email, email_verified: true }))).toBe('idp-no-account');
    expect(await usersBySubject(api, subject)).toEqual([]);
  });
});

describe('an account that has the address', () => {
  it('is connected only after its owner has signed in to it', async () => {
    const address = `${newSubject()}@mail.test`;
    const user = await aUser(world, { email: { address, verified: true } });
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const answered = await signIn(subject, { email: address, email_verified: true }, browser);
    expect(answered.headers.location).toContain('/login?flow=');
    expect(await usersBySubject(api, subject)).toEqual([]);
    const page = await browser.get(answered.headers.location ?? '');
    expect(page.body).toContain('You came back from');
    const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
    expect((await whoIs(await browser.post('/login', form)))['sub']).toBe(user.userId);
    expect(await usersBySubject(api, subject)).toEqual([user.userId]);
    expect((await whoIs(await signIn(subject, { email: address })))['sub']).toBe(user.userId);
  });

  it('is not connected by an earlier session: its owner signs in once more', async () => {
    const address = `${newSubject()}@mail.test`;
    const user = await aUser(world, { email: { address, verified: true } });
    const browser = new TestBrowser(api);
    await browser.signIn(codeRequest(client), user);
    const subject = newSubject();
    foreign.subject = subject;
    foreign.claims = { email: address, email_verified: true };
    const asked = new URL(await toProvider(browser, { prompt: 'select_account' }));
    // the provider has nobody to choose from
    asked.searchParams.delete('prompt');
    const url = await foreign.visit(asked.toString());
    const proven = await back(browser, url);
    expect(proven.headers.location).toMatch(/^\/login\?flow=[\w-]+$/);
    const flow = redirected(proven).get('flow') ?? '';
    const list = await browser.get(`/login/accounts?flow=${flow}`);
    const account = /name="account" value="([^"]*)"/.exec(list.body)?.[1] ?? '';
    expect(account).not.toBe('');
    const picked = await browser.post('/login/accounts', { ...hiddenFields(list.body), account });
    expect(picked.headers.location).toBe(`/login?flow=${flow}`);
    expect(await usersBySubject(api, subject)).toEqual([]);
    const page = await browser.get(`/login?flow=${flow}`);
    const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
    expect(redirected(await browser.post('/login', form)).get('code')).not.toBeNull();
    expect(await usersBySubject(api, subject)).toEqual([user.userId]);
  });

  it('is not connected where connecting was switched off meanwhile', async () => {
    const address = `${newSubject()}@mail.test`;
    const user = await aUser(world, { email: { address, verified: true } });
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const answered = await signIn(subject, { email: address, email_verified: true }, browser);
    await api.sql.query('UPDATE identity_providers SET allow_linking = false WHERE id = $1', [idp.id]);
    const page = await browser.get(answered.headers.location ?? '');
    const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
    expect(redirected(await browser.post('/login', form)).get('code')).not.toBeNull();
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it('is not one whose user name alone is the address', async () => {
    const address = `${newSubject()}@mail.test`;
    const user = await aUser(world);
    await api.sql.query(
      `UPDATE login_identifiers SET canonical = $2 WHERE user_id = $1 AND kind = 'user_name'`,
      [user.userId, address],
    );
    const subject = newSubject();
    expect(problemOf(await signIn(subject, { email: address, email_verified: true }))).toBe('idp-no-account');
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it('is not connected by whoever signs in to another one', async () => {
    const address = `${newSubject()}@mail.test`;
    await aUser(world, { email: { address, verified: true } });
    const another = await aUser(world);
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const answered = await signIn(subject, { email: address, email_verified: true }, browser);
    const page = await browser.get(answered.headers.location ?? '');
    const form = { ...hiddenFields(page.body), loginName: another.loginName, password: PASSWORD };
    expect((await whoIs(await browser.post('/login', form)))['sub']).toBe(another.userId);
    expect(await usersBySubject(api, subject)).toEqual([]);
  });
});

describe('an address that the provider does not vouch for', () => {
  it.each([
    ['a missing claim', undefined],
    ['a text', 'true'],
    ['a number', 1],
    ['false', false],
  ])('is proven by a code first: %s', async (_case, verified) => {
    const subject = newSubject();
    const email = `${subject}@elsewhere.test`;
    const browser = new TestBrowser(api);
    const answered = await signIn(subject, { email, email_verified: verified }, browser);
    expect(answered.headers.location).toContain('/register/verify?id=');
    expect(await usersBySubject(api, subject)).toEqual([]);
    const page = await browser.get(answered.headers.location ?? '');
    const { code } = linkIn((await collectMails(api)).at(-1), '/register/verify');
    const wrong = await browser.post('/register/verify', { ...hiddenFields(page.body), code: 'AAAAAA' });
    expect(wrong.statusCode).toBe(400);
    const done = await browser.post('/register/verify', { ...hiddenFields(page.body), code });
    expect(await whoIs(done)).toMatchObject({ email, email_verified: true });
    expect(await usersBySubject(api, subject)).toHaveLength(1);
  });

  it('gets no more mails than an address of the network may ask for', async () => {
    const narrow = await aReplica(api, { OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1' });
    await countTogether(api, narrow);
    // they count together, wherever they are asked for
    const come = async (at: TestApi): Promise<LightMyRequestResponse> => {
      const subject = newSubject();
      return await signIn(subject, { email: `${subject}@elsewhere.test` }, new TestBrowser(at));
    };
    expect((await come(api)).headers.location).toContain('/register/verify?id=');
    expect(problemOf(await come(narrow))).toBe('too-many-attempts');
  });

  it('is proven by the code of its own registration, and while the provider makes accounts', async () => {
    const [first, second] = [newSubject(), newSubject()];
    const browser = new TestBrowser(api);
    const answered = await signIn(first, { email: `${first}@elsewhere.test` }, browser);
    const page = await browser.get(answered.headers.location ?? '');
    const fields = hiddenFields(page.body);
    const { code } = linkIn((await collectMails(api)).at(-1), '/register/verify');
    // another identity comes back to the same flow before the code does
    const { rows } = await api.sql.query<{ id: string }>(
      `SELECT id FROM auth_requests WHERE pending_identity ->> 'subject' = $1`,
      [first],
    );
    foreign.subject = second;
    foreign.claims = { email: `${second}@elsewhere.test` };
    const sent = await browser.get(`/login/idps/${idp.id}?flow=${rows[0]?.id}`);
    const again = await back(browser, await foreign.visit(sent.headers.location ?? ''));
    const form = hiddenFields((await browser.get(again.headers.location ?? '')).body);
    const codes = linkIn((await collectMails(api)).at(-1), '/register/verify');
    expect((await browser.post('/register/verify', { ...fields, code })).statusCode).toBe(400);
    await api.sql.query('UPDATE identity_providers SET allow_creation = false WHERE id = $1', [idp.id]);
    expect((await browser.post('/register/verify', { ...form, code: codes.code })).statusCode).toBe(400);
    expect([...(await usersBySubject(api, first)), ...(await usersBySubject(api, second))]).toEqual([]);
    await api.sql.query('UPDATE identity_providers SET allow_creation = true WHERE id = $1', [idp.id]);
    const done = await browser.post('/register/verify', { ...form, code: codes.code });
    expect((await whoIs(done))['email']).toBe(`${second}@elsewhere.test`);
  });

  it.each(['ORG_OWNER', 'IAM_OWNER'] as const)(
    "never leads into an administrator's account, nor tells that there is one: %s",
    async (role) => {
      const address = `${newSubject()}@mail.test`;
      const admin = await aManager(world, role, { email: { address, verified: true }, proven: true });
      const subject = newSubject();
      const browser = new TestBrowser(api);
      const answered = await signIn(subject, { email: address, email_verified: false }, browser);
      expect(answered.headers.location).toContain('/register/verify?id=');
      const page = await browser.get(answered.headers.location ?? '');
      const stranger = newSubject();
      const elsewhere = new TestBrowser(api);
      const other = await signIn(stranger, { email: `${stranger}@mail.test` }, elsewhere);
      const same = await elsewhere.get(other.headers.location ?? '');
      const plain = (text: string) =>
        text.replace(/value="[^"]*"|nonce="[^"]*"|nonce-[^']*|id=[\w-]+|[\w]•••@/g, '');
      expect(plain(page.body)).toBe(plain(same.body));
      for (let guess = 0; guess < 3; guess += 1) {
        const code = ['AAAAAA', 'BBBBBB', 'CCCCCC'][guess] ?? '';
        expect(
          (await browser.post('/register/verify', { ...hiddenFields(page.body), code })).statusCode,
        ).toBe(400);
      }
      expect(await usersBySubject(api, subject)).toEqual([]);
      // a provider that vouches for the address makes nobody its owner: they have to sign in here first
      const vouched = await signIn(subject, { email: address, email_verified: true });
      expect(vouched.headers.location).toContain('/login?flow=');
      expect(await usersBySubject(api, subject)).toEqual([]);
      const { rows } = await api.sql.query('SELECT FROM users WHERE id = $1', [admin.userId]);
      expect(rows).toHaveLength(1);
    },
  );

  it('leaves nothing behind for its owner to fall into: nobody is there before the code came back', async () => {
    const victim = `${newSubject()}@mail.test`;
    await signIn(newSubject(), { email: victim });
    const { rows } = await api.sql.query(
      'SELECT FROM login_identifiers WHERE canonical = $1 UNION ALL SELECT FROM user_humans WHERE email = $1',
      [victim],
    );
    expect(rows).toEqual([]);
    const subject = newSubject();
    const user = await whoIs(await signIn(subject, { email: victim, email_verified: true }));
    expect(user['email']).toBe(victim);
    expect(await usersBySubject(api, subject)).toEqual([user['sub']]);
  });
});

describe('attacks', () => {
  const claims = (subject: string) => ({ email: `${subject}@elsewhere.test`, email_verified: true });

  it('code and state of another browser are worth nothing', async () => {
    const attacker = new TestBrowser(api);
    foreign.subject = newSubject();
    foreign.claims = claims(foreign.subject);
    const url = await foreign.visit(await toProvider(attacker));
    const victim = new TestBrowser(api);
    await toProvider(victim);
    expect((await back(victim, url)).statusCode).toBe(400);
    expect((await back(new TestBrowser(api), url)).statusCode).toBe(400);
    // and the browser that began it still can
    expect(redirected(await back(attacker, url)).get('code')).not.toBeNull();
  });

  it('a callback is good once', async () => {
    const browser = new TestBrowser(api);
    foreign.subject = newSubject();
    foreign.claims = claims(foreign.subject);
    const url = await foreign.visit(await toProvider(browser));
    expect(redirected(await back(browser, url)).get('code')).not.toBeNull();
    expect((await back(browser, url)).statusCode).toBe(400);
  });

  it('an answer at the address of another provider is refused (mix-up)', async () => {
    const evil = await addProvider(other, { name: 'Evil' });
    foreign.serve(idp.callbackUrl, evil.callbackUrl);
    other.serve(evil.callbackUrl, idp.callbackUrl);
    foreign.subject = newSubject();
    foreign.claims = claims(foreign.subject);
    // begun at the evil one, answered with a code of the honest one
    const browser = new TestBrowser(api);
    const state = new URL(await toProvider(browser, {}, evil.id)).searchParams.get('state') ?? '';
    const honest = new TestBrowser(api);
    const { searchParams } = await foreign.visit(await toProvider(honest));
    const mixed = new URL(evil.callbackUrl);
    mixed.search = new URLSearchParams({
      code: searchParams.get('code') ?? '',
      state,
      iss: foreign.issuer,
    }).toString();
    const calls = other.calls;
    expect(problemOf(await back(browser, mixed))).toBe('idp-refused');
    // its token endpoint never heard of the code: `iss` told them apart before (RFC 9207)
    expect(other.calls).toBe(calls);
    // and a state of one is unknown at the address of the other
    const again = new TestBrowser(api);
    const own = new URL(await toProvider(again, {}, evil.id)).searchParams.get('state') ?? '';
    const wrongPlace = new URL(idp.callbackUrl);
    wrongPlace.search = new URLSearchParams({ code: 'x', state: own }).toString();
    expect((await back(again, wrongPlace)).statusCode).toBe(400);
  });

  it('a subject of one provider is nobody at another', async () => {
    const subject = newSubject();
    const user = await whoIs(await signIn(subject, claims(subject)));
    const evil = await addProvider(other, { name: 'Evil' });
    other.subject = subject;
    other.claims = { email: `other-${subject}@elsewhere.test`, email_verified: true };
    const browser = new TestBrowser(api);
    const impostor = await whoIs(
      await back(browser, await other.visit(await toProvider(browser, {}, evil.id))),
    );
    expect(impostor['sub']).not.toBe(user['sub']);
  });

  it('a provider of one organization signs in nobody of another one, whatever it says of them', async () => {
    const elsewhere = await anOrganization(api);
    const address = `${newSubject()}@mail.test`;
    const victim = await aUser(elsewhere, { email: { address, verified: true }, proven: true });
    const subject = newSubject();
    const answered = await whoIs(await signIn(subject, { email: address, email_verified: true }));
    expect(answered['sub']).not.toBe(victim.userId);
    await api.sql.query('UPDATE user_identities SET org_id = $2, user_id = $3 WHERE subject = $1', [
      subject,
      elsewhere.orgId,
      victim.userId,
    ]);
    // even a row that nobody here could have written
    const refused = await signIn(subject, { email: address, email_verified: true });
    expect(refused.headers.location).toContain('/login?flow=');
  });

  it('a subject that comes back after its user was deleted finds nothing of theirs', async () => {
    const subject = newSubject();
    const before = await whoIs(await signIn(subject, claims(subject)));
    expect((await owner.call('DELETE', `users/${String(before['sub'])}`)).statusCode).toBe(200);
    expect(await usersBySubject(api, subject)).toEqual([]);
    const after = await whoIs(await signIn(subject, claims(subject)));
    expect(after['sub']).not.toBe(before['sub']);
  });

  it('whoever is of an organization that does not let the provider in stays out, and becomes nobody else', async () => {
    const root = await aServiceUser(world, 'IAM_OWNER');
    const shared = await addProvider(
      foreign,
      { name: 'Of all' },
      {
        ...root,
        call: async (method, path, ...rest) => await root.call(method, `/admin/v1/${path}`, ...rest),
      },
    );
    await owner.call('PUT', 'policies/login', { instanceIdps: [shared.id] });
    const elsewhere = await anOrganization(api);
    const user = await aUser(elsewhere);
    const subject = newSubject();
    await api.sql.query(
      `INSERT INTO user_identities (provider_id, subject, org_id, user_id) VALUES ($1, $2, $3, $4)`,
      [shared.id, subject, elsewhere.orgId, user.userId],
    );
    foreign.subject = subject;
    foreign.claims = claims(subject);
    const come = async () => {
      const browser = new TestBrowser(api);
      return await back(browser, await foreign.visit(await toProvider(browser, {}, shared.id)));
    };
    expect(problemOf(await come())).toBe('idp-no-account');
    expect(await usersBySubject(api, subject)).toEqual([user.userId]);
    const theirs = await aServiceUser(elsewhere, 'ORG_OWNER');
    await theirs.call('PUT', 'policies/login', { instanceIdps: [shared.id] });
    expect((await whoIs(await come()))['sub']).toBe(user.userId);
    await owner.call('DELETE', 'policies/login');
  });

  it('whoever is locked or deactivated stays out', async () => {
    const subject = newSubject();
    const user = await whoIs(await signIn(subject, claims(subject)));
    await owner.call('POST', `users/${String(user['sub'])}/_lock`);
    expect(problemOf(await signIn(subject, claims(subject)))).toBe('idp-no-account');
  });

  it('a provider that is switched off while somebody is there signs nobody in', async () => {
    const browser = new TestBrowser(api);
    foreign.subject = newSubject();
    foreign.claims = claims(foreign.subject);
    const url = await foreign.visit(await toProvider(browser));
    await owner.call('POST', `idps/${idp.id}/_deactivate`);
    expect(problemOf(await back(browser, url))).toBe('idp-refused');
  });

  it('what a provider posts is asked for again, so that the browser brings its cookie', async () => {
    const { pathname } = new URL(idp.callbackUrl);
    const posted = await new TestBrowser(api).post(pathname, { code: 'c', state: 's' });
    expect(posted.statusCode).toBe(303);
    expect(posted.headers.location).toBe(`${pathname}?code=c&state=s`);
  });
});
