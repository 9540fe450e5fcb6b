import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  refreshTokens,
  TestBrowser,
  tokensOf,
  userinfo,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { newestCode } from '../../support/mail-code.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const NEXT = 'Marker-N3w-Passw0rd!';

let browser: TestBrowser;

const { api, world } = useWorld();
const client = given(() => anApplication(world));
beforeEach(() => {
  browser = new TestBrowser(api);
});

async function ask(changes: Record<string, string> = {}) {
  return await browser.get(authorizeUrl(codeRequest(client, changes)));
}

async function subjectOf(answered: Awaited<ReturnType<typeof ask>>): Promise<string | undefined> {
  const tokens = await tokensOf(api, client, answered);
  return decodeJwt(tokens.id_token).sub;
}

describe('a password that must be changed', () => {
  let user: TestUser;

  beforeEach(async () => {
    user = await aUser(world);
    await api.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [user.userId]);
  });

  async function change(form: Record<string, string>, fields?: Record<string, string>) {
    return await browser.post('/login/change-password', {
      ...fields,
      password: PASSWORD,
      newPassword: NEXT,
      repeatPassword: NEXT,
      ...form,
    });
  }

  /** Signs in, and opens the page that comes up. */
  async function openPage() {
    const signedIn = await browser.signIn(codeRequest(client), user);
    expect(signedIn.statusCode).toBe(303);
    expect(signedIn.headers.location).toMatch(/^\/login\/change-password\?flow=/);
    return await browser.get(signedIn.headers.location ?? '');
  }

  it('is asked for after the sign-in, and the flow goes on with the new one', async () => {
    const page = await openPage();
    expect(page.body).toContain('autocomplete="current-password"');
    expect(page.body).toContain('autocomplete="new-password"');
    const before = browser.userAgentSecret;
    const answered = await change({}, hiddenFields(page.body));
    expect(await subjectOf(answered)).toBe(user.userId);
    expect(browser.userAgentSecret).not.toBe(before);
    expect(redirected(await ask({ prompt: 'none' })).has('code')).toBe(true);
    const fresh = new TestBrowser(api);
    const old = await fresh.signIn(codeRequest(client), user);
    expect(old.statusCode).toBe(400);
    const form = await fresh.openSignIn(codeRequest(client));
    const now = await fresh.post('/login', { ...form, loginName: user.loginName, password: NEXT });
    expect(redirected(now).has('code')).toBe(true);
  });

  it('is interaction_required for a session that must not be asked (S031)', async () => {
    await openPage();
    const silent = redirected(await ask({ prompt: 'none' }));
    expect(silent.get('error')).toBe('interaction_required');
    expect(silent.has('code')).toBe(false);
    expect((await ask()).headers.location).toMatch(/^\/login\/change-password\?flow=/);
  });

  it('is not got round by the pages of our own', async () => {
    await openPage();
    expect((await browser.get('/')).body).not.toContain(user.loginName);
    expect((await browser.get('/admin/queues')).headers.location).toMatch(/^\/login/);
  });

  it.each<[string, Record<string, string>]>([
    ['the present one is wrong', { password: 'Marker-other' }],
    ['the new one is weak', { newPassword: 'weak', repeatPassword: 'weak' }],
    ['the two differ', { repeatPassword: 'Marker-other' }],
    ['it is the present one', { newPassword: PASSWORD, repeatPassword: PASSWORD }],
    ['nothing was typed', { password: '', newPassword: '', repeatPassword: '' }],
  ])('stays as it is when %s', async (_name, form) => {
    const page = await openPage();
    const refused = await change(form, hiddenFields(page.body));
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('id="error-summary"');
    for (const typed of Object.values(form)) if (typed !== '') expect(refused.body).not.toContain(typed);
    expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
  });

  it('ends the other sessions and tokens of the user', async () => {
    await api.sql.query(`UPDATE user_passwords SET change_required = false WHERE user_id = $1`, [
      user.userId,
    ]);
    const tokens = await obtainTokens(api, client, user);
    await api.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [user.userId]);
    const page = await openPage();
    await change({}, hiddenFields(page.body));
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    expect((await refreshTokens(api, client, tokens)).statusCode).toBe(400);
    const { rows } = await api.sql.query(
      `SELECT end_reason, (SELECT count(*)::int FROM notifications n
         WHERE n.user_id = s.user_id AND n.template = 'password_changed') AS mails
       FROM sessions s WHERE user_id = $1 AND ended_at IS NOT NULL ORDER BY created_at`,
      [user.userId],
    );
    expect(rows).toEqual(Array.from({ length: 2 }, () => ({ end_reason: 'password_changed', mails: 1 })));
  });

  it('is won by one of several changes at once, and nothing is half done', async () => {
    const page = await openPage();
    const submissions = await Promise.all(
      Array.from({ length: 4 }, () => change({}, hiddenFields(page.body))),
    );
    expect(submissions.filter((answer) => redirected(answer).has('code'))).toHaveLength(1);
    expect(submissions.every(({ statusCode }) => statusCode < 500)).toBe(true);
  });

  it('is not asked for in a flow where nobody has signed in (S041)', async () => {
    const fields = await browser.openSignIn(codeRequest(client));
    const page = await browser.get(`/login/change-password?flow=${fields['flow']}`);
    expect(page.statusCode).toBe(400);
    const refused = await change({}, fields);
    expect(refused.statusCode).toBe(403);
    expect((await browser.post('/login/change-password', {})).statusCode).toBe(403);
  });

  it('is not taken from another browser, or without the token of its page (S038, S040)', async () => {
    const fields = hiddenFields((await openPage()).body);
    expect((await change({}, { ...fields, csrf: 'x' })).statusCode).toBe(403);
    const stranger = new TestBrowser(api);
    await stranger.openSignIn(codeRequest(client));
    const stolen = await stranger.post('/login/change-password', {
      ...fields,
      password: PASSWORD,
      newPassword: NEXT,
      repeatPassword: NEXT,
    });
    expect(stolen.statusCode).toBe(403);
    expect(redirected(await change({}, fields)).has('code')).toBe(true);
  });
});

