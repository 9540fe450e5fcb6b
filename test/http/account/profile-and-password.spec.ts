import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { hiddenFields } from '../../support/browser-flow.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const NEXT = 'Marker-N3w-Passw0rd!';
const PATH = '/account/security/password';
const { api, world } = useWorld();
let user: TestUser;
let browser: AccountBrowser;

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
});

describe('the profile', () => {
  it('is changed, and what the form does not show stays', async () => {
    await api.sql.query(
      `UPDATE user_humans SET nick_name = 'Countess', preferred_language = 'de', gender = 'female' WHERE user_id = $1`,
      [user.userId],
    );
    const saved = await browser.fill('/account/profile', {
      firstName: ' Grace ',
      lastName: 'Hopper',
      displayName: '',
    });
    expect(saved).toMatchObject({ statusCode: 303, headers: { location: '/account?done=profile' } });
    const { rows } = await api.sql.query(
      `SELECT first_name, last_name, display_name, nick_name, preferred_language, gender
       FROM user_humans WHERE user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([
      {
        first_name: 'Grace',
        last_name: 'Hopper',
        display_name: 'Grace Hopper',
        nick_name: 'Countess',
        preferred_language: 'de',
        gender: 'female',
      },
    ]);
    const { rows: events } = await api.sql.query(
      `SELECT type, actor_id FROM events WHERE aggregate_id = $1 ORDER BY sequence DESC LIMIT 1`,
      [user.userId],
    );
    expect(events).toEqual([{ type: 'user.human.profile.changed', actor_id: user.userId }]);
    expect((await browser.get('/account?done=profile')).body).toContain('role="status"');
    expect((await browser.get('/account?done=%3Cb%3E')).body).not.toContain('role="status"');
  });

  it.each([
    ['no first name', { firstName: '  ', lastName: 'Hopper' }, 'firstName'],
    ['a last name that is too long', { firstName: 'Grace', lastName: 'x'.repeat(201) }, 'lastName'],
    [
      'a display name that hides something',
      { firstName: 'G', lastName: 'H', displayName: 'a\u202eb' },
      'displayName',
    ],
  ])('stays as it is with %s', async (_name, typed, field) => {
    const refused = await browser.fill('/account/profile', typed);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain(`href="#${field}"`);
    const { rows } = await api.sql.query(`SELECT last_name FROM user_humans WHERE user_id = $1`, [
      user.userId,
    ]);
    expect(rows).not.toEqual([{ last_name: typed.lastName }]);
  });
});

describe('another password', () => {
  async function change(changes: Record<string, string> = {}, fields?: Record<string, string>) {
    return await browser.post(PATH, {
      ...(fields ?? (await browser.fieldsOf(PATH))),
      password: PASSWORD,
      newPassword: NEXT,
      repeatPassword: NEXT,
      ...changes,
    });
  }

  it('signs out everywhere but here, and the owner is told', async () => {
    const elsewhere = await AccountBrowser.signedIn(api, user);
    const secret = browser.userAgentSecret;
    const answer = await change();
    expect(answer).toMatchObject({
      statusCode: 303,
      headers: { location: '/account/security?done=password' },
    });
    expect(browser.userAgentSecret).not.toBe(secret);
    expect((await browser.get('/account/security?done=password')).body).toContain(
      'Your password is changed.',
    );
    expect((await elsewhere.get('/account')).headers.location).toBe('/login?destination=account');
    const { rows } = await api.sql.query(
      `SELECT (SELECT count(*)::int FROM notifications WHERE user_id = $1 AND template = 'password_changed') AS mails,
              (SELECT array_agg(DISTINCT end_reason) FROM sessions WHERE user_id = $1 AND ended_at IS NOT NULL) AS ended`,
      [user.userId],
    );
    expect(rows).toEqual([{ mails: 1, ended: ['password_changed'] }]);
    const fresh = new AccountBrowser(api);
    expect((await fresh.signInHere(user)).statusCode).toBe(400);
    expect((await fresh.signInHere(user, NEXT)).headers.location).toBe('/account');
  });

  it.each<[string, Record<string, string>]>([
    ['the present one is wrong', { password: 'Marker-other' }],
    ['the new one is weak', { newPassword: 'weak', repeatPassword: 'weak' }],
    ['the two differ', { repeatPassword: 'Marker-other' }],
    ['it is the present one', { newPassword: PASSWORD, repeatPassword: PASSWORD }],
    ['nothing was typed', { password: '', newPassword: '', repeatPassword: '' }],
  ])('is refused when %s, and nobody is signed out', async (_name, typed) => {
    const refused = await change(typed);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('id="error-summary"');
    for (const text of Object.values(typed)) if (text !== '') expect(refused.body).not.toContain(text);
    expect((await browser.get('/account')).statusCode).toBe(200);
    expect((await new AccountBrowser(api).signInHere(user)).headers.location).toBe('/account');
  });

  it('needs no other proof than the present one, however old the sign-in', async () => {
    await api.advance(700);
    expect((await change()).headers.location).toBe('/account/security?done=password');
  });

  it('is won by one of several changes at once', async () => {
    const fields = hiddenFields((await browser.get(PATH)).body);
    const answers = await Promise.all(Array.from({ length: 4 }, () => change({}, fields)));
    const done = answers.filter(({ headers }) => headers.location === '/account/security?done=password');
    expect(done).toHaveLength(1);
    expect(answers.every(({ statusCode }) => statusCode < 500)).toBe(true);
    const { rows } = await api.sql.query(
      `SELECT count(*)::int AS changes FROM events WHERE aggregate_id = $1 AND type = 'user.human.password.changed'`,
      [user.userId],
    );
    expect(rows).toEqual([{ changes: 1 }]);
  });
});
