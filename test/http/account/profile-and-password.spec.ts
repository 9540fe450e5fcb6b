// SQL by hand: what is on file
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { hiddenFields } from '../../support/browser-flow.js';
import { aDirectory } from '../../support/scim.js';
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
    // of the release before, which had the names alone
    const { was: _, ...before } = await browser.fieldsOf('/account/profile');
    const saved = await browser.post('/account/profile', {
      ...before,
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

  const ALL = {
    firstName: 'Grace',
    lastName: 'Hopper',
    middleName: 'Brewster',
    nickName: 'Amazing',
    birthdate: '1906-12-09',
    gender: 'female',
    zoneinfo: 'America/New_York',
    website: 'https://hopper.example/',
    profile: 'https://hopper.example/me',
    picture: 'https://hopper.example/me.png',
    streetAddress: '1 Harbour Road\r\nFlat 2',
    postalCode: '22202',
    locality: 'Arlington',
    region: 'Virginia',
    country: 'USA',
    formatted: 'Grace Hopper\r\nArlington',
  };

  async function onFile(): Promise<Record<string, unknown>> {
    const { rows } = await api.sql.query<Record<string, unknown>>(
      `SELECT first_name, last_name, middle_name, nick_name, birthdate, gender, zoneinfo, website_url AS website, profile_url AS profile,
         picture_url AS picture, address_street AS street_address, address_postal_code AS postal_code, address_locality AS locality,
         address_region AS region, address_country AS country, address_formatted AS formatted, preferred_language
       FROM user_humans WHERE user_id = $1`,
      [user.userId],
    );
    return rows[0] ?? {};
  }

  it('has all claims of OpenID Connect, which are changed and removed there', async () => {
    await api.sql.query(`UPDATE user_humans SET preferred_language = 'de' WHERE user_id = $1`, [user.userId]);
    const answer = await browser.fill('/account/profile', ALL);
    expect(answer.headers.location, answer.body).toBe('/account?done=profile');
    expect(await onFile()).toEqual({
      first_name: 'Grace',
      last_name: 'Hopper',
      middle_name: 'Brewster',
      nick_name: 'Amazing',
      birthdate: '1906-12-09',
      gender: 'female',
      zoneinfo: 'America/New_York',
      website: 'https://hopper.example/',
      profile: 'https://hopper.example/me',
      picture: 'https://hopper.example/me.png',
      street_address: '1 Harbour Road\nFlat 2',
      postal_code: '22202',
      locality: 'Arlington',
      region: 'Virginia',
      country: 'USA',
      formatted: 'Grace Hopper\nArlington',
      preferred_language: 'de',
    });
    const { body } = await browser.get('/account/profile');
    expect(body).toContain('value="1906-12-09"');
    expect(body).toMatch(/<option value="America\/New_York" selected[^>]*>New York<\/option>/);
    expect(body).toContain('1 Harbour Road\nFlat 2</textarea>');
    await browser.fill('/account/profile', { firstName: 'Grace', lastName: 'Hopper', locality: 'Arlington' });
    expect(await onFile()).toMatchObject({
      middle_name: null,
      birthdate: null,
      region: null,
      locality: 'Arlington',
    });
  });

  it('says beside each field what is wrong there, and keeps what was typed', async () => {
    const typed = {
      ...ALL,
      nickName: 'a\u202eb',
      birthdate: '9.12.1906',
      website: 'javascript:alert(1)',
      zoneinfo: 'Mars/"><script>',
      locality: 'x'.repeat(201),
    };
    const refused = await browser.fill('/account/profile', typed);
    expect(refused.statusCode).toBe(400);
    for (const field of ['nickName', 'birthdate', 'website', 'zoneinfo', 'locality']) {
      expect(refused.body).toContain(`href="#${field}"`);
      expect(refused.body).toContain(`id="${field}-error"`);
    }
    expect(refused.body).toContain('value="9.12.1906"');
    expect(refused.body).toContain('value="javascript:alert(1)"');
    expect(refused.body).toContain('value="Virginia"');
    expect(refused.body).not.toContain('<script>alert');
    expect(refused.body).not.toContain('Mars/"><script>');
    expect(await onFile()).toMatchObject({ nick_name: null, website: null, region: null });
  });

  it('S428: markup in a claim stays text, in fields of one line, of several and in the list', async () => {
    const evil = '"></textarea></select><script>alert(1)</script>';
    await api.sql.query(
      `UPDATE user_humans SET middle_name = $2, address_street = $2, zoneinfo = $2, address_country = $2 WHERE user_id = $1`,
      [user.userId, evil],
    );
    const { body } = await browser.get('/account/profile');
    expect(body).not.toContain('<script>alert');
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('S429: stores what was typed, and undoes nothing that somebody else has set since the page was shown', async () => {
    await browser.fill('/account/profile', ALL);
    const shown = await browser.fieldsOf('/account/profile');
    await api.sql.query(
      `UPDATE user_humans SET last_name = 'Murray', display_name = 'Grace Murray', address_locality = 'New York', website_url = NULL
       WHERE user_id = $1`,
      [user.userId],
    );
    const saved = await browser.post('/account/profile', {
      ...shown,
      ...ALL,
      nickName: 'Amazing Grace',
      region: '',
    });
    expect(saved.statusCode, saved.body).toBe(303);
    expect(await onFile()).toMatchObject({
      last_name: 'Murray',
      locality: 'New York',
      region: null,
      website: null,
      nick_name: 'Amazing Grace',
      street_address: '1 Harbour Road\nFlat 2',
    });
    const { rows } = await api.sql.query<{ fields: string[] }>(
      `SELECT fields FROM events WHERE aggregate_id = $1 ORDER BY sequence DESC LIMIT 1`,
      [user.userId],
    );
    expect(rows[0]?.fields.toSorted()).toEqual(['address', 'nickName']);
  });

  it('takes one claim of whoever has no names, or has what no form would take', async () => {
    await api.sql.query(
      `UPDATE user_humans SET first_name = '', last_name = '', display_name = 'grace', birthdate = '0000-12-09',
         middle_name = 'a\u200eb' WHERE user_id = $1`,
      [user.userId],
    );
    const { body } = await browser.get('/account/profile');
    expect(body).toMatch(/<input(?=[^>]* id="birthdate")(?=[^>]* type="text")[^>]* value="0000-12-09"/);
    const now = { displayName: 'grace', birthdate: '0000-12-09', middleName: 'a\u200eb' };
    const saved = await browser.fill('/account/profile', { ...now, zoneinfo: 'Europe/London' });
    expect(saved.statusCode, saved.body).toBe(303);
    expect(await onFile()).toMatchObject({
      first_name: '',
      middle_name: 'a\u200eb',
      birthdate: '0000-12-09',
      zoneinfo: 'Europe/London',
    });
    // one name alone is none
    expect((await browser.fill('/account/profile', { ...now, firstName: 'Grace' })).statusCode).toBe(400);
    expect((await browser.fill('/account/profile', { ...now, displayName: '' })).statusCode).toBe(400);
    expect((await browser.fill('/account/profile', { ...now, displayName: 'Amazing' })).statusCode).toBe(303);
  });

  describe('that somebody else may set again', () => {
    const hintsOf = async () => {
      const { body } = await browser.get('/account/profile');
      return Object.fromEntries(
        ['firstName', 'lastName', 'nickName', 'locality', 'website'].map((field) => [
          field,
          new RegExp(`id="${field}-hint">(.*?)</p>`).exec(body)?.[1],
        ]),
      );
    };

    it('is changed all the same, and a directory is named for as long as there is one', async () => {
      await api.sql.query(
        `INSERT INTO provisioned_users (org_id, user_id, external_id, user_name) VALUES ($1, $2, 'from-directory', 'grace')`,
        [world.orgId, user.userId],
      );
      expect(await hintsOf()).toEqual({});
      await aDirectory(world);
      const said = expect.stringContaining('directory');
      expect(await hintsOf()).toEqual({ firstName: said, lastName: said, nickName: said, locality: said });
      expect((await browser.fill('/account/profile', ALL)).statusCode).toBe(303);
      expect(await onFile()).toMatchObject({ last_name: 'Hopper' });
    });

    it('is said of what a provider maps, by itself or as it is set', async () => {
      const settings = JSON.stringify({ clientId: 'c', scopes: [], requiredClaims: {} });
      const mapping = JSON.stringify({ fields: { lastName: '' }, roles: [], metadata: [] });
      await api.sql.query(
        `INSERT INTO identity_providers (id, org_id, name, kind, settings, mapping, state, update_on_sign_in)
         VALUES ('4711', $1, 'Umbrella', 'google', $2, $3, 'active', true)`,
        [world.orgId, settings, mapping],
      );
      await api.sql.query(
        `INSERT INTO user_identities (provider_id, subject, org_id, user_id) VALUES ('4711', 'grace', $1, $2)`,
        [world.orgId, user.userId],
      );
      // by the usual mapping, but for the one that is switched off
      const { firstName, lastName, website } = await hintsOf();
      expect(firstName).toContain('Umbrella');
      expect([lastName, website]).toEqual([undefined, undefined]);
    });
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
