import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { useReplica } from '../../support/api.js';
import { newestCode } from '../../support/mail-code.js';
import { smsQueued, TWILIO } from '../../support/sms.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const PATH = '/account/phone';
const CHANGE = '/account/phone/change';
const { api, world } = useWorld({
  ...TWILIO,
  SMS_CAP_USER: '3/1h',
  SMS_CAP_ORGANIZATION: 'off',
  SMS_CAP_PREFIX: 'off',
  SMS_CAP_ADDRESS: 'off',
});
/** The same instance without an SMS provider. */
const mute = useReplica(api);
let user: TestUser;
let browser: AccountBrowser;
let subscriber = 2_000_000;
let number: string;

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
  number = `+4179${String((subscriber += 10_007)).slice(0, 7)}`;
});

async function phoneOf() {
  const { rows } = await api.sql.query<{ phone: string | null; verified: boolean }>(
    'SELECT phone, phone_verified AS verified FROM user_humans WHERE user_id = $1',
    [user.userId],
  );
  return rows[0];
}

async function begin(phone = number) {
  const { remove: _remove, ...fields } = await browser.fieldsOf(CHANGE);
  return await browser.post(CHANGE, { ...fields, phone });
}

describe('the phone number', () => {
  it('is added, and verified by the code of an SMS that telephones fill in', async () => {
    expect((await browser.get('/account')).body).toContain('There is no phone number.');
    expect(
      (await begin(`${number.slice(0, 3)} (0)${number.slice(3)}`.replace('(0)', ' '))).headers.location,
    ).toBe(PATH);
    expect(await phoneOf()).toEqual({ phone: number, verified: false });
    expect(await smsQueued(api, [user])).toBe(1);
    const { body } = await browser.get(PATH);
    expect(body).toContain('autocomplete="one-time-code"');
    expect(body).toContain('data-sms');
    const done = await browser.fill(PATH, { code: await newestCode(api, user.userId) });
    expect(done.headers.location).toBe('/account?done=phone');
    expect(await phoneOf()).toEqual({ phone: number, verified: true });
    expect((await browser.get(PATH)).headers.location).toBe(CHANGE);
    expect((await begin()).headers.location).toBe('/account');
    expect(await phoneOf()).toEqual({ phone: number, verified: true });
  });

  it('is told by mail when it is another one, or gone, and not when it is the first', async () => {
    const told = async () => {
      const { rows } = await api.sql.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM notifications WHERE user_id = $1 AND template = 'phone_changed'`,
        [user.userId],
      );
      return rows[0]?.count;
    };
    await begin();
    expect(await told()).toBe(0);
    await begin(number.replace('+4179', '+4178'));
    expect(await told()).toBe(1);
    await browser.post(CHANGE, { ...(await browser.fieldsOf(CHANGE)), remove: 'true' });
    expect(await phoneOf()).toMatchObject({ phone: null });
    expect(await told()).toBe(2);
  });

  it('is changed and removed with a fresh proof alone', async () => {
    await begin();
    const fields = await browser.fieldsOf(CHANGE);
    await api.advance(700);
    const confirm = `/account/confirm?next=${encodeURIComponent(CHANGE)}`;
    for (const typed of [{ phone: '+41791110000', remove: '' }, { remove: 'true' }]) {
      expect((await browser.post(CHANGE, { ...fields, ...typed })).headers.location).toBe(confirm);
    }
    expect((await phoneOf())?.phone).toBe(number);
    await browser.signInHere(user);
    const removed = await browser.fill(CHANGE, { remove: 'true' });
    expect(removed.headers.location).toBe('/account?done=phoneRemoved');
    expect((await phoneOf())?.phone).toBeNull();
    // the page of another tab
    expect((await browser.get(PATH)).headers.location).toBe(CHANGE);
    expect((await browser.fill(CHANGE, { remove: 'true' })).statusCode).toBe(303);
  });

  it.each(['', 'call me', '12', `+41${'7'.repeat(80)}`])('is refused when it is none: %s', async (typed) => {
    const refused = await begin(typed);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('href="#phone"');
    expect((await phoneOf())?.phone).toBeNull();
  });

  it('is not verified by a wrong code', async () => {
    await begin();
    for (const code of ['', '000000']) {
      const refused = await browser.fill(PATH, { code });
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain('href="#code"');
    }
    expect((await phoneOf())?.verified).toBe(false);
  });

  it('has its code sent again under all limits, which are told', async () => {
    await begin();
    const fields = await browser.fieldsOf(PATH);
    const again = async () => (await browser.post(`${PATH}/resend`, fields)).headers.location;
    expect([await again(), await again()]).toEqual([`${PATH}?done=codeSent`, PATH]);
    await api.advance(61);
    expect(await again()).toBe(`${PATH}?done=codeSent`);
    await api.advance(61);
    const refused = await browser.post(`${PATH}/resend`, fields);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.body).toContain('No more SMS can be sent right now.');
    expect(await smsQueued(api, [user])).toBe(3);
  });

  it('gets no SMS in a country that is not on the list, and the page says so', async () => {
    await begin('+8801712345678');
    const fields = await browser.fieldsOf(PATH);
    const refused = await browser.post(`${PATH}/resend`, fields);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('No SMS can be sent to this number.');
    expect(await smsQueued(api, [user])).toBe(0);
  });

  it('is kept unverified where nothing can send an SMS, and the pages say so', async () => {
    const elsewhere = await AccountBrowser.signedIn(mute, user);
    expect((await elsewhere.get(CHANGE)).body).toContain('SMS cannot be sent here');
    await elsewhere.fill(CHANGE, { phone: number });
    const { body } = await elsewhere.get(PATH);
    expect(body).toContain('SMS cannot be sent here');
    expect(body).not.toContain('id="code"');
    expect(body).not.toContain('resend-submit');
    expect(await phoneOf()).toEqual({ phone: number, verified: false });
  });
});
