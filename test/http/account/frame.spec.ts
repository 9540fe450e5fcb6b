import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { hiddenFields, TestBrowser } from '../../support/browser-flow.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// What every account page has in common: who may, whose form it is, and how fresh the proof must be.

const NEXT = 'Marker-N3w-Passw0rd!';
const { api, world } = useWorld();
let user: TestUser;
let browser: AccountBrowser;

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
});

const PAGES = [
  '/account',
  '/account/profile',
  '/account/security',
  '/account/security/password',
  '/account/confirm',
  '/account/sessions',
  '/account/applications',
  '/account/email/change',
  '/account/phone/change',
  '/account/language',
  '/account/data',
];
const FORMS = [
  '/account/profile',
  '/account/security/password',
  '/account/confirm',
  '/account/accounts',
  '/account/sessions',
  '/account/email/change',
  '/account/phone/change',
  '/account/language',
  '/account/data',
];

describe('who may', () => {
  it.each(PAGES)('%s has a stranger sign in, and shows the user their own account', async (path) => {
    const stranger = await new TestBrowser(api).get(path);
    expect(stranger).toMatchObject({ statusCode: 302, headers: { location: '/login?destination=account' } });
    const page = await browser.get(path);
    expect(page.statusCode).toBe(200);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['content-security-policy']).toContain("form-action 'self';");
  });

  it('leads from the sign-in to the account', async () => {
    const led = await new AccountBrowser(api).signInHere(user);
    expect(led).toMatchObject({ statusCode: 303, headers: { location: '/account' } });
    expect((await browser.get('/account')).body).toContain(user.loginName);
  });

  it('has whoever must change their password do that first', async () => {
    await api.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [user.userId]);
    for (const path of PAGES) {
      expect((await browser.get(path)).headers.location).toBe('/login?destination=account');
    }
  });

  it('has the look of the reader’s own organization, not of the default one', async () => {
    const other = await anOrganization(api);
    const stranger = await AccountBrowser.signedIn(api, await aUser(other));
    const { body } = await stranger.get('/account');
    expect(body).toContain(`Org ${other.domain}`);
    expect(body).not.toContain(`Org ${world.domain}`);
  });

  it('speaks the reader’s language unless they chose another for the visit', async () => {
    await api.sql.query(`UPDATE user_humans SET preferred_language = 'de' WHERE user_id = $1`, [user.userId]);
    expect((await browser.get('/account')).body).toContain('<h1>Ihr Konto</h1>');
    expect((await browser.get('/account?language=fr')).body).toContain('<h1>Votre compte</h1>');
  });
});

describe('a form', () => {
  it.each(FORMS)(
    'of %s is refused without its token, from elsewhere and of another browser',
    async (path) => {
      const fields = await browser.fieldsOf(path);
      const strangers = await AccountBrowser.signedIn(api, await aUser(world));
      const typed = {
        firstName: 'Eve',
        lastName: 'Eve',
        password: PASSWORD,
        newPassword: NEXT,
        repeatPassword: NEXT,
      };
      const { csrf: _csrf, ...withoutToken } = fields;
      const answers = [
        await browser.post(path, { ...withoutToken, ...typed }),
        await browser.post(path, { ...fields, ...typed }, { origin: 'https://evil.test' }),
        await browser.post(path, { ...fields, ...typed }, { 'sec-fetch-site': 'cross-site' }),
        await strangers.post(path, { ...fields, ...typed }),
        await new TestBrowser(api).post(path, { ...fields, ...typed }),
      ];
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403, 403]);
      const { rows } = await api.sql.query(`SELECT first_name FROM user_humans WHERE user_id = $1`, [
        user.userId,
      ]);
      expect(rows).not.toEqual([{ first_name: 'Eve' }]);
      expect((await new AccountBrowser(api).signInHere(user)).headers.location).toBe('/account');
    },
  );

  it('is good for its own step alone', async () => {
    const fields = await browser.fieldsOf('/account/profile');
    expect((await browser.post('/account/security/password', fields)).statusCode).toBe(403);
  });

  it('changes the account that its page was about, whoever else has signed in since', async () => {
    const fields = await browser.fieldsOf('/account/profile');
    const second = await aUser(world);
    await browser.signInHere(second);
    expect((await browser.get('/account')).body).toContain(second.loginName);
    const saved = await browser.post('/account/profile', {
      ...fields,
      firstName: 'Grace',
      lastName: 'Hopper',
    });
    expect(saved.headers.location).toBe('/account?done=profile');
    const { rows } = await api.sql.query(
      `SELECT user_id FROM user_humans WHERE first_name = 'Grace' AND user_id = ANY ($1)`,
      [[user.userId, second.userId]],
    );
    expect(rows).toEqual([{ user_id: user.userId }]);
  });

  it('does nothing once its session has ended', async () => {
    const fields = await browser.fieldsOf('/account/profile');
    await api.sql.query(
      `UPDATE sessions SET ended_at = app_now(), end_reason = 'logout' WHERE user_id = $1`,
      [user.userId],
    );
    const refused = await browser.post('/account/profile', {
      ...fields,
      firstName: 'Grace',
      lastName: 'Hopper',
    });
    expect(refused).toMatchObject({ statusCode: 303, headers: { location: '/login?destination=account' } });
  });
});

