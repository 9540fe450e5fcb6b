import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { aReplica, useReplica } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  TestBrowser,
  tokensOf,
} from '../../support/browser-flow.js';
import { call, postForm } from '../../support/calls.js';
import { aTotpSecret } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { newestCode } from '../../support/mail-code.js';
import { collectMails, linkIn, otherCode } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { aPhoneUser, resend, TWILIO } from '../../support/sms.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const PAGE = '/login/second-factor';
const KINDS = ['email', 'sms'] as const;
type Kind = (typeof KINDS)[number];
const RESET = 'Marker-Fr3sh!';
const SCOPE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';

const { api, world } = useWorld({ ...TWILIO, SMS_CAP_ORGANIZATION: 'off', SMS_CAP_PREFIX: 'off' });
const replica = useReplica(api, TWILIO);
const client = given(() => anOwnApplication(world));
const manager = given(() => aServiceUser(world, 'ORG_OWNER'));

let subscriber = 2_000_000;
let number: string;
let user: TestUser;
let browser: TestBrowser;

beforeEach(async () => {
  number = `+4179${String((subscriber += 10_007)).slice(0, 7)}`;
  user = await aUser(world, { phone: { number, verified: true } });
  browser = new TestBrowser(api);
});

async function turnOn(kind: Kind, whose = user): Promise<void> {
  await api.sql.query('INSERT INTO user_code_factors (user_id, org_id, kind) VALUES ($1, $2, $3)', [
    whose.userId,
    whose.orgId,
    kind,
  ]);
}

/** Signs in with the password and opens the page that comes up. */
async function openPage(by = browser, whose = user, password?: string) {
  const signedIn = await by.signIn(codeRequest(client), whose, password);
  expect(signedIn.headers.location).toMatch(/^\/login\/second-factor\?flow=/);
  const path = signedIn.headers.location ?? '';
  const page = await by.get(path);
  return { path, body: page.body, fields: hiddenFields(page.body) };
}

async function show(code: string, fields: Record<string, string>, by = browser) {
  return await by.post(PAGE, { ...fields, code });
}

async function sent(kind: Kind, whose = user): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM notifications WHERE user_id = $1 AND template = $2',
    [whose.userId, `second_factor_${kind}`],
  );
  return rows[0]?.count ?? 0;
}

const laterBy = async (seconds: number) => {
  await api.advance(seconds);
  await replica.advance(seconds);
};

