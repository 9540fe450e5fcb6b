import type { LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { languages } from '../../../src/domain/shared/locale.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import { textsFor } from '../../../src/pages/texts.js';
import { escapeHtml } from '../../../src/rendering/html.js';
import { aReplica, startTestApi, useReplica, type TestApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  tokensOf,
  userinfo,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { collectMails, linkIn, otherCode } from '../../support/mailbox.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectErrorPage, expectPageHeaders } from '../oidc/support/answers.js';

const { api, world } = useWorld();
const replica = useReplica(api);
beforeAll(() => world.allowRegister(true, { requireLoginName: true }));
const client = given(() => anApplication(world));
beforeEach(async () => {
  await collectMails(api);
});

type Typed = Record<string, string>;

/** Somebody with a name and an address that nobody had before. */
function newcomer(changes: Typed = {}): Typed & { email: string; loginName: string } {
  const loginName = `new-${randomToken(6)}`.toLowerCase();
  return {
    email: `${loginName}@mail.test`,
    loginName,
    newPassword: PASSWORD,
    ...changes,
  };
}

/** From the application to the registration form, which the sign-in page offers. */
async function openForm(
  browser: TestBrowser,
  { of = client, ...changes }: { of?: TestClient } & Record<string, string | TestClient> = {},
) {
  const fields = await browser.openSignIn(codeRequest(of, changes as Record<string, string>));
  const page = await browser.get(`/register?flow=${fields['flow']}`);
  return { page, fields: hiddenFields(page.body), flow: fields['flow'] ?? '' };
}

async function register(typed: Typed, browser = new TestBrowser(api), of = client) {
  const { fields } = await openForm(browser, { of });
  return await browser.post('/register', { ...fields, ...typed });
}

/** Sends the form and follows it to the page that asks for the code. */
async function askedForCode(typed: Typed, browser = new TestBrowser(api)) {
  const answer = await register(typed, browser);
  expect(answer.statusCode, answer.body.slice(0, 3000)).toBe(303);
  const url = answer.headers.location ?? '';
  const page = await browser.get(url);
  return { url, page, fields: hiddenFields(page.body), browser };
}

async function mailedCode(): Promise<string> {
  return linkIn((await collectMails(api))[0], '/register/verify').code;
}

interface Account {
  readonly id: string;
  readonly org_id: string;
  readonly user_name: string;
  readonly state: string;
  readonly email_verified: boolean;
  readonly first_name: string;
  readonly preferred_language: string;
}

async function accountsOf(email: string): Promise<readonly Account[]> {
  const { rows } = await api.sql.query<Account>(
    `SELECT u.id, u.org_id, u.user_name, u.state, h.email_verified, h.first_name, h.preferred_language
     FROM user_humans h JOIN users u ON u.id = h.user_id WHERE lower(h.email) = lower($1)`,
    [email],
  );
  return rows;
}

async function attemptsOf(email: string): Promise<number | undefined> {
  const { rows } = await api.sql.query<{ attempts: number }>(
    `SELECT attempts FROM registrations WHERE email = $1`,
    [email],
  );
  return rows[0]?.attempts;
}

async function flowOf(email: string): Promise<string> {
  const { rows } = await api.sql.query<{ flow_id: string }>(
    `SELECT flow_id FROM registrations WHERE email = $1`,
    [email],
  );
  return rows[0]?.flow_id ?? '';
}

/** Resolves when some statement waits for what this transaction holds. */
async function waitingFor(holder: { query: TestApi['sql']['query'] }): Promise<void> {
  const waits = `SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
  const waiting = async () => (await holder.query(waits)).rows.length;
  await expect.poll(waiting).toBeGreaterThan(0);
}

async function signIn(loginName: string, password = PASSWORD): Promise<LightMyRequestResponse> {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  return await browser.post('/login', { ...fields, loginName, password });
}

describe('a registration', () => {
  it('is offered on the sign-in page and shown at once for prompt=create', async () => {
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'create' })));
    expect(begun.headers.location).toMatch(/^\/register\?flow=/);
    const page = await browser.get(begun.headers.location ?? '');
    expect(page.statusCode).toBe(200);
    expectPageHeaders(page);
    expect(page.body).toContain(`@${world.domain}`);
    const { flow } = await openForm(browser);
    expect((await browser.get(`/login?flow=${flow}`)).body).toContain(`href="/register?flow=${flow}"`);
  });

  it('makes an account once the mailbox is proven, and goes on to the application', async () => {
    const typed = newcomer();
    const { url, page, fields, browser } = await askedForCode(typed);
    expect(page.statusCode).toBe(200);
    expectPageHeaders(page);
    expect(page.body).toContain('•••@mail.test');
    expect(await accountsOf(typed.email)).toEqual([]);
    const [mail, ...others] = await collectMails(api);
    expect(others).toEqual([]);
    expect(mail?.to).toBe(typed.email);
    const link = linkIn(mail, '/register/verify');
    expect(link.url).toBe(`${url}&code=${link.code}`);
    const before = browser.userAgentSecret;
    const answer = await browser.post('/register/verify', { ...fields, code: link.code });
    expect(answer.statusCode).toBe(303);
    expect(redirected(answer).get('state')).toBe('Marker-state');
    expect(browser.userAgentSecret).not.toBe(before);

    const { access_token: token } = await tokensOf(api, client, answer);
    expect((await userinfo(api, token)).json()).toMatchObject({
      name: typed.loginName,
      email: typed.email,
      email_verified: true,
      preferred_username: `${typed.loginName}@${world.domain}`,
    });
    const [account, ...more] = await accountsOf(typed.email);
    expect(more).toEqual([]);
    expect(account).toMatchObject({ state: 'active', email_verified: true, org_id: world.orgId });
    const { rows: events } = await api.sql.query<{ type: string; actor_id: string; all: string }>(
      `SELECT type, actor_id, to_jsonb(e)::text AS all FROM events e WHERE aggregate_id = $1`,
      [account?.id],
    );
    expect(events.map((event) => [event.type, event.actor_id])).toEqual([
      ['user.human.registered', account?.id],
    ]);
    expect(events[0]?.all).not.toMatch(/new-|mail\.test/);
    const { rows: left } = await api.sql.query(
      `SELECT password_hash, code_hash FROM registrations WHERE email = $1`,
      [typed.email],
    );
    expect(left).toEqual([{ password_hash: null, code_hash: null }]);
    // without asking again: there is a session now
    const again = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(again).has('code')).toBe(true);
    for (const name of [typed.loginName, typed.email]) expect((await signIn(name)).statusCode).toBe(303);
  });

  it('is finished by the link of the mail, which fills the code in', async () => {
    const typed = newcomer();
    const { browser } = await askedForCode(typed);
    const { url, code } = linkIn((await collectMails(api))[0], '/register/verify');
    const page = await browser.get(url);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain(`value="${code}"`);
    expect(await accountsOf(typed.email)).toEqual([]);
    const done = await browser.post('/register/verify', { ...hiddenFields(page.body), code });
    expect(redirected(done).has('code')).toBe(true);
  });

  it('begins a sign-in of its own without an application, in the default organization', async () => {
    const browser = new TestBrowser(api);
    const begun = await browser.get('/register');
    expect(begun.headers.location).toMatch(/^\/register\?flow=/);
    const fields = hiddenFields((await browser.get(begun.headers.location ?? '')).body);
    const typed = newcomer();
    const asked = await browser.post('/register', { ...fields, ...typed });
    const page = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
    const done = await browser.post('/register/verify', { ...page, code: await mailedCode() });
    expect(done.statusCode).toBe(303);
    expect(done.headers.location).toBe('/');
    expect((await accountsOf(typed.email))[0]?.org_id).toBe(world.orgId);
  });

  it('belongs to the organization of the application', async () => {
    const elsewhere = await anOrganization(api);
    await elsewhere.allowRegister();
    const theirs = await anApplication(elsewhere);
    const typed = newcomer();
    const browser = new TestBrowser(api);
    const asked = await register(typed, browser, theirs);
    const fields = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
    const done = await browser.post('/register/verify', { ...fields, code: await mailedCode() });
    expect(redirected(done).has('code')).toBe(true);
    expect((await accountsOf(typed.email))[0]?.org_id).toBe(elsewhere.orgId);
  });

  it('speaks the language of the page, in its mail and ever after', async () => {
    const browser = new TestBrowser(api);
    const { fields, page } = await openForm(browser, { ui_locales: 'de' });
    expect(page.body).toContain('<html lang="de"');
    const typed = newcomer();
    const asked = await browser.post('/register', { ...fields, ...typed });
    const [mail] = await collectMails(api);
    expect(mail?.subject).toMatch(/Registrierung/);
    const code = linkIn(mail, '/register/verify').code;
    const next = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
    await browser.post('/register/verify', { ...next, code });
    expect((await accountsOf(typed.email))[0]?.preferred_language).toBe('de');
  });

  it.each<[string, Typed, readonly string[]]>([
    ['nothing', { email: '', loginName: '', newPassword: '' }, ['email', 'loginName', 'newPassword']],
    ['no address', { email: 'ada@post@' }, ['email']],
    ['a login name with blanks', { loginName: 'ada lovelace' }, ['loginName']],
    ['a login name that is another address', { loginName: 'someone-else@mail.test' }, ['loginName']],
    ['a weak password', { newPassword: 'short' }, ['newPassword']],
    ['an endless password', { newPassword: `Aa1!${'x'.repeat(2000)}` }, ['newPassword']],
  ])(
    'with %s is refused, all at once, and keeps what was typed but the password',
    async (_name, changes, wrong) => {
      const typed = newcomer(changes);
      const page = await register(typed);
      expect(page.statusCode).toBe(400);
      expectPageHeaders(page);
      expect(Array.from(page.body.matchAll(/id="(\w+)-error"/g), ([, id]) => id)).toEqual(wrong);
      if (typed.email !== '') expect(page.body).toContain(`value="${typed.email}"`);
      expect(page.body).not.toContain(PASSWORD);
      expect(await collectMails(api)).toEqual([]);
      expect(await accountsOf(typed.email)).toEqual([]);
    },
  );

  it('is held to the repetition of the password that a program still sends', async () => {
    const typed = newcomer({ repeatPassword: 'Other-Passw0rd!' });
    const page = await register(typed);
    expect(page.statusCode).toBe(400);
    expect(page.body).toContain('<a href="#newPassword">');
    expect(page.body).not.toMatch(/Other-Passw0rd!|repeatPassword/);
    const { browser } = await askedForCode(newcomer({ repeatPassword: PASSWORD }));
    expect(browser.userAgentSecret).toBeDefined();
  });

  it('takes a number of forms a minute from one address, and three an hour for one mailbox (S048)', async () => {
    const narrow = await startTestApi({ RATE_LIMIT_MAIL: '2' }, api);
    try {
      const browser = new TestBrowser(narrow);
      const { fields } = await openForm(browser);
      const answers = [];
      for (let n = 0; n < 3; n += 1)
        answers.push(await browser.post('/register', { ...fields, ...newcomer() }));
      expect(answers.map((answer) => answer.statusCode)).toEqual([303, 303, 429]);
      expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await narrow.close();
    }
    await collectMails(api);
    const { email } = newcomer();
    const pages = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        register(newcomer({ email }), new TestBrowser(n % 2 ? api : replica)),
      ),
    );
    expect(pages.every((page) => page.statusCode === 303)).toBe(true);
    expect(await collectMails(api)).toHaveLength(3);
    await Promise.all([api.advance(3601), replica.advance(3601)]);
    await register(newcomer({ email }));
    expect(await collectMails(api)).toHaveLength(1);
  });

  it('sends its forms from its own pages only (S040)', async () => {
    const typed = newcomer();
    const { fields } = await openForm(new TestBrowser(api));
    expectErrorPage(await new TestBrowser(api).post('/register', { ...fields, ...typed }), 403);
    const asked = await askedForCode(typed);
    const code = await mailedCode();
    for (const [form, headers] of [
      [{ ...asked.fields, csrf: '' }, {}],
      [asked.fields, { origin: 'https://evil.test' }],
      [asked.fields, { 'sec-fetch-site': 'cross-site' }],
    ] as const) {
      for (const path of ['/register/verify', '/register/verify/resend']) {
        expectErrorPage(await asked.browser.post(path, { ...form, code }, headers), 403);
      }
    }
    expect(await accountsOf(typed.email)).toEqual([]);
  });
});

describe('a registration where no login name is asked for', () => {
  beforeAll(() => world.allowRegister());
  afterAll(() => world.allowRegister(true, { requireLoginName: true }));

  it('asks for address and password alone, and the address is the user name', async () => {
    const browser = new TestBrowser(api);
    const { page, fields: form } = await openForm(browser);
    expect(Array.from(page.body.matchAll(/<input[^>]* id="(\w+)"/g), ([, id]) => id)).toEqual([
      'email',
      'newPassword',
    ]);
    const { email } = newcomer();
    // whatever else is sent counts for nothing
    const asked = await browser.post('/register', {
      ...form,
      email,
      newPassword: PASSWORD,
      loginName: 'admin',
    });
    const fields = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
    const done = await browser.post('/register/verify', { ...fields, code: await mailedCode() });
    const { access_token: token } = await tokensOf(api, client, done);
    const claims = (await userinfo(api, token)).json<Record<string, unknown>>();
    expect(claims).toMatchObject({
      name: email.slice(0, email.indexOf('@')),
      preferred_username: `${email}@${world.domain}`,
      email,
    });
    expect(claims).not.toHaveProperty('given_name');
    expect(claims).not.toHaveProperty('family_name');
    expect(await accountsOf(email)).toMatchObject([{ user_name: email, first_name: '' }]);
    expect((await signIn(email)).statusCode).toBe(303);
  });

  it('tells of a known address no more than where one is asked for', async () => {
    const known = await aUser(world);
    const address = `${known.userName}@mail.test`;
    const { page } = await askedForCode({ email: address, newPassword: PASSWORD });
    expect(page.statusCode).toBe(200);
    expect((await collectMails(api)).map((mail) => mail.to)).toEqual([address]);
    expect(await accountsOf(address)).toHaveLength(1);
  });

  it('of two at once one has the account, and the other is told at the address', async () => {
    const typed = { email: newcomer().email, newPassword: PASSWORD };
    const one = await askedForCode(typed);
    const oneCode = await mailedCode();
    const two = await askedForCode(typed);
    const twoCode = await mailedCode();
    await one.browser.post('/register/verify', { ...one.fields, code: oneCode });
    const late = await two.browser.post('/register/verify', { ...two.fields, code: twoCode });
    expect(late.statusCode).toBe(400);
    expect(Array.from(late.body.matchAll(/id="(\w+)-error"/g), ([, id]) => id)).toEqual(['email']);
    expect(late.body).toContain(`value="${typed.email}"`);
    expect(await accountsOf(typed.email)).toHaveLength(1);
  });

  it('refuses an address in the domain of another organization, at the address', async () => {
    const other = await anOrganization(api);
    const refused = await register({ email: `ann@${other.domain}`, newPassword: PASSWORD });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('id="email-error"');
    const email = `${randomToken(6)}@${world.domain}`.toLowerCase();
    const { fields, browser } = await askedForCode({ email, newPassword: PASSWORD });
    await browser.post('/register/verify', { ...fields, code: await mailedCode() });
    expect(await accountsOf(email)).toMatchObject([{ user_name: email.slice(0, email.indexOf('@')) }]);
  });
});

describe('the code of a registration', () => {
  it('makes one user and one session, however often it is sent at once', async () => {
    const typed = newcomer();
    const { fields, browser } = await askedForCode(typed);
    const code = await mailedCode();
    const cookie = browser.cookieHeader;
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        new TestBrowser(n % 2 ? api : replica).post('/register/verify', { ...fields, code }, { cookie }),
      ),
    );
    expect(
      answers.filter((answer) => answer.statusCode === 303 && redirected(answer).has('code')),
    ).toHaveLength(1);
    const [account, ...others] = await accountsOf(typed.email);
    expect(others).toEqual([]);
    const { rows } = await api.sql.query(`SELECT 1 FROM sessions WHERE user_id = $1`, [account?.id]);
    expect(rows).toHaveLength(1);
  });

  it('takes five tries, one by one and over two replicas (S054)', async () => {
    const typed = newcomer();
    const { fields, url, browser } = await askedForCode(typed);
    const code = await mailedCode();
    const form = { ...fields, code: otherCode(code) };
    const cookie = browser.cookieHeader;
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        new TestBrowser(n % 2 ? api : replica).post('/register/verify', form, { cookie }),
      ),
    );
    expect(await attemptsOf(typed.email)).toBe(5);
    expectErrorPage(await browser.post('/register/verify', { ...fields, code }), 400);
    expectErrorPage(await browser.get(url), 400);
    expect(await accountsOf(typed.email)).toEqual([]);
  });

  it('belongs to its registration and is no code of other pages (S053)', async () => {
    const mine = await askedForCode(newcomer());
    const mineCode = await mailedCode();
    const typed = newcomer();
    const theirs = await askedForCode(typed);
    expect(
      (await theirs.browser.post('/register/verify', { ...theirs.fields, code: mineCode })).statusCode,
    ).toBe(400);
    for (const path of ['/password/reset', '/password/init', '/verify/email']) {
      expectErrorPage(await mine.browser.get(mine.url.replace('/register/verify', path)), 400);
    }
    expect(await accountsOf(typed.email)).toEqual([]);
  });

  it('expires on read (S055)', async () => {
    const typed = newcomer();
    const { fields, url, browser } = await askedForCode(typed);
    const code = await mailedCode();
    await Promise.all([api.advance(601), replica.advance(601)]);
    expectErrorPage(await browser.get(url), 400);
    expectErrorPage(await browser.post('/register/verify', { ...fields, code }), 400);
    expect(await accountsOf(typed.email)).toEqual([]);
  });

  it('is sent again after a minute, twice at most, and then the newest counts (S056)', async () => {
    const typed = newcomer();
    const { fields, browser } = await askedForCode(typed);
    const cookie = browser.cookieHeader;
    const first = await mailedCode();
    const early = await browser.post('/register/verify/resend', fields);
    expect(early.statusCode).toBe(200);
    expect(early.body).not.toContain('role="status"');
    expect(await collectMails(api)).toEqual([]);
    const codes = [first];
    for (let n = 0; n < 3; n += 1) {
      await Promise.all([api.advance(61), replica.advance(61)]);
      const [again] = await Promise.all(
        [api, replica].map(
          async (one) => await new TestBrowser(one).post('/register/verify/resend', fields, { cookie }),
        ),
      );
      expect(again?.statusCode).toBe(200);
      const mails = await collectMails(api);
      expect(mails).toHaveLength(n < 2 ? 1 : 0);
      if (n < 2) codes.push(linkIn(mails[0], '/register/verify').code);
    }
    const [, , newest = ''] = codes;
    expect((await browser.post('/register/verify', { ...fields, code: first })).statusCode).toBe(400);
    expect(redirected(await browser.post('/register/verify', { ...fields, code: newest })).has('code')).toBe(
      true,
    );
  });

  it.each([
    ['none', ''],
    ['unknown', 'A'.repeat(22)],
    ['markup', '"><script>alert(1)</script>'],
    ['a NUL', '\u0000'],
  ])('with an id of %s leads nowhere', async (_name, id) => {
    const page = await new TestBrowser(api).get(`/register/verify?${new URLSearchParams({ id }).toString()}`);
    expectErrorPage(page, 400);
    expect(page.body).not.toContain('<script>alert');
  });
});

/** The page that sends its reader back to where they began. */
function expectElsewhere(page: LightMyRequestResponse): void {
  expectErrorPage(page, 400, 'Continue where you started');
  expect(page.body).toContain('If you did not ask for an account, you can ignore the e-mail.');
  expect(page.body).not.toContain('<form method="post"');
  expect(page.body).not.toContain('id="code"');
}

describe('a registration belongs to the browser that began it (pre-hijacking)', () => {
  /** With the form and the code of the right browser, again and again. Returns the code. */
  async function expectNothingFrom(
    other: TestBrowser,
    { url, fields, email }: { url: string; fields: Record<string, string>; email: string },
  ): Promise<string> {
    const { code } = linkIn((await collectMails(api))[0], '/register/verify');
    for (let n = 0; n < 6; n += 1) {
      expectElsewhere(await other.get(`${url}&code=${code}`));
      expectElsewhere(await other.post('/register/verify', { ...fields, code }));
      expectElsewhere(await other.post('/register/verify', { ...fields, code: otherCode(code) }));
      expectElsewhere(await other.post('/register/verify', fields));
    }
    await Promise.all([api.advance(61), replica.advance(61)]);
    expectElsewhere(await other.post('/register/verify/resend', fields));
    expect(await collectMails(api)).toEqual([]);
    expect(await accountsOf(email)).toEqual([]);
    expect(await attemptsOf(email)).toBe(0);
    return code;
  }

  it.each<[string, () => Promise<TestBrowser>]>([
    ['one without a cookie', () => Promise.resolve(new TestBrowser(api))],
    [
      'one in the middle of a flow of its own',
      async () => {
        const other = new TestBrowser(api);
        await openForm(other);
        return other;
      },
    ],
    [
      'one where somebody is signed in',
      async () => {
        const other = new TestBrowser(api);
        await other.signIn(codeRequest(client), await aUser(world));
        return other;
      },
    ],
  ])('%s creates nothing and costs no try; the right one still can', async (_name, open) => {
    const typed = newcomer();
    const other = await open();
    const cookie = other.cookieHeader;
    const { url, fields, browser } = await askedForCode(typed);
    const code = await expectNothingFrom(other, { url, fields, email: typed.email });
    expect(other.cookieHeader).toBe(cookie);
    const done = await browser.post('/register/verify', { ...fields, code });
    expect(redirected(done).has('code')).toBe(true);
    expect(await accountsOf(typed.email)).toHaveLength(1);
  });

  it('and to its flow: once that was answered, its own browser creates nothing either', async () => {
    const typed = newcomer();
    const browser = new TestBrowser(api);
    const { fields: form, flow } = await openForm(browser);
    const asked = await browser.post('/register', { ...form, ...typed });
    const url = asked.headers.location ?? '';
    const fields = hiddenFields((await browser.get(url)).body);
    const user = await aUser(world);
    const signInForm = hiddenFields((await browser.get(`/login?flow=${flow}`)).body);
    const signedIn = await browser.post('/login', {
      ...signInForm,
      loginName: user.loginName,
      password: PASSWORD,
    });
    expect(redirected(signedIn).has('code')).toBe(true);
    await expectNothingFrom(browser, { url, fields, email: typed.email });
  });

  it.each([
    ['has expired', `UPDATE auth_requests SET expires_at = app_now() WHERE id = $1`],
    ['is no longer on file', `DELETE FROM auth_requests WHERE id = $1`],
  ])('and when its flow %s, its own browser creates nothing either', async (_name, change) => {
    const typed = newcomer();
    const { url, fields, browser } = await askedForCode(typed);
    await api.sql.query(change, [await flowOf(typed.email)]);
    await expectNothingFrom(browser, { url, fields, email: typed.email });
  });

  it('creates nothing when its flow is answered while the code is on its way', async () => {
    const typed = newcomer();
    const { fields, browser } = await askedForCode(typed);
    const code = await mailedCode();
    const other = await api.sql.connect();
    try {
      await other.query('BEGIN');
      await other.query(`UPDATE auth_requests SET ended_at = app_now() WHERE id = $1`, [
        await flowOf(typed.email),
      ]);
      const late = browser.post('/register/verify', { ...fields, code });
      await waitingFor(other);
      await other.query('COMMIT');
      expectElsewhere(await late);
    } finally {
      other.release();
    }
    expect(await accountsOf(typed.email)).toEqual([]);
    const { rows } = await api.sql.query(`SELECT ended_at FROM registrations WHERE email = $1`, [
      typed.email,
    ]);
    expect(rows).toEqual([{ ended_at: null }]);
  });
});

describe('a known address', () => {
  it('gets a notice in place of a code, and the page tells nothing of it', async () => {
    const known = await aUser(world);
    const shapes = [];
    for (const email of [`${known.userName}@mail.test`, newcomer().email]) {
      const typed = newcomer({ email });
      const { page, fields, browser } = await askedForCode(typed);
      const [mail, ...others] = await collectMails(api);
      expect(others).toEqual([]);
      expect(mail?.to).toBe(email);
      const isKnown = email.startsWith(known.userName);
      expect(/already have an account/.test(mail?.subject ?? '')).toBe(isKnown);
      if (isKnown) {
        expect(mail?.text).toContain('https://id.test/login');
        expect(mail?.text).toContain('https://id.test/password/forgotten');
        expect(mail?.text).toContain(known.loginName);
        expect(mail?.text).not.toMatch(/new-|code=/);
      }
      const answers = [page];
      for (let n = 0; n < 6; n += 1) {
        answers.push(await browser.post('/register/verify', { ...fields, code: 'AAAAAA' }));
      }
      shapes.push(answers.map((answer) => [answer.statusCode, shape(answer, fields)]));
    }
    expect(shapes[0]).toEqual(shapes[1]);
    expect(await accountsOf(`${known.userName}@mail.test`)).toHaveLength(1);
  });

  it('reads the same when another code is asked for, and its owner is not told twice', async () => {
    const known = await aUser(world);
    const { fields, browser } = await askedForCode(newcomer({ email: `${known.userName}@mail.test` }));
    expect(await collectMails(api)).toHaveLength(1);
    await Promise.all([api.advance(61), replica.advance(61)]);
    const again = await browser.post('/register/verify/resend', fields);
    expect(again.body).toContain('role="status"');
    expect(await collectMails(api)).toEqual([]);
  });

  it('answers in padded time, known or not', async () => {
    const slow = await aReplica(api, { SIGN_IN_RESPONSE_PADDING: '200ms' });
    const known = await aUser(world);
    for (const email of [`${known.userName}@mail.test`, newcomer().email]) {
      const browser = new TestBrowser(slow);
      const { fields } = await openForm(browser);
      const startedAt = performance.now();
      expect((await browser.post('/register', { ...fields, ...newcomer({ email }) })).statusCode).toBe(303);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(199);
    }
  });

  it('is not told by a login name that is the address itself, while any other taken login name is told', async () => {
    const address = newcomer().email;
    const imported = await aUser(world, { userName: address, email: { address, verified: false } });
    const asked = await askedForCode(newcomer({ email: address, loginName: address }));
    expect(asked.page.statusCode).toBe(200);
    const [mail] = await collectMails(api);
    expect(mail?.to).toBe(address);
    expect(mail?.subject).toMatch(/already have an account/);
    const known = await aUser(world);
    const refused = await register(newcomer({ loginName: known.userName.toUpperCase() }));
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('id="loginName-error"');
    expect(await collectMails(api)).toEqual([]);
    expect(await accountsOf(address)).toMatchObject([{ id: imported.userId, email_verified: false }]);
  });

  it.each<[string, (address: string) => string, 303 | 400]>([
    ['in capitals', (address) => address.toUpperCase(), 303],
    ['with a dot at its end', (address) => `${address}.`, 400],
    ['in full-width letters', (address) => address.replace(/^u/, 'ｕ'), 400],
    ['with an invisible character', (address) => address.replace('@', '\u200b@'), 400],
    ['with a line break', (address) => `${address}\r\nBcc: x@evil.test`, 400],
    ['with a full-width at sign', (address) => address.replace('@', '＠'), 400],
  ])('is the same address %s (S061)', async (_name, change, status) => {
    const known = await aUser(world);
    const address = `${known.userName}@mail.test`;
    const answer = await register(newcomer({ email: change(address) }));
    expect(answer.statusCode).toBe(status);
    const mails = await collectMails(api);
    expect(mails.map((mail) => mail.to)).toEqual(status === 303 ? [address] : []);
    expect(await accountsOf(address)).toHaveLength(1);
  });

  it.each(['straße', 'ſtrasse', 'ﬁsch'])('never stands for its look-alike %s (S061)', async (local) => {
    const answer = await register(newcomer({ email: `${local}-${randomToken(3)}@mail.test` }));
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('id="email-error"');
  });

  it.each<[string, (name: string) => string]>([
    ['case', (name) => name.toUpperCase()],
    ['full-width letters', (name) => name.replace(/^u/, 'ｕ')],
    ['an invisible character', (name) => `${name.slice(0, 2)}\u200d${name.slice(2)}`],
  ])('a login name that differs by %s only is taken (S061)', async (_name, change) => {
    const known = await aUser(world);
    const refused = await register(newcomer({ loginName: change(known.userName) }));
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('id="loginName-error"');
  });
});

describe('who is quicker', () => {
  it('gets the login name; the other one is told, and no account of theirs is left behind', async () => {
    const first = newcomer();
    const second = newcomer({ loginName: first.loginName });
    const one = await askedForCode(first);
    const oneCode = await mailedCode();
    const two = await askedForCode(second);
    const twoCode = await mailedCode();
    expect(
      redirected(await one.browser.post('/register/verify', { ...one.fields, code: oneCode })).has('code'),
    ).toBe(true);
    const late = await two.browser.post('/register/verify', { ...two.fields, code: twoCode });
    expect(late.statusCode).toBe(400);
    expect(late.body).toContain('id="loginName-error"');
    expect(late.body).toContain(`value="${second.email}"`);
    expect(await accountsOf(second.email)).toEqual([]);
  });

  it('gets the address: whoever registered it before without proving it has nothing (pre-hijacking)', async () => {
    const { email } = newcomer();
    await askedForCode(newcomer({ email, newPassword: 'Attack3r-Passw0rd!' }));
    await collectMails(api);
    const owner = newcomer({ email });
    const { fields, browser } = await askedForCode(owner);
    expect(
      redirected(await browser.post('/register/verify', { ...fields, code: await mailedCode() })).has('code'),
    ).toBe(true);
    expect((await signIn(email, 'Attack3r-Passw0rd!')).statusCode).toBe(400);
    expect((await signIn(email)).statusCode).toBe(303);
  });

  it('has the domain: a name in the domain of another organization is refused as in an import', async () => {
    const other = await anOrganization(api);
    const address = `${randomToken(6)}@${other.domain}`.toLowerCase();
    for (const [typed, wrong] of [
      [{ email: address, loginName: address }, 'email'],
      [{ loginName: address.replace('@', '-@') }, 'loginName'],
    ] as const) {
      const refused = await register(newcomer(typed));
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain(`id="${wrong}-error"`);
    }
    const own = `${randomToken(6)}@${world.domain}`.toLowerCase();
    const { fields, browser } = await askedForCode(newcomer({ email: own, loginName: own }));
    await browser.post('/register/verify', { ...fields, code: await mailedCode() });
    expect((await accountsOf(own))[0]?.user_name).toBe(own.slice(0, own.indexOf('@')));
  });
});

describe('registration that is off (S060)', () => {
  afterEach(() => world.allowRegister(true, { requireLoginName: true }));

  it('is not offered and has no page, for prompt=create and direct requests alike', async () => {
    const browser = new TestBrowser(api);
    const { fields, flow } = await openForm(browser);
    await world.allowRegister(false);
    expect((await browser.get(`/login?flow=${flow}`)).body).not.toContain('/register');
    expectErrorPage(await browser.get(`/register?flow=${flow}`), 403);
    expectErrorPage(await new TestBrowser(api).get('/register'), 403);
    expectErrorPage(await browser.post('/register', { ...fields, ...newcomer() }), 403);
    expect(await collectMails(api)).toEqual([]);
  });

  it('S203: prompt=create leads to the sign-in page, which says so in the reader’s language', async () => {
    await world.allowRegister(false);
    for (const texts of languages.map((locale) => textsFor([locale]))) {
      const browser = new TestBrowser(api);
      const asked = codeRequest(client, { prompt: 'create', ui_locales: texts.language });
      const begun = await browser.get(authorizeUrl(asked));
      const sent = await browser.get(begun.headers.location ?? '');
      expect([sent.statusCode, sent.headers.location]).toEqual([
        302,
        expect.stringMatching(/^\/login\?flow=/) as string,
      ]);
      const page = await browser.get(sent.headers.location ?? '');
      expect(page.statusCode).toBe(200);
      expectPageHeaders(page);
      expect(page.body).toContain(escapeHtml(texts.errors.kinds['registration-off'].title));
      expect(page.body).toContain('name="password"');
      expect(page.body).not.toContain('/register');
      // and goes on to say so when the password was wrong
      const fields = hiddenFields(page.body);
      const wrong = await browser.post('/login', { ...fields, loginName: 'nobody', password: 'wrong' });
      expect(wrong.body).toContain(escapeHtml(texts.errors.kinds['registration-off'].title));
    }
    const other = new TestBrowser(api);
    const begun = await other.get(authorizeUrl(codeRequest(client)));
    expect((await other.get(begun.headers.location ?? '')).body).not.toContain(
      'You cannot create an account here',
    );
  });

  it('S203: nobody can register in an organization without a policy', async () => {
    const fresh = await anOrganization(api);
    const freshClient = await anApplication(fresh);
    const browser = new TestBrowser(api);
    const { fields, page, flow } = await openForm(browser, { of: freshClient });
    expectErrorPage(page, 403);
    const signIn = await browser.get(`/login?flow=${flow}`);
    expect(signIn.body).not.toContain('/register');
    const csrf = hiddenFields(signIn.body)['csrf'] ?? '';
    const posted = await browser.post('/register', { ...fields, flow, csrf, ...newcomer() });
    expect(posted.statusCode).toBe(403);
    expect(await collectMails(api)).toEqual([]);
    await fresh.allowRegister();
    expect((await openForm(new TestBrowser(api), { of: freshClient })).page.statusCode).toBe(200);
  });

  it('does not finish what began before, and sends no further code', async () => {
    const typed = newcomer();
    const { fields, url, browser } = await askedForCode(typed);
    const code = await mailedCode();
    await world.allowRegister(false);
    expectErrorPage(await browser.get(url), 403);
    expectErrorPage(await browser.post('/register/verify', { ...fields, code }), 403);
    await Promise.all([api.advance(61), replica.advance(61)]);
    expectErrorPage(await browser.post('/register/verify/resend', fields), 403);
    expect(await collectMails(api)).toEqual([]);
    expect(await accountsOf(typed.email)).toEqual([]);
  });
});

it.each(['{{7777*7}}', '${7777*7}', '<a/href=//evil.test>win</a>'])(
  'a name like %j is data: in no mail of a stranger, literal on pages (S059)',
  async (name) => {
    const kept = `${name}${randomToken(4)}`;
    const typed = newcomer({ loginName: kept });
    const { fields, page, browser } = await askedForCode(typed);
    expect(page.body).not.toContain('<a href=//evil');
    const [mail, ...others] = await collectMails(api);
    expect(others).toEqual([]);
    expect(mail?.to).toBe(typed.email);
    expect(`${mail?.subject}${mail?.text}${mail?.html}`).not.toMatch(/evil|7\*7|54439|gnp/);
    expect(mail?.subject).not.toMatch(/[\r\n]/);
    const { code } = linkIn(mail, '/register/verify');
    expect((await browser.post('/register/verify', { ...fields, code })).statusCode).toBe(303);
    expect((await accountsOf(typed.email))[0]?.user_name).toBe(kept);
    // mails to the account itself may say its name; outside of a sign-in the proven address means it, a bare name nobody
    const forgotten = hiddenFields((await browser.get('/password/forgotten')).body);
    await browser.post('/password/forgotten', { ...forgotten, loginName: typed.email });
    const [reset] = await collectMails(api);
    // what keeps an address in it from becoming a link is not seen
    expect(reset?.text.replaceAll('\u200C', '')).toContain(kept);
    expect(reset?.html).not.toContain('<a href=//evil');
    expect(`${reset?.to}${reset?.subject}`).not.toMatch(/[\r\n]|evil/);
  },
);

/** What is the same on every such page: all but tokens, ids, nonces and the address. */
function shape(response: LightMyRequestResponse, { id = '' }: Record<string, string>): string {
  return response.body
    .replaceAll(id, 'ID')
    .replace(/.•••@/g, '•••@')
    .replace(/nonce="[^"]+/g, 'nonce="')
    .replace(/data-seconds="\d+"|\d:\d\d/g, '')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'REFERENCE')
    .replace(/(name="(?:csrf|flow)" value=")[\w-]+/g, '$1');
}

it.each([
  ['email', { email: `ada\u202E${randomToken(6)}@mail.test` }],
  ['loginName', { loginName: 'Ada\r\nBcc: x@evil.test' }],
  ['loginName', { loginName: `ada\u2066${randomToken(6)}`.toLowerCase() }],
])('S205: a character in %s that no name may have is refused at its field', async (field, typed) => {
  const refused = await register(newcomer(typed));
  expect(refused.statusCode).toBe(400);
  expect(refused.body).toContain(`id="${field}-error"`);
  expect(await collectMails(api)).toEqual([]);
});

it('S204: nobody registers with an address that mail programs read as another one', async () => {
  const email = '=?utf-8?q?grace=40evil.test=3e=00?=@mail.test';
  const refused = await register(newcomer({ email }));
  expect(refused.statusCode).toBe(400);
  expect(refused.body).toContain('id="email-error"');
  expect(await accountsOf(email)).toEqual([]);
  expect(await collectMails(api)).toEqual([]);
});