describe('several accounts in one browser', () => {
  it('are chosen from, and the newest sign-in comes before the choice', async () => {
    const second = await aUser(world);
    await browser.signInHere(second);
    const list = await browser.get('/account/accounts');
    expect(list.body).toContain(user.loginName);
    expect(list.body).toContain(second.loginName);
    const fields = hiddenFields(list.body);
    const { rows } = await api.sql.query<{ id: string }>(`SELECT id FROM sessions WHERE user_id = $1`, [
      user.userId,
    ]);
    const chosen = await browser.post('/account/accounts', { ...fields, account: rows[0]?.id ?? '' });
    expect(chosen.headers.location).toBe('/account');
    expect((await browser.get('/account')).body).toContain(user.loginName);
    await api.advance(5);
    await browser.signInHere(second);
    expect((await browser.get('/account')).body).toContain(second.loginName);
  });

  it('are none but those of this browser', async () => {
    const elsewhere = await aUser(world);
    await AccountBrowser.signedIn(api, elsewhere);
    const { rows } = await api.sql.query<{ id: string }>(`SELECT id FROM sessions WHERE user_id = $1`, [
      elsewhere.userId,
    ]);
    const answer = await browser.fill('/account/accounts', { account: rows[0]?.id ?? '' });
    expect(answer.headers.location).toBe('/login?destination=account');
    expect((await browser.get('/account')).body).toContain(user.loginName);
  });
});

describe('a fresh proof', () => {
  async function authTime(): Promise<number> {
    const { rows } = await api.sql.query<{ at: number }>(
      `SELECT extract(epoch FROM auth_time)::float8 AS at FROM sessions WHERE user_id = $1 AND ended_at IS NULL`,
      [user.userId],
    );
    return rows[0]?.at ?? 0;
  }

  it('is the password once more: the session is as new, its id the same, the browser known by a new secret', async () => {
    await api.advance(700);
    const [before, secret] = [await authTime(), browser.userAgentSecret];
    const { rows: old } = await api.sql.query(`SELECT id FROM sessions WHERE user_id = $1`, [user.userId]);
    const answer = await browser.fill('/account/confirm?next=%2Faccount%2Fsecurity', { password: PASSWORD });
    expect(answer).toMatchObject({ statusCode: 303, headers: { location: '/account/security' } });
    expect((await authTime()) - before).toBeGreaterThan(600);
    expect(browser.userAgentSecret).not.toBe(secret);
    const { rows } = await api.sql.query(`SELECT id FROM sessions WHERE user_id = $1`, [user.userId]);
    expect(rows).toEqual(old);
    expect((await browser.get('/account')).statusCode).toBe(200);
  });

  it.each([
    ['a wrong password', 'Marker-other'],
    ['no password', ''],
  ])('is not %s', async (_name, password) => {
    const before = await authTime();
    const refused = await browser.fill('/account/confirm', { password });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('id="error-summary"');
    expect(refused.body).not.toContain('Marker-other');
    expect(await authTime()).toBe(before);
  });

  it.each([
    'https://evil.test/account',
    '//evil.test',
    '/account/../login',
    '/accounts',
    '/account/%2e%2e',
    '/',
  ])('leads to pages of the account and never to %s', async (next) => {
    const answer = await browser.fill(`/account/confirm?${new URLSearchParams({ next }).toString()}`, {
      password: PASSWORD,
    });
    expect(answer.headers.location).toBe('/account');
  });

  it('is asked for with a limit on wrong ones', async () => {
    const other = await aUser(world);
    const guesser = await AccountBrowser.signedIn(api, other);
    const statuses = new Set<number>();
    for (let n = 0; n < 12; n += 1) {
      statuses.add((await guesser.fill('/account/confirm', { password: `Marker-wrong-${n}` })).statusCode);
    }
    // the user has to wait by then, which reads like a wrong password
    expect((await guesser.fill('/account/confirm', { password: PASSWORD })).statusCode).not.toBe(303);
    expect([...statuses].every((status) => status === 400 || status === 429)).toBe(true);
  });
});