describe.each([
  { kind: 'email', amr: ['pwd', 'otp', 'mfa'], shown: '•••@mail.test', late: 'Check your spam' },
  { kind: 'sms', amr: ['pwd', 'otp', 'sms', 'mfa'], shown: '+41•••', late: 'It may take a minute' },
] as const)('a code by $kind', ({ kind, amr, shown, late }) => {
  beforeEach(() => turnOn(kind));

  it('is sent once the password was right, and tokens tell of it', async () => {
    const { body, fields, path } = await openPage();
    expect(body).toContain(shown);
    expect(body).toContain(late);
    expect(body).toContain('autocomplete="one-time-code"');
    expect(body).not.toContain(user.userName + '@mail.test');
    await browser.get(path);
    expect(await sent(kind)).toBe(1);
    const answered = await show(await newestCode(api, user.userId), fields);
    const tokens = await tokensOf(api, client, answered);
    expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: user.userId, amr });
    expect(
      redirected(await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })))).has('code'),
    ).toBe(true);
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE actor_id = $1 AND type = 'session.factor_verified'`,
      [user.userId],
    );
    expect(rows).toEqual([{ data: { kind: `${kind}-code` } }]);
  });

  it('works once, also on two replicas at the same time', async () => {
    const { fields } = await openPage();
    const code = await newestCode(api, user.userId);
    const cookie = browser.cookieHeader;
    const answers = await Promise.all(
      [api, replica, api, replica].map((one) => postForm(one, PAGE, { ...fields, code }, { cookie })),
    );
    expect(answers.filter(({ headers }) => redirectedWithCode(headers.location))).toHaveLength(1);
  });

  it('is good for its own sign-in alone', async () => {
    await openPage();
    const code = await newestCode(api, user.userId);
    const another = new TestBrowser(api);
    const { fields } = await openPage(another);
    // too soon for another one: this page says so, and the code of the first is none here
    expect(await sent(kind)).toBe(1);
    expect((await show(code, fields, another)).statusCode).toBe(400);
  });

  it('is good for its own user alone', async () => {
    const other = await aUser(world, { phone: { number: '+41791239999', verified: true } });
    await turnOn(kind, other);
    await openPage();
    const code = await newestCode(api, user.userId);
    const { fields } = await openPage(new TestBrowser(api), other);
    const theirs = new TestBrowser(api);
    expect((await theirs.post(PAGE, { ...fields, code })).statusCode).toBe(403);
  });

  it('is over after ten minutes', async () => {
    const { fields } = await openPage();
    const code = await newestCode(api, user.userId);
    await laterBy(601);
    expect((await show(code, fields)).statusCode).not.toBe(303);
  });

  it('is burned after five wrong tries, which count as wrong passwords do', async () => {
    const { fields } = await openPage();
    const code = await newestCode(api, user.userId);
    let form = fields;
    for (let n = 0; n < 5; n += 1) {
      const refused = await show(otherCode(code), form);
      expect(refused.statusCode).toBe(400);
      form = hiddenFields(refused.body);
      await api.sql.query(
        'UPDATE password_attempts SET last_at = last_at - $2::interval WHERE user_id = $1',
        [user.userId, '5 minutes'],
      );
    }
    const { rows } = await api.sql.query(
      'SELECT attempts - forgiven AS count FROM password_attempts WHERE user_id = $1',
      [user.userId],
    );
    expect(rows).toEqual([{ count: 6 - 1 }]);
    await laterBy(200);
    expect((await show(code, form)).statusCode).toBe(400);
  });

  it('is replaced by another one, not too soon', async () => {
    const { fields } = await openPage();
    const first = await newestCode(api, user.userId);
    const early = await browser.post(`${PAGE}/resend`, fields);
    expect(early.headers.location).not.toContain('sent=again');
    await laterBy(130);
    const again = await browser.post(`${PAGE}/resend`, fields);
    expect(again.headers.location).toContain('sent=again');
    expect(await sent(kind)).toBe(2);
    const form = hiddenFields((await browser.get(again.headers.location ?? '')).body);
    const refused = await show(first, form);
    expect(refused.statusCode).toBe(400);
    const answered = await show(await newestCode(api, user.userId), hiddenFields(refused.body));
    expect(redirected(answered).has('code')).toBe(true);
  });

  it('is worth nothing once its address is another one, and is not asked for while that is unverified', async () => {
    const { fields } = await openPage();
    const code = await newestCode(api, user.userId);
    const column = kind === 'email' ? `email = 'else@mail.test'` : `phone = '+41790000001'`;
    await api.sql.query(`UPDATE user_humans SET ${column} WHERE user_id = $1`, [user.userId]);
    expect((await show(code, fields)).statusCode).toBe(400);
    const verified = kind === 'email' ? 'email_verified' : 'phone_verified';
    await api.sql.query(`UPDATE user_humans SET ${verified} = false WHERE user_id = $1`, [user.userId]);
    const { email, sms } = (
      await call(api, 'GET', `users/${user.userId}/factors`, { pat: manager.pat })
    ).json<Record<string, boolean>>();
    expect({ email, sms }).toEqual({ email: false, sms: false });
  });

  it('is taken away by a manager, who is told what there is', async () => {
    const path = `users/${user.userId}/factors`;
    expect((await call(api, 'GET', path, { pat: manager.pat })).json()).toMatchObject({
      [kind]: true,
      totp: false,
    });
    expect((await call(api, 'DELETE', `${path}/codes/${kind}`, { pat: manager.pat })).statusCode).toBe(200);
    expect((await call(api, 'DELETE', `${path}/codes/${kind}`, { pat: manager.pat })).statusCode).toBe(404);
    expect((await call(api, 'DELETE', `${path}/codes/pigeon`, { pat: manager.pat })).statusCode).toBe(404);
    expect((await browser.signIn(codeRequest(client), user)).headers.location).not.toContain(PAGE);
    await turnOn(kind);
    expect((await call(api, 'DELETE', path, { pat: manager.pat })).statusCode).toBe(200);
    expect((await call(api, 'GET', path, { pat: manager.pat })).json()).toMatchObject({ [kind]: false });
  });

  it('is asked for after an app, which is stronger, and is a link away', async () => {
    const app = await aTotpSecret(api, user.userId);
    const { body, fields, path } = await openPage();
    expect(fields['kind']).toBe('totp');
    expect(await sent(kind)).toBe(0);
    expect(body).toContain(`kind=${kind}`);
    const page = hiddenFields((await browser.get(`${path}&kind=${kind}`)).body);
    expect(page['kind']).toBe(kind);
    expect(await sent(kind)).toBe(1);
    expect(redirected(await show(app.code(api), fields)).has('code')).toBe(true);
  });

  it('is not asked for where the policy does not list it', async () => {
    const org = await anOrganization(api);
    const theirs = await aServiceUser(org, 'ORG_OWNER');
    const body = { secondFactor: 'offered', requiredFor: 'all', kinds: ['totp'] };
    expect((await call(api, 'PUT', 'policies/factors', { pat: theirs.pat, body })).statusCode).toBe(200);
    const member = await aUser(org, { phone: { number: '+41791111111', verified: true } });
    await turnOn(kind, member);
    const signedIn = await new AccountBrowser(api).signInHere(member);
    expect(signedIn.headers.location).not.toContain(PAGE);
  });
});

function redirectedWithCode(location: unknown): boolean {
  return typeof location === 'string' && location.includes('code=');
}

describe('whoever reset their password by e-mail', () => {
  afterEach(() => collectMails(api));

  async function resetPassword(): Promise<void> {
    await collectMails(api);
    const asked = await browser.get('/password/forgotten');
    await browser.post('/password/forgotten', { ...hiddenFields(asked.body), loginName: user.loginName });
    const { url, code } = linkIn((await collectMails(api))[0], '/password/reset');
    const page = await browser.get(url);
    const typed = { code, newPassword: RESET, repeatPassword: RESET };
    const set = await browser.post('/password/reset', { ...hiddenFields(page.body), ...typed });
    expect(set.statusCode).toBeLessThan(400);
  }

  it('does not show the same mailbox as a second factor for a day, and is asked for one all the same', async () => {
    await turnOn('email');
    await resetPassword();
    const { body, fields } = await openPage(browser, user, RESET);
    expect(body).toContain('reset by e-mail');
    expect(body).not.toContain('id="code"');
    expect(await sent('email')).toBe(0);
    expect(fields['csrf']).toBeUndefined();
    await laterBy(24 * 3600 + 60);
    const later = await openPage(new TestBrowser(api), user, RESET);
    expect(later.fields['kind']).toBe('email');
    expect(await sent('email')).toBe(1);
  });

  it('goes on with another way', async () => {
    await turnOn('email');
    await turnOn('sms');
    await resetPassword();
    const { fields, body } = await openPage(browser, user, RESET);
    expect(fields['kind']).toBe('sms');
    expect(body).not.toContain('kind=email');
    await browser.post(`${PAGE}/resend`, { ...fields, kind: 'email' });
    expect(await sent('email')).toBe(0);
    expect(redirected(await show(await newestCode(api, user.userId), fields)).has('code')).toBe(true);
  });
});

describe('a number that strangers have as well', () => {
  beforeEach(() => turnOn('sms'));

  it('gets its owner the code when they have used up what a number may get (S376)', async () => {
    for (let n = 0; n < 5; n += 1) {
      const { pat } = await aPhoneUser(n % 2 === 0 ? world : await anOrganization(api), number);
      expect((await resend(replica, pat, { from: `198.51.100.${n + 1}` })).statusCode).toBe(200);
    }
    const { pat } = await aPhoneUser(world, number);
    expect((await resend(replica, pat)).json()).toMatchObject({ code: 8 });
    await openPage(new TestBrowser(replica));
    expect(await sent('sms')).toBe(1);
  });

  it.each([
    ['low_conversion', 1],
    ['sms_fraud', 0],
  ])('in a block that is shut out for %s gets %i', async (reason, count) => {
    await api.sql.query(
      `INSERT INTO sms_blocks (prefix, reason, blocked_until) VALUES ($1, $2, app_now() + interval '1 d')`,
      [number.slice(0, -4), reason],
    );
    await openPage();
    expect(await sent('sms')).toBe(count);
  });

  it('gets one organization no more for all its users than a number may get', async () => {
    const own = { ...TWILIO, SMS_CAP_USER: 'off', SMS_CAP_ADDRESS: 'off', SMS_CAP_ORGANIZATION: 'off' };
    const lax = await aReplica(api, own);
    const users = [user];
    while (users.length < 6) {
      const one = await aUser(world, { phone: { number, verified: true } });
      await turnOn('sms', one);
      users.push(one);
    }
    for (const one of users) await openPage(new TestBrowser(lax), one);
    const counts = await Promise.all(users.map((one) => sent('sms', one)));
    expect(counts).toEqual([1, 1, 1, 1, 1, 0]);
  });
});

describe.each(KINDS)('turning codes by %s on and off', (kind) => {
  const own = (token: string, method: 'POST' | 'DELETE' | 'GET', path: string, body?: object) =>
    call(api, method, `/auth/v1/users/me/factors${path}`, { pat: token, ...(body && { body }) });

  it('takes a code that arrived, by the API', async () => {
    const { access_token: token } = await obtainTokens(api, client, user, { scope: SCOPE });
    expect((await own(token, 'POST', `/codes/${kind}/_begin`)).json()).toEqual({ sent: true });
    expect((await own(token, 'POST', `/codes/${kind}/_begin`)).json()).toEqual({ sent: false });
    const code = await newestCode(api, user.userId);
    const wrong = await own(token, 'POST', `/codes/${kind}/_finish`, { code: otherCode(code) });
    expect(wrong.statusCode).toBe(400);
    expect((await own(token, 'POST', `/codes/${kind}/_finish`, { code })).statusCode).toBe(200);
    expect((await own(token, 'GET', '')).json()).toMatchObject({ [kind]: true });
    expect((await own(token, 'DELETE', `/codes/${kind}`)).statusCode).toBe(200);
    expect((await own(token, 'GET', '')).json()).toMatchObject({ [kind]: false });
    const { rows } = await api.sql.query(
      `SELECT type, data FROM events WHERE aggregate_id = $1 AND type LIKE 'user.human.code%' ORDER BY sequence`,
      [user.userId],
    );
    expect(rows).toEqual([
      { type: 'user.human.code_factor.added', data: { kind } },
      { type: 'user.human.code_factor.removed', data: { kind } },
    ]);
  });

  it('needs something that is verified', async () => {
    const column = kind === 'email' ? 'email_verified' : 'phone_verified';
    const { access_token: token } = await obtainTokens(api, client, user, { scope: SCOPE });
    await api.sql.query(`UPDATE user_humans SET ${column} = false WHERE user_id = $1`, [user.userId]);
    const refused = await own(token, 'POST', `/codes/${kind}/_begin`);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ message: expect.stringContaining('not verified') as string });
  });

  it('is a page of the account, without a script', async () => {
    const account = await AccountBrowser.signedIn(api, user);
    const path = `/account/security/codes/${kind}`;
    expect((await account.get('/account/security')).body).toContain(`href="${path}"`);
    const begun = await account.fill(path, {});
    expect(begun.statusCode).toBe(400);
    const asked = await account.post(`${path}/send`, await account.fieldsOf(path));
    expect(asked.headers.location).toBe(`${path}?sent=code`);
    expect((await account.get(path)).body).toContain('id="code"');
    const wrong = await account.fill(path, { code: '000000' });
    expect(wrong.statusCode).toBe(400);
    const done = await account.fill(path, { code: await newestCode(api, user.userId) });
    expect(done.headers.location).toBe(`/account/security/recovery-codes?done=${kind}Codes`);
    // the session in which it was added has shown it
    expect((await account.get('/account/security')).statusCode).toBe(200);
    const removed = await account.post(`${path}/remove`, await account.fieldsOf(path));
    expect(removed.headers.location).toBe(`/account/security?done=${kind}CodesOff`);
    expect((await account.get('/account/security/codes/pigeon')).statusCode).toBe(404);
  });

  it('is the last one that stays where one is required', async () => {
    const org = await anOrganization(api);
    const theirs = await aServiceUser(org, 'ORG_OWNER');
    const member = await aUser(org, { phone: { number: '+41792222222', verified: true } });
    const account = await AccountBrowser.signedIn(api, member);
    const path = `/account/security/codes/${kind}`;
    await account.post(`${path}/send`, await account.fieldsOf(path));
    await account.fill(path, { code: await newestCode(api, member.userId) });
    const body = { secondFactor: 'required', requiredFor: 'all', kinds: ['totp', kind] };
    expect((await call(api, 'PUT', 'policies/factors', { pat: theirs.pat, body })).statusCode).toBe(200);
    const kept = await account.post(`${path}/remove`, await account.fieldsOf(path));
    expect(kept.headers.location).toBe('/account/security?done=lastFactor');
  });
});

it('of two that are removed at once, on two replicas, one stays where one is required', async () => {
  const org = await anOrganization(api);
  const theirs = await aServiceUser(org, 'ORG_OWNER');
  const member = await aUser(org, { phone: { number: '+41793333333', verified: true } });
  const body = { secondFactor: 'required', requiredFor: 'all', kinds: ['totp', 'email', 'sms'] };
  const { access_token: pat } = await obtainTokens(api, client, member, { scope: SCOPE });
  await turnOn('email', member);
  await turnOn('sms', member);
  expect((await call(api, 'PUT', 'policies/factors', { pat: theirs.pat, body })).statusCode).toBe(200);
  const answers = await Promise.all([
    call(api, 'DELETE', '/auth/v1/users/me/factors/codes/email', { pat }),
    call(replica, 'DELETE', '/auth/v1/users/me/factors/codes/sms', { pat }),
  ]);
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400]);
  const left = (await call(api, 'GET', `users/${member.userId}/factors`, { pat: theirs.pat })).json<
    Record<string, boolean>
  >();
  expect([left['email'], left['sms']].filter(Boolean)).toHaveLength(1);
});
