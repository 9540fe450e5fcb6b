import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecoveryCodes } from '../../../src/domain/factors/recovery-codes/recovery-codes.js';
import { TotpCodes } from '../../../src/domain/factors/totp/totp-codes.js';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { useReplica, type TestApi } from '../../support/api.js';
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
import { TEST_BILL } from '../../support/hashing.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const PAGE = '/login/second-factor';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));

let user: TestUser;
let app: TestAuthenticator;
let browser: TestBrowser;

beforeEach(async () => {
  // whole steps from one test to the next: no code of one is one of another
  await api.advance(90);
  await replica.advance(90);
  user = await aUser(world);
  app = await aTotpSecret(api, user.userId);
  browser = new TestBrowser(api);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Signs in with the password; what the page that comes up is sent back with. */
async function openPage(by = browser, whose = user, changes: Record<string, string> = {}) {
  const signedIn = await by.signIn(codeRequest(client, changes), whose);
  expect(signedIn.headers.location).toMatch(/^\/login\/second-factor\?flow=/);
  return hiddenFields((await by.get(signedIn.headers.location ?? '')).body);
}

async function show(code: string, fields: Record<string, string>, by = browser) {
  return await by.post(PAGE, { ...fields, code });
}

const ask = async (changes: Record<string, string> = {}, by = browser) =>
  await by.get(authorizeUrl(codeRequest(client, changes)));

async function idTokenOf(answered: Awaited<ReturnType<typeof ask>>) {
  const tokens = await tokensOf(api, client, answered);
  return decodeJwt(tokens.id_token);
}

async function failuresOf(whose: TestUser): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(
    'SELECT attempts - forgiven AS count FROM password_attempts WHERE user_id = $1',
    [whose.userId],
  );
  return rows[0]?.count ?? 0;
}

describe('an imported TOTP secret', () => {
  it('is asked for at the next sign-in, and tokens tell of both factors', async () => {
    const before = browser.userAgentSecret;
    const fields = await openPage();
    const between = browser.userAgentSecret;
    const answered = await show(app.code(api), fields);
    expect(await idTokenOf(answered)).toMatchObject({ sub: user.userId, amr: ['pwd', 'otp', 'mfa'] });
    expect(new Set([before, between, browser.userAgentSecret]).size).toBe(3);
    expect(redirected(await ask({ prompt: 'none' })).has('code')).toBe(true);
    const { rows } = await api.sql.query(
      `SELECT type, data FROM events WHERE actor_id = $1 AND type LIKE 'session.%' ORDER BY created_at`,
      [user.userId],
    );
    expect(rows).toEqual([
      { type: 'session.authenticated', data: expect.objectContaining({ amr: 'pwd' }) },
      { type: 'session.factor_verified', data: { kind: 'totp' } },
    ]);
  });

  it.each([
    { algorithm: 'SHA256', digits: 6 },
    { algorithm: 'SHA512', digits: 8 },
    { algorithm: 'SHA1', digits: 8, period: 60 },
  ])('works with %j', async (settings) => {
    const other = await aUser(world);
    const theirs = await aTotpSecret(api, other.userId, settings);
    const answered = await show(theirs.code(api), await openPage(browser, other));
    expect(redirected(answered).has('code')).toBe(true);
  });

  it.each([-1, 1])('may be one step off: %i', async (steps) => {
    expect(redirected(await show(app.code(api, steps), await openPage())).has('code')).toBe(true);
  });

  it.each([-2, 2])('may not be further off: %i', async (steps) => {
    const refused = await show(app.code(api, steps), await openPage());
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('id="error-summary"');
  });

  it('is taken as people type it', async () => {
    const code = app.code(api);
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`;
    expect(redirected(await show(typed, await openPage())).has('code')).toBe(true);
  });

  it('is asked for in sessions that began before it was there', async () => {
    const other = await aUser(world);
    await browser.signIn(codeRequest(client), other);
    expect(redirected(await ask({ prompt: 'none' })).has('code')).toBe(true);
    await aTotpSecret(api, other.userId);
    expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
    expect((await ask()).headers.location).toMatch(/^\/login\/second-factor\?flow=/);
  });

  it('is asked for again by prompt=login', async () => {
    await show(app.code(api, -1), await openPage());
    const fields = await openPage(browser, user, { prompt: 'login' });
    expect(redirected(await show(app.code(api), fields)).has('code')).toBe(true);
  });

  it('says what is missing when nothing was typed, and never gives a code back', async () => {
    const fields = await openPage();
    const empty = await show('', fields);
    expect(empty.statusCode).toBe(400);
    const refused = await show('000001', fields);
    expect(refused.body).not.toContain('000001');
  });

  it('does not come between a sign-in and what must be done after it', async () => {
    await api.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [user.userId]);
    const onward = await show(app.code(api), await openPage());
    expect(onward.headers.location).toMatch(/^\/login\/change-password\?flow=/);
    const page = await browser.get(onward.headers.location ?? '');
    const next = 'Marker-N3w-Passw0rd!';
    const typed = { password: PASSWORD, newPassword: next, repeatPassword: next };
    const answered = await browser.post('/login/change-password', { ...hiddenFields(page.body), ...typed });
    expect(await idTokenOf(answered)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
  });

  it('of days ago makes no session new whose password has to be changed: it is asked for again (S407)', async () => {
    expect(redirected(await show(app.code(api), await openPage())).has('code')).toBe(true);
    await api.advance(7200);
    await api.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [user.userId]);
    const onward = await ask();
    expect(onward.headers.location).toMatch(/^\/login\/change-password\?flow=/);
    const page = await browser.get(onward.headers.location ?? '');
    const next = 'Marker-N3w-Passw0rd!';
    const typed = { password: PASSWORD, newPassword: next, repeatPassword: next };
    const changed = await browser.post('/login/change-password', { ...hiddenFields(page.body), ...typed });
    expect(changed.headers.location).toMatch(/^\/login\/second-factor\?flow=/);
    expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
    const fields = hiddenFields((await browser.get(changed.headers.location ?? '')).body);
    expect(await idTokenOf(await show(app.code(api), fields))).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
  });
});

describe('a code that was used', () => {
  it('is worth nothing in another sign-in, nor is one before it', async () => {
    expect(redirected(await show(app.code(api), await openPage())).has('code')).toBe(true);
    const another = new TestBrowser(api);
    const fields = await openPage(another);
    for (const steps of [0, -1]) {
      expect((await show(app.code(api, steps), fields, another)).statusCode).toBe(400);
    }
    expect(redirected(await show(app.code(api, 1), fields, another)).has('code')).toBe(true);
  });

  it('lets one in of many at once, on two replicas', async () => {
    const browsers = Array.from(
      { length: 6 },
      (_, index) => new TestBrowser(index % 2 === 0 ? api : replica),
    );
    const opened = await Promise.all(browsers.map(async (by) => ({ by, fields: await openPage(by) })));
    const code = app.code(api);
    // more at once than may fail, so that it is not the counter which stops them
    await api.sql.query('DELETE FROM password_attempts WHERE user_id = $1', [user.userId]);
    const answers = await Promise.all(opened.map(({ by, fields }) => show(code, fields, by)));
    expect(answers.filter((answer) => redirected(answer).has('code'))).toHaveLength(1);
    expect(answers.every(({ statusCode }) => statusCode < 500)).toBe(true);
  });

  it('lets one in of two in the same form', async () => {
    const fields = await openPage();
    const code = app.code(api);
    const answers = await Promise.all([show(code, fields), show(code, fields)]);
    expect(answers.filter((answer) => redirected(answer).has('code'))).toHaveLength(1);
  });
});

describe('the step is not got round', () => {
  it("by somebody else's code", async () => {
    const other = await aUser(world);
    const theirs = await aTotpSecret(api, other.userId);
    expect((await show(theirs.code(api), await openPage())).statusCode).toBe(400);
  });

  it('by prompt=none, a second tab, or the pages of our own', async () => {
    await openPage();
    expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
    expect((await ask()).headers.location).toMatch(/^\/login\/second-factor\?flow=/);
    expect((await browser.get('/')).body).not.toContain(user.loginName);
    expect((await browser.get('/admin/queues')).headers.location).toMatch(/^\/login/);
  });

  it.each(['/login/change-password', '/login/verify-email', '/login/consent', '/login/accounts'])(
    'by sending the form of %s',
    async (path) => {
      const fields = await openPage();
      const answered = await browser.post(path, {
        ...fields,
        session: 'x',
        code: '123456',
        agree: 'true',
        password: PASSWORD,
        newPassword: 'Marker-N3w-Passw0rd!',
        repeatPassword: 'Marker-N3w-Passw0rd!',
      });
      expect(answered.statusCode).toBe(403);
      expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
    },
  );

  it('by picking the account from the list', async () => {
    await openPage();
    const list = await ask({ prompt: 'select_account' });
    const page = await browser.get(list.headers.location ?? '');
    const account = /name="account" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const picked = await browser.post('/login/accounts', { ...hiddenFields(page.body), account });
    expect(picked.headers.location).toMatch(/^\/login\/second-factor\?flow=/);
    expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
  });

  it('by the form of another flow, or in another browser', async () => {
    const fields = await openPage();
    const { flow = '' } = await openPage(new TestBrowser(api));
    expect((await show(app.code(api), { ...fields, flow })).statusCode).toBe(403);
    expect((await show(app.code(api), fields, new TestBrowser(api))).statusCode).toBe(403);
  });

  it('by a new password from the mail', async () => {
    const password = 'Marker-Fr3sh!';
    await collectMails(api);
    const asked = await browser.get('/password/forgotten');
    await browser.post('/password/forgotten', { ...hiddenFields(asked.body), loginName: user.loginName });
    const { url, code } = linkIn((await collectMails(api))[0], '/password/reset');
    const page = await browser.get(url);
    const typed = { code, newPassword: password, repeatPassword: password };
    const set = await browser.post('/password/reset', { ...hiddenFields(page.body), ...typed });
    expect(set.statusCode).toBeLessThan(400);
    expect(redirected(await ask({ prompt: 'none' })).has('code')).toBe(false);
    const form = await browser.openSignIn(codeRequest(client));
    const signedIn = await browser.post('/login', { ...form, loginName: user.loginName, password });
    expect(signedIn.headers.location).toMatch(/^\/login\/second-factor\?flow=/);
  });
});

describe('guesses', () => {
  it('count together with wrong passwords, over flows and replicas, and stop being looked at', async () => {
    const evaluations = [api, replica].map((one) => vi.spyOn(one.app.get(TotpCodes), 'evaluate'));
    const browsers = Array.from(
      { length: 12 },
      (_, index) => new TestBrowser(index % 2 === 0 ? api : replica),
    );
    const opened: { by: TestBrowser; fields: Record<string, string> }[] = [];
    for (const by of browsers) opened.push({ by, fields: await openPage(by) });
    const wrong = new TestBrowser(api);
    const form = await wrong.openSignIn(codeRequest(client));
    for (let tries = 0; tries < 3; tries += 1) {
      await wrong.post('/login', { ...form, loginName: user.loginName, password: 'wrong' });
    }
    const answers = await Promise.all(opened.map(({ by, fields }) => show('000000', fields, by)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([400]));
    const looked = evaluations.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    expect(looked).toBe(2);
    // locked, a right code looks as wrong as any other, and so does the password
    const [first] = opened;
    if (first === undefined) throw new Error('no browser');
    expect((await show(app.code(api), first.fields, first.by)).statusCode).toBe(400);
  });

  it('are not forgiven by the right password, however often it is shown', async () => {
    const fields = await openPage();
    for (let tries = 0; tries < 3; tries += 1) await show('000000', fields);
    expect(await failuresOf(user)).toBe(3);
    for (let tries = 0; tries < 3; tries += 1) await openPage(new TestBrowser(api));
    expect(await failuresOf(user)).toBe(3);
  });

  it('are forgiven by the right code', async () => {
    const fields = await openPage();
    for (let tries = 0; tries < 3; tries += 1) await show('000000', fields);
    expect(redirected(await show(app.code(api), fields)).has('code')).toBe(true);
    expect(await failuresOf(user)).toBe(0);
  });

  it('at somebody without a factor are forgiven by the password, as ever', async () => {
    const other = await aUser(world);
    const form = await browser.openSignIn(codeRequest(client));
    await browser.post('/login', { ...form, loginName: other.loginName, password: 'wrong' });
    expect(await failuresOf(other)).toBe(1);
    await browser.post('/login', { ...form, loginName: other.loginName, password: PASSWORD });
    expect(await failuresOf(other)).toBe(0);
  });

  it('of many, over flows without end, come to no more than the lock allows', async () => {
    const evaluations = vi.spyOn(api.app.get(TotpCodes), 'evaluate');
    const opened: { by: TestBrowser; fields: Record<string, string> }[] = [];
    for (let flows = 0; flows < 20; flows += 1) {
      const by = new TestBrowser(api);
      opened.push({ by, fields: await openPage(by) });
    }
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(opened.map(({ by, fields }) => show('000000', fields, by)));
    }
    expect(evaluations.mock.calls.length).toBeLessThanOrEqual(10);
  });
});

/** What the user is told of their factors, and the log of them. */
async function told() {
  const { rows } = await api.sql.query<object>(
    `SELECT (SELECT array_agg(template ORDER BY created_at) FROM notifications WHERE user_id = $1) AS mails,
       (SELECT jsonb_agg(jsonb_build_object('type', type, 'data', data) ORDER BY position) FROM events
        WHERE aggregate_id = $1 AND type ~ 'factor|recovery_code') AS events`,
    [user.userId],
  );
  return rows[0];
}

describe('a recovery code', () => {
  const add = async (whose: TestUser, hash: string, on: TestApi = api) =>
    await on.sql.query(`INSERT INTO user_recovery_codes (user_id, org_id, hash) VALUES ($1, $2, $3)`, [
      whose.userId,
      whose.orgId,
      hash,
    ]);
  const ours = async (code: string, whose = user) =>
    await add(whose, api.app.get(RecoveryCodes).hashOf(whose.userId, code));
  const instead = (fields: Record<string, string>) => ({ ...fields, kind: 'recovery-code' });

  it('stands in for the app, once', async () => {
    await ours('ABCDE-FGHJK');
    const fields = await openPage();
    const page = await browser.get(`${PAGE}?flow=${fields['flow']}&kind=recovery-code`);
    expect(page.body).toContain('value="recovery-code"');
    const answered = await show('abcde fghjk', hiddenFields(page.body));
    expect(await idTokenOf(answered)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
    const another = new TestBrowser(api);
    const again = await show('ABCDE-FGHJK', instead(await openPage(another)), another);
    expect(again.statusCode).toBe(400);
    expect(await told()).toEqual({
      mails: ['recovery_code_used'],
      events: [{ type: 'user.human.recovery_code.used', data: { left: 0 } }],
    });
  });

  it('lets one in of several at once', async () => {
    await ours('ABCDE-FGHJK');
    const browsers = Array.from(
      { length: 4 },
      (_, index) => new TestBrowser(index % 2 === 0 ? api : replica),
    );
    const opened = await Promise.all(browsers.map(async (by) => ({ by, fields: await openPage(by) })));
    const answers = await Promise.all(
      opened.map(({ by, fields }) => show('ABCDE-FGHJK', instead(fields), by)),
    );
    expect(answers.filter((answer) => redirected(answer).has('code'))).toHaveLength(1);
    expect(await told()).toMatchObject({ mails: ['recovery_code_used'] });
  });

  it("of another user opens nothing, even where the other's row is copied", async () => {
    const other = await aUser(world);
    await add(user, api.app.get(RecoveryCodes).hashOf(other.userId, 'ABCDE-FGHJK'));
    expect((await show('ABCDE-FGHJK', instead(await openPage()))).statusCode).toBe(400);
  });

  it('works as another product hashed it', async () => {
    const hash = await api.app.get(PasswordHashing).hash('their-Code-1', TEST_BILL);
    await add(user, hash);
    expect((await show('their-Code-2', instead(await openPage()))).statusCode).toBe(400);
    const fresh = new TestBrowser(api);
    expect(redirected(await show('their-Code-1', instead(await openPage(fresh)), fresh)).has('code')).toBe(
      true,
    );
  });
});

describe('somebody who lost everything', () => {
  it('has their factors reset by a manager, which ends what they were let in with', async () => {
    await browser.signIn(codeRequest(client), user);
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    const factors = `/management/v1/users/${user.userId}/factors`;
    const { pat } = manager;
    expect((await call(api, 'GET', factors, { pat })).json()).toMatchObject({ totp: true, recoveryCodes: 0 });
    const [first, second] = await Promise.all([
      call(api, 'DELETE', factors, { pat }),
      call(replica, 'DELETE', factors, { pat }),
    ]);
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    expect((await call(api, 'GET', factors, { pat })).json()).toMatchObject({
      totp: false,
      recoveryCodes: 0,
    });
    const { rows } = await api.sql.query(
      `SELECT type, actor_id FROM events WHERE aggregate_id = $1 AND type = 'user.human.factors.reset'`,
      [user.userId],
    );
    expect(rows).toEqual([{ type: 'user.human.factors.reset', actor_id: manager.userId }]);
    expect(await told()).toMatchObject({ mails: ['factors_reset'] });
    const { rows: living } = await api.sql.query(
      'SELECT id FROM sessions WHERE user_id = $1 AND ended_at IS NULL',
      [user.userId],
    );
    expect(living).toEqual([]);
    const answered = await new TestBrowser(api).signIn(codeRequest(client), user);
    expect(redirected(answered).has('code')).toBe(true);
  });

  it('is nobody who could reset their own, nor a manager of another organization', async () => {
    const elsewhere = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    const own = await aServiceUser(world, 'ORG_OWNER');
    const at = (userId: string, pat: string) =>
      call(api, 'DELETE', `/management/v1/users/${userId}/factors`, { pat });
    expect((await at(user.userId, elsewhere.pat)).statusCode).toBe(404);
    const refused = await at(own.userId, own.pat);
    expect(refused.json()).toMatchObject({
      code: 9,
      message: expect.stringContaining('COMMAND-Fr3s1') as string,
    });
    expect((await browser.signIn(codeRequest(client), user)).headers.location).toContain(PAGE);
  });
});

describe('an organization that wants no second factor', () => {
  it('has none asked for, and a password forgives as ever', async () => {
    await api.sql.query(
      `INSERT INTO factor_policies (org_id, is_set, second_factor, required_for, kinds, trusted_browser_days, passkey_counter)
       VALUES ($1, true, 'off', 'all', '{totp}', 0, 'event')`,
      [world.orgId],
    );
    try {
      const form = await browser.openSignIn(codeRequest(client));
      await browser.post('/login', { ...form, loginName: user.loginName, password: 'wrong' });
      const answered = await browser.post('/login', {
        ...form,
        loginName: user.loginName,
        password: PASSWORD,
      });
      expect(redirected(answered).has('code')).toBe(true);
      expect(await failuresOf(user)).toBe(0);
    } finally {
      await api.sql.query('DELETE FROM factor_policies WHERE org_id = $1', [world.orgId]);
    }
    expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
  });
});