describe('an address that nobody has verified', () => {
  let user: TestUser;

  beforeEach(async () => {
    const name = `eve-${Math.random().toString(36).slice(2)}`;
    user = await aUser(world, { userName: name, email: { address: `${name}@mail.test`, verified: false } });
  });

  async function openPage() {
    const signedIn = await browser.signIn(codeRequest(client), user);
    expect(signedIn.headers.location).toMatch(/^\/login\/verify-email\?flow=/);
    return await browser.get(signedIn.headers.location ?? '');
  }

  it('is verified with the code of the mail, and the flow goes on', async () => {
    const page = await openPage();
    expect(page.body).toContain('e•••@mail.test');
    const code = await newestCode(api, user.userId);
    const answered = await browser.post('/login/verify-email', { ...hiddenFields(page.body), code });
    expect(await subjectOf(answered)).toBe(user.userId);
    expect(redirected(await ask({ prompt: 'none' })).has('code')).toBe(true);
  });

  it('is interaction_required for a session that must not be asked (S031)', async () => {
    await openPage();
    expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
  });

  it('keeps the time of the sign-in: a code is no password', async () => {
    const page = await openPage();
    await api.advance(120);
    const code = await newestCode(api, user.userId);
    await browser.post('/login/verify-email', { ...hiddenFields(page.body), code });
    expect((await ask({ max_age: '60' })).headers.location).toMatch(/^\/login\?flow=/);
  });

  it('goes on by itself once the link of the mail was opened elsewhere', async () => {
    const page = await openPage();
    await api.sql.query(`UPDATE user_humans SET email_verified = true WHERE user_id = $1`, [user.userId]);
    const flow = hiddenFields(page.body)['flow'] ?? '';
    const answered = await browser.get(`/login/verify-email?flow=${flow}`);
    expect(await subjectOf(answered)).toBe(user.userId);
  });

  it('takes five tries for each code (S054)', async () => {
    const page = await openPage();
    const fields = hiddenFields(page.body);
    const code = await newestCode(api, user.userId);
    for (let n = 0; n < 5; n += 1) {
      const wrong = await browser.post('/login/verify-email', { ...fields, code: 'AAAAAA' });
      expect(wrong.statusCode).toBe(400);
    }
    expect((await browser.post('/login/verify-email', { ...fields, code })).statusCode).toBe(400);
    expect(redirected(await ask({ prompt: 'none' })).get('error')).toBe('interaction_required');
  });

  it('gets one mail, however often the page is opened, and another one after a minute', async () => {
    const codes = async () =>
      (
        await api.sql.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM verification_codes WHERE user_id = $1`,
          [user.userId],
        )
      ).rows[0]?.n;
    const page = await openPage();
    await ask();
    await ask();
    expect(await codes()).toBe(1);
    const fields = hiddenFields(page.body);
    const soon = await browser.post('/login/verify-email/resend', fields);
    expect(soon.statusCode).toBe(303);
    expect(await codes()).toBe(1);
    const first = await newestCode(api, user.userId);
    await api.advance(61);
    await Promise.all(Array.from({ length: 3 }, () => browser.post('/login/verify-email/resend', fields)));
    expect(await codes()).toBe(2);
    // only the newest works (S056)
    expect((await browser.post('/login/verify-email', { ...fields, code: first })).statusCode).toBe(400);
    const code = await newestCode(api, user.userId);
    const answered = await browser.post('/login/verify-email', { ...fields, code });
    expect(redirected(answered).has('code')).toBe(true);
  });

  it('is sent before whatever an import has queued', async () => {
    await openPage();
    const { rows } = await api.sql.query(
      `SELECT o.lane FROM notifications n JOIN outbox o ON o.id = n.outbox_id WHERE n.user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([{ lane: 'priority' }]);
  });

  it('leaves the sign-in standing when its mail cannot be put on file, and the page has another one sent', async () => {
    await api.sql.query(`ALTER TABLE notifications RENAME TO notifications_away`);
    const signedIn = await browser.signIn(codeRequest(client), user);
    await api.sql.query(`ALTER TABLE notifications_away RENAME TO notifications`);
    expect(signedIn.headers.location).toMatch(/^\/login\/verify-email\?flow=/);
    const fields = hiddenFields((await browser.get(signedIn.headers.location ?? '')).body);
    expect((await browser.post('/login/verify-email/resend', fields)).statusCode).toBe(303);
    const code = await newestCode(api, user.userId);
    const answered = await browser.post('/login/verify-email', { ...fields, code });
    expect(await subjectOf(answered)).toBe(user.userId);
  });

  it('answers once when the same code comes several times at once', async () => {
    const fields = hiddenFields((await openPage()).body);
    const code = await newestCode(api, user.userId);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser.post('/login/verify-email', { ...fields, code })),
    );
    expect(answers.filter((answer) => redirected(answer).has('code'))).toHaveLength(1);
    expect(answers.every(({ statusCode }) => statusCode < 500)).toBe(true);
  });

  it('comes after a password that must be changed', async () => {
    await api.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [user.userId]);
    const signedIn = await browser.signIn(codeRequest(client), user);
    const page = await browser.get(signedIn.headers.location ?? '');
    const changed = await browser.post('/login/change-password', {
      ...hiddenFields(page.body),
      password: PASSWORD,
      newPassword: NEXT,
      repeatPassword: NEXT,
    });
    expect(changed.headers.location).toMatch(/^\/login\/verify-email\?flow=/);
  });

  it('is not taken in a flow where nobody has signed in (S041)', async () => {
    const code = await newestCodeAfterSignIn();
    const stranger = new TestBrowser(api);
    const fields = await stranger.openSignIn(codeRequest(client));
    expect((await stranger.get(`/login/verify-email?flow=${fields['flow']}`)).statusCode).toBe(400);
    expect((await stranger.post('/login/verify-email', { ...fields, code })).statusCode).toBe(403);
    expect((await stranger.post('/login/verify-email/resend', fields)).statusCode).toBe(403);
  });

  async function newestCodeAfterSignIn(): Promise<string> {
    await openPage();
    return await newestCode(api, user.userId);
  }
});
