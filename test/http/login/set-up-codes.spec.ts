import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { useReplica } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  tokensOf,
} from '../../support/browser-flow.js';
import { call, postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { newestCode } from '../../support/mail-code.js';
import { collectMails, linkIn, otherCode } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { TWILIO } from '../../support/sms.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// Whoever must have a second factor turns on codes by e-mail or SMS while signing in, where the policy lists them.

const PAGE = '/login/set-up-factor';
const SCOPE = 'openid offline_access urn:zitadel:iam:org:project:id:zitadel:aud';
const RESET = 'Marker-Fr3sh!';
type Kind = 'email' | 'sms';

const { api, world } = useWorld({ ...TWILIO, SMS_CAP_ORGANIZATION: 'off', SMS_CAP_PREFIX: 'off' });
const replica = useReplica(api, TWILIO);
/** The same instance without an SMS provider. */
const mute = useReplica(api);
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const client = given(() => anOwnApplication(world));

let subscriber = 3_000_000;
let number: string;
let user: TestUser;
let browser: TestBrowser;

beforeEach(async () => {
  number = `+4179${String((subscriber += 10_007)).slice(0, 7)}`;
  user = await aUser(world, { phone: { number, verified: true } });
  browser = new TestBrowser(api);
});

async function policy(body: object): Promise<void> {
  expect((await call(api, 'PUT', 'policies/factors', { pat: root.pat, body })).statusCode).toBe(200);
}

const requireKinds = (...kinds: readonly string[]) =>
  policy({ secondFactor: 'required', requiredFor: 'all', kinds });
const signIn = (by = browser, password?: string) =>
  by.submitPassword(codeRequest(client, { scope: SCOPE }), user, password);
const laterBy = async (seconds: number) => {
  for (const one of [api, replica, mute]) await one.advance(seconds);
};

/** In front of the page, which has sent nothing yet. */
async function openPage(by = browser, password?: string) {
  const { location = '' } = (await signIn(by, password)).headers;
  expect(location).toMatch(/^\/login\/set-up-factor\?flow=/);
  const page = await by.get(location);
  return { location, body: page.body, fields: hiddenFields(page.body) };
}

/** Has the code sent: what the form that takes it sends back. */
async function haveSent(fields: Record<string, string>, by = browser) {
  const sent = await by.post(`${PAGE}/send`, fields);
  const { location = '' } = sent.headers;
  const { body } = await by.get(location);
  return { location, body, fields: hiddenFields(body) };
}

async function messages(kind: Kind): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM notifications WHERE user_id = $1 AND template = $2',
    [user.userId, `second_factor_${kind}`],
  );
  return rows[0]?.count ?? 0;
}

async function held(kind: Kind): Promise<boolean> {
  const { rows } = await api.sql.query('SELECT FROM user_code_factors WHERE user_id = $1 AND kind = $2', [
    user.userId,
    kind,
  ]);
  return rows.length === 1;
}

const change = (columns: string) =>
  api.sql.query(`UPDATE user_humans SET ${columns} WHERE user_id = $1`, [user.userId]);

