import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { newestCode } from '../../support/mail-code.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const PATH = '/account/email';
const CHANGE = '/account/email/change';
const { api, world } = useWorld();
let user: TestUser;
let browser: AccountBrowser;
let next: string;

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
  next = `next-${user.userName}@mail.test`;
});

async function emailOf(userId = user.userId) {
  const { rows } = await api.sql.query<{ email: string; verified: boolean; pending: string | null }>(
    `SELECT email, email_verified AS verified, pending_email AS pending FROM user_humans WHERE user_id = $1`,
    [userId],
  );
  return rows[0];
}

async function mailsOf(template: string): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM notifications WHERE user_id = $1 AND template = $2`,
    [user.userId, template],
  );
  return rows[0]?.count ?? 0;
}

const begin = async () => await browser.fill(CHANGE, { email: next });

describe('another e-mail address', () => {
  it('waits beside the present one, which is told, and takes its place with the code', async () => {
    const present = (await emailOf())?.email;
    expect((await begin()).headers.location).toBe(PATH);
    expect(await emailOf()).toEqual({ email: present, verified: true, pending: next });
    expect([await mailsOf('email_changed'), await mailsOf('verify_email')]).toEqual([1, 1]);
    const page = await browser.get(PATH);
    expect(page.body).toContain(next);
    expect(page.body).toContain('autocomplete="one-time-code"');
    expect((await browser.get('/account')).body).toContain('waits for its code');
    const done = await browser.fill(PATH, { code: await newestCode(api, user.userId) });
    expect(done).toMatchObject({ statusCode: 303, headers: { location: '/account?done=email' } });
    expect(await emailOf()).toEqual({ email: next, verified: true, pending: null });
    expect((await browser.get(PATH)).headers.location).toBe(CHANGE);
  });

  it('is asked for with a fresh proof, when the page is opened and when it is sent', async () => {
    const fields = await browser.fieldsOf(CHANGE);
    await api.advance(700);
    const confirm = `/account/confirm?next=${encodeURIComponent(CHANGE)}`;
    expect((await browser.get(CHANGE)).headers.location).toBe(confirm);
    const stale = await browser.post(CHANGE, { ...fields, email: next });
    expect(stale).toMatchObject({ statusCode: 303, headers: { location: confirm } });
    expect((await emailOf())?.pending).toBeNull();
    const led = await browser.fill(confirm, { password: PASSWORD });
    expect(led.headers.location).toBe(CHANGE);
    expect((await begin()).headers.location).toBe(PATH);
  });

  it.each([
    ['nothing', ''],
    ['no address', 'ada at post'],
    ['one that shows itself backwards', 'a\u202eda@mail.test'],
    ['one that is too long', `${'a'.repeat(300)}@mail.test`],
  ])('is refused for %s', async (_name, email) => {
    const refused = await browser.fill(CHANGE, { email });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('href="#email"');
    expect((await emailOf())?.pending).toBeNull();
  });

  it('is refused for the present one', async () => {
    const refused = await browser.fill(CHANGE, { email: (await emailOf())?.email ?? '' });
    expect(refused.body).toContain('Enter another address');
  });

  it('is not there for a wrong code, and for none after three', async () => {
    await begin();
    for (const code of ['', 'WRONG2', 'WRONG3', 'WRONG4', await newestCode(api, user.userId)]) {
      const refused = await browser.fill(PATH, { code });
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain('href="#code"');
    }
    expect((await emailOf())?.pending).toBe(next);
  });

  it('says that it cannot be had where somebody else has verified it meanwhile', async () => {
    await begin();
    const code = await newestCode(api, user.userId);
    await aUser(world, { email: { address: next, verified: true }, proven: true });
    const refused = await browser.fill(PATH, { code });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('This address cannot be used for your account.');
    expect((await emailOf())?.pending).toBe(next);
  });

  it('is given up', async () => {
    await begin();
    const code = await newestCode(api, user.userId);
    const fields = await browser.fieldsOf(PATH);
    expect((await browser.post(`${PATH}/keep`, fields)).headers.location).toBe('/account?done=emailKept');
    expect((await emailOf())?.pending).toBeNull();
    // the page of another tab
    expect((await browser.post(PATH, { ...fields, code })).headers.location).toBe(CHANGE);
    expect((await emailOf())?.email).not.toBe(next);
  });

  it('has its code sent again, a minute later and not before', async () => {
    await begin();
    const fields = await browser.fieldsOf(PATH);
    expect((await browser.post(`${PATH}/resend`, fields)).headers.location).toBe(PATH);
    await api.advance(61);
    expect((await browser.post(`${PATH}/resend`, fields)).headers.location).toBe(`${PATH}?done=codeSent`);
    expect(await mailsOf('verify_email')).toBe(2);
    expect((await browser.get(`${PATH}?done=codeSent`)).body).toContain('role="status"');
  });

  it('is not another user’s: the code of one proves nothing of another', async () => {
    await begin();
    const stranger = await aUser(world);
    const theirs = await AccountBrowser.signedIn(api, stranger);
    const taken = `taken-${stranger.userName}@mail.test`;
    await theirs.fill(CHANGE, { email: taken });
    const refused = await theirs.fill(PATH, { code: await newestCode(api, user.userId) });
    expect(refused.statusCode).toBe(400);
    expect((await emailOf(stranger.userId))?.pending).toBe(taken);
  });
});