describe.each([
  { kind: 'email', amr: ['pwd', 'otp', 'mfa'], shown: '•••@mail.test' },
  { kind: 'sms', amr: ['pwd', 'otp', 'sms', 'mfa'], shown: '+41•••' },
] as const)('codes by $kind, where nothing else is listed', ({ kind, amr, shown }) => {
  beforeEach(() => requireKinds(kind));

  it('are turned on by one that arrived, which counts at once and from then on', async () => {
    const { body, fields } = await openPage();
    expect(body).toContain(shown);
    expect(body).not.toContain('name="skip"');
    expect(await messages(kind)).toBe(0);
    const page = await haveSent(fields);
    expect(page.body).toContain('autocomplete="one-time-code"');
    expect(/<input[^>]* data-sms/.test(page.body)).toBe(kind === 'sms');
    expect(page.body).not.toContain(number);
    const code = await newestCode(api, user.userId);
    const wrong = await browser.post(PAGE, { ...page.fields, code: otherCode(code) });
    expect(wrong.statusCode).toBe(400);
    expect(wrong.body).toContain('id="error-summary"');
    const missing = await browser.post(PAGE, page.fields);
    expect(missing.statusCode).toBe(400);
    const before = browser.userAgentSecret;
    const answered = await browser.post(PAGE, { ...page.fields, code });
    expect(browser.userAgentSecret).not.toBe(before);
    const tokens = await tokensOf(api, client, answered);
    expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: user.userId, amr });
    expect(await held(kind)).toBe(true);
    const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(silent).has('code')).toBe(true);
    expect((await signIn(new TestBrowser(api))).headers.location).toMatch(/^\/login\/second-factor/);
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'user.human.code_factor.added'`,
      [user.userId],
    );
    expect(rows).toEqual([{ data: { kind } }]);
    const last = await call(api, 'DELETE', `/auth/v1/users/me/factors/codes/${kind}`, {
      pat: tokens.access_token,
    });
    expect(last.json()).toMatchObject({
      code: 9,
      message: expect.stringContaining('last second factor') as string,
    });
  });

  it('leave nobody past them, and keep earlier tokens out', async () => {
    await policy({ secondFactor: 'offered' });
    const { access_token: pat } = await tokensOf(api, client, await signIn());
    await requireKinds(kind);
    expect((await call(api, 'GET', '/management/v1/orgs/me', { pat })).statusCode).toBe(403);
    const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(silent).get('error')).toBe('interaction_required');
    const tab = await browser.get(authorizeUrl(codeRequest(client)));
    expect(tab.headers.location).toMatch(/^\/login\/set-up-factor/);
    // what takes the way by the API comes to the same end
    const begun = await call(api, 'POST', `/auth/v1/users/me/factors/codes/${kind}/_begin`, { pat });
    expect(begun.json()).toEqual({ sent: true });
    const code = await newestCode(api, user.userId);
    await call(api, 'POST', `/auth/v1/users/me/factors/codes/${kind}/_finish`, { pat, body: { code } });
    expect((await call(api, 'GET', '/auth/v1/users/me', { pat })).statusCode).toBe(200);
  });

  it('are turned on once of any number of answers at once, on two replicas', async () => {
    const { fields } = await haveSent((await openPage()).fields);
    const code = await newestCode(api, user.userId);
    const cookie = browser.cookieHeader;
    const answers = await Promise.all(
      [api, replica, api, replica].map((one) => postForm(one, PAGE, { ...fields, code }, { cookie })),
    );
    expect(answers.filter((answer) => redirected(answer).has('code'))).toHaveLength(1);
    expect(answers.every(({ statusCode }) => statusCode < 500)).toBe(true);
    const { rows } = await api.sql.query(
      `SELECT FROM events WHERE aggregate_id = $1 AND type = 'user.human.code_factor.added'`,
      [user.userId],
    );
    expect(rows).toHaveLength(1);
  });

  it('are good in another tab and after the back button, and nowhere but in their browser', async () => {
    const { location, fields } = await openPage();
    const sent = await haveSent(fields);
    const code = await newestCode(api, user.userId);
    // back to the page before, and the same in a tab: a code is under way
    expect((await browser.get(location)).body).toContain('id="code"');
    const tab = await browser.get(
      (await browser.get(authorizeUrl(codeRequest(client)))).headers.location ?? '',
    );
    expect(tab.body).toContain('id="code"');
    expect(await messages(kind)).toBe(1);
    const elsewhere = new TestBrowser(api);
    const other = await openPage(elsewhere);
    expect((await elsewhere.post(PAGE, { ...other.fields, code })).statusCode).toBe(400);
    expect((await elsewhere.post(PAGE, { ...sent.fields, code })).statusCode).toBe(403);
    expect(redirected(await browser.post(PAGE, { ...hiddenFields(tab.body), code })).has('code')).toBe(true);
    // the first tab, and its form once more, go on: the step is over
    const late = await browser.post(PAGE, { ...sent.fields, code });
    expect(late.statusCode).toBeLessThan(500);
    expect(await messages(kind)).toBe(1);
  });

  it('are sent within the limits of messages, and the page says so', async () => {
    const { fields } = await haveSent((await openPage()).fields);
    const early = await haveSent(fields);
    expect(early.location).toContain('sent=none');
    expect(await messages(kind)).toBe(1);
    // somewhere else no code is under way, and none can be had yet: the button is held back
    const elsewhere = new TestBrowser(api);
    const refused = await haveSent((await openPage(elsewhere)).fields, elsewhere);
    expect(refused.body).toContain('No code could be sent. Try again in a while.');
    expect(refused.body).toMatch(/id="send-code"[^>]* disabled/);
    expect(refused.body).toContain('data-enables="send-code"');
    await laterBy(130);
    const again = await haveSent(fields);
    expect(again.location).toContain('sent=again');
    expect(again.body).toContain('role="status"');
    expect(await messages(kind)).toBe(2);
  });

  it('are not guessed: five tries, which count as wrong passwords do', async () => {
    const { fields } = await haveSent((await openPage()).fields);
    const code = await newestCode(api, user.userId);
    for (let n = 0; n < 5; n += 1) {
      expect((await browser.post(PAGE, { ...fields, code: otherCode(code) })).statusCode).toBe(400);
      await api.sql.query(
        `UPDATE password_attempts SET last_at = last_at - interval '5 minutes' WHERE user_id = $1`,
        [user.userId],
      );
    }
    expect((await browser.post(PAGE, { ...fields, code })).statusCode).toBe(400);
    expect(await held(kind)).toBe(false);
    const { rows } = await api.sql.query(
      'SELECT attempts - forgiven AS count FROM password_attempts WHERE user_id = $1',
      [user.userId],
    );
    expect(rows).toEqual([{ count: 6 }]);
  });

  it('are worth nothing once the address is another one, or over', async () => {
    const { fields } = await haveSent((await openPage()).fields);
    const code = await newestCode(api, user.userId);
    await change(kind === 'email' ? `email = 'else@mail.test'` : `phone = '+41790000002'`);
    expect((await browser.post(PAGE, { ...fields, code })).statusCode).toBe(400);
    await laterBy(601);
    // by now the page asks for a fresh proof first
    const late = await browser.post(PAGE, { ...fields, code });
    expect(late.headers.location).toMatch(/^\/login\/set-up-factor\?flow=/);
    expect((await browser.get(late.headers.location ?? '')).headers.location).toContain(
      '/account/confirm?next=',
    );
    expect(await held(kind)).toBe(false);
  });
});

describe('which codes are on offer', () => {
  it('are those of the list, after what is stronger', async () => {
    await requireKinds('passkey', 'email', 'totp', 'sms');
    const { location, body, fields } = await openPage();
    expect(fields['kind']).toBe('passkey');
    expect(body.match(/kind=(?:totp|email|sms)/g)).toEqual(['kind=email', 'kind=totp', 'kind=sms']);
    expect(hiddenFields((await browser.get(`${location}&kind=email`)).body)['kind']).toBe('email');
    await requireKinds('passkey', 'sms');
    const forced = await browser.get(`${location}&kind=email`);
    expect(forced.body).not.toContain('kind=email');
    const sent = await browser.post(`${PAGE}/send`, { ...fields, kind: 'email' });
    expect(sent.headers.location).toContain('sent=none');
    expect(await messages('email')).toBe(0);
    const taken = await browser.post(PAGE, { ...fields, kind: 'email', code: '123456' });
    expect(taken.headers.location).toMatch(/^\/login\/set-up-factor/);
  });

  it('are those alone that arrive somewhere', async () => {
    await requireKinds('totp', 'email', 'sms');
    await change('phone_verified = false');
    expect((await openPage()).body).not.toContain('kind=sms');
    await change('phone = NULL, phone_verified = false');
    expect((await openPage(new TestBrowser(api))).body).not.toContain('kind=sms');
    await change('email_verified = false');
    expect((await openPage(new TestBrowser(api))).body).not.toContain('kind=email');
  });
});

describe('whoever has nothing that is verified', () => {
  it('verifies the e-mail address first, where codes by e-mail are all there is', async () => {
    await requireKinds('email');
    await change('email_verified = false');
    const step = await signIn();
    expect(step.headers.location).toMatch(/^\/login\/verify-email/);
    // no way around: what comes next is asked for by its own step
    const { flow = '' } = Object.fromEntries(
      new URL(step.headers.location ?? '', 'https://x.test').searchParams,
    );
    const posted = await browser.get(`${PAGE}?flow=${flow}`);
    expect(posted.headers.location ?? '').not.toContain('code=');
    const page = await browser.get(step.headers.location ?? '');
    const code = await newestCode(api, user.userId);
    const verified = await browser.post('/login/verify-email', { ...hiddenFields(page.body), code });
    expect(verified.headers.location).toMatch(/^\/login\/set-up-factor/);
    const sent = await haveSent(hiddenFields((await browser.get(verified.headers.location ?? '')).body));
    const done = await browser.post(PAGE, { ...sent.fields, code: await newestCode(api, user.userId) });
    expect(redirected(done).has('code')).toBe(true);
  });

  it.each([{ columns: 'phone_verified = false' }, { columns: 'phone = NULL, phone_verified = false' }])(
    'is told whom to ask where codes by SMS are all there is: $columns',
    async ({ columns }) => {
      await requireKinds('sms');
      await change(columns);
      const { location, body } = await openPage();
      expect(body).toContain('your account has no phone number that is verified. Ask your administrator');
      expect(body).not.toContain('id="send-code"');
      // they do, and the page goes on
      const phone = { phone: number, isPhoneVerified: true };
      const set = await call(api, 'PUT', `users/${user.userId}/phone`, { pat: root.pat, body: phone });
      expect(set.statusCode).toBe(200);
      const sent = await haveSent(hiddenFields((await browser.get(location)).body));
      const done = await browser.post(PAGE, { ...sent.fields, code: await newestCode(api, user.userId) });
      expect(redirected(done).has('code')).toBe(true);
    },
  );

  it('is told so where nothing sends SMS', async () => {
    await requireKinds('sms');
    const by = new TestBrowser(mute);
    const { body } = await openPage(by);
    expect(body).toContain('no SMS can be sent here. Ask your administrator.');
  });

  it('verifies the number by the API, with earlier tokens', async () => {
    await policy({ secondFactor: 'offered' });
    const { access_token: pat } = await tokensOf(api, client, await signIn());
    await requireKinds('sms');
    await change('phone_verified = false');
    const resent = await call(api, 'POST', '/auth/v1/users/me/phone/_resend_verification', { pat, body: {} });
    expect(resent.statusCode).toBe(200);
    const code = await newestCode(api, user.userId);
    const verified = await call(api, 'POST', '/auth/v1/users/me/phone/_verify', { pat, body: { code } });
    expect(verified.statusCode).toBe(200);
  });
});

describe('a mailbox that set the password', () => {
  /** Whoever was never let in gets the mail of their invitation once more. */
  async function askForMail(path: '/password/reset' | '/password/init'): Promise<void> {
    await collectMails(api);
    const asked = await browser.get('/password/forgotten');
    await browser.post('/password/forgotten', { ...hiddenFields(asked.body), loginName: user.loginName });
    const { url, code } = linkIn((await collectMails(api))[0], path);
    const page = await browser.get(url);
    const typed = { code, newPassword: RESET, repeatPassword: RESET };
    const set = await browser.post(path, { ...hiddenFields(page.body), ...typed });
    expect(set.statusCode).toBeLessThan(400);
  }

  it('in place of another is not shown as a second factor for a day: neither here nor on the account page', async () => {
    await requireKinds('email');
    await askForMail('/password/reset');
    const { location, body, fields } = await openPage(browser, RESET);
    expect(body).toContain('Your password was reset by');
    expect(body).not.toContain('id="send-code"');
    await browser.post(`${PAGE}/send`, { ...fields, kind: 'email' });
    expect(await messages('email')).toBe(0);
    await laterBy(24 * 3600 + 60);
    const later = await openPage(new TestBrowser(api), RESET);
    expect(later.fields['kind']).toBe('email');
    expect(location).not.toContain('code=');
  });

  it('leaves SMS on offer', async () => {
    await requireKinds('email', 'sms');
    await askForMail('/password/reset');
    const { body, fields } = await openPage(browser, RESET);
    expect(fields['kind']).toBe('sms');
    expect(body).not.toContain('kind=email');
  });

  it('is no factor on the account page either', async () => {
    await policy({ secondFactor: 'offered' });
    const account = await AccountBrowser.signedIn(api, user);
    const path = '/account/security/codes/email';
    const form = await account.fieldsOf(path);
    await api.sql.query('UPDATE user_passwords SET reset_by_email_at = app_now() WHERE user_id = $1', [
      user.userId,
    ]);
    expect((await account.get('/account/security')).body).not.toContain(path);
    await account.post(`${path}/send`, form);
    expect(await messages('email')).toBe(0);
  });

  it('for the first time resets nothing: it is all that is known of whoever was invited', async () => {
    await requireKinds('email');
    await api.sql.query(`UPDATE users SET state = 'initial' WHERE id = $1`, [user.userId]);
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    await askForMail('/password/init');
    const { fields } = await openPage(browser, RESET);
    expect(fields['kind']).toBe('email');
    const sent = await haveSent(fields);
    const done = await browser.post(PAGE, { ...sent.fields, code: await newestCode(api, user.userId) });
    expect(redirected(done).has('code')).toBe(true);
  });
});

it('an owner puts codes off while the days last', async () => {
  await policy({ secondFactor: 'required', requiredFor: 'owners', kinds: ['email'] });
  await api.sql.query(
    `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $2)`,
    [user.userId, user.orgId],
  );
  const { fields } = await openPage();
  expect(redirected(await browser.post(PAGE, { ...fields, skip: 'true' })).has('code')).toBe(true);
});

it('a number that codes go to stays where they are the last factor that is required', async () => {
  await policy({ secondFactor: 'offered' });
  const account = await AccountBrowser.signedIn(api, user);
  await api.sql.query(`INSERT INTO user_code_factors (user_id, org_id, kind) VALUES ($1, $2, 'sms')`, [
    user.userId,
    user.orgId,
  ]);
  await api.sql.query(`UPDATE sessions SET second_factor_at = app_now() WHERE user_id = $1`, [user.userId]);
  await requireKinds('sms');
  const kept = await account.fill('/account/phone/change', { remove: 'true' });
  expect(kept.headers.location).toBe('/account?done=lastFactor');
  await policy({ secondFactor: 'offered' });
  const gone = await account.fill('/account/phone/change', { remove: 'true' });
  expect(gone.headers.location).toBe('/account?done=phoneRemoved');
});
