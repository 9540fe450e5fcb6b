import { describe, expect, it } from 'vitest';
import { verifies } from './support/passwords.js';
import { converted, fixture, hashOf, identity } from './support/run-cli.js';

describe('identity convert okta', () => {
  it('carries over what the profile has; other columns become metadata, formulas untouched (S161)', async () => {
    const { code, records, rejects, notes } = await converted(['okta', '--users', fixture('okta/users.csv')]);
    expect(records).toEqual([
      {
        userId: '00u1',
        createdAt: '2019-05-01T10:00:00.000Z',
        userName: 'rosalind@example.org',
        profile: { firstName: 'Rosalind', lastName: 'Franklin', nickName: 'Ros', preferredLanguage: 'en-GB' },
        email: { email: 'rosalind@example.org' },
        phone: { phone: '+442079460019' },
        metadata: { department: '=HYPERLINK("http://evil.example")' },
      },
      {
        userId: '00u2',
        state: 'inactive',
        userName: 'barbara@example.org',
        profile: { firstName: 'Barbara', lastName: 'McClintock, "Barb"' },
        email: { email: 'barbara@example.org' },
        // 030 of which country? not ours to guess
        metadata: { phone_number: '030 123456', department: 'Cytogenetics\nand maize' },
      },
      {
        userId: '00u5',
        userName: 'chien@example.org',
        profile: { firstName: 'Chien-Shiung', lastName: 'Wu' },
        email: { email: 'chien@example.org' },
      },
    ]);
    expect(rejects).toEqual([
      'line 5: rejected: Email is invalid (EMAIL-599BI)',
      'line 6: rejected: the row has 3 cells where the header has 12',
    ]);
    expect(Object.keys(notes)).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('reads the names as tools write them, and refuses a file that has none of them', async () => {
    const tool = 'profile.login,profile.email,PROFILE.FIRSTNAME\nada,ada@example.org,Ada\n';
    const { records } = await converted(['okta', '--users', '-', '--email-verified'], tool);
    expect(records).toEqual([
      {
        userName: 'ada',
        profile: { firstName: 'Ada', lastName: 'ada' },
        email: { email: 'ada@example.org', isEmailVerified: true },
      },
    ]);
    const other = await identity(['convert', 'okta', '--users', '-'], 'a,b\n1,2\n');
    expect(other.code).toBe(1);
    expect(other.err).toContain('the CSV header has none of the columns login, email');
  });
});

describe('identity convert cognito', () => {
  it('reads the CSV of the pool: custom attributes become metadata', async () => {
    const { records, rejects, notes } = await converted(['cognito', '--users', fixture('cognito/users.csv')]);
    expect(records).toEqual([
      {
        // the preferred name is the user's to choose
        userName: 'emmy.noether',
        profile: {
          firstName: 'Emmy',
          lastName: 'Noether',
          nickName: 'emmy',
          displayName: 'Emmy Noether',
          preferredLanguage: 'de-DE',
          gender: 'GENDER_FEMALE',
          middleName: 'Amalie',
          website: 'https://noether.example',
          birthdate: '1882-03-23',
          zoneinfo: 'Europe/Berlin',
        },
        email: { email: 'emmy@example.org', isEmailVerified: true },
        phone: { phone: '+4991318520', isPhoneVerified: true },
        metadata: { 'custom:tenant': 'erlangen' },
      },
      {
        // the user name is an id with which nobody signed in
        userId: '11111111-2222-4333-8444-555555555555',
        userName: 'sofia@example.org',
        profile: { firstName: 'sofia@example.org', lastName: 'sofia@example.org' },
        email: { email: 'sofia@example.org' },
        metadata: { gender: 'woman' },
      },
    ]);
    expect(rejects).toEqual(['line 4: rejected: the user has no e-mail address, which every user must have']);
    expect(notes).toEqual({ 'a second factor that cannot be carried over': 1 });
  });

  it('reads the JSON of list-users', async () => {
    const { code, records, notes } = await converted(['cognito', '--users', fixture('cognito/users.json')]);
    expect(records).toEqual([
      {
        userId: '11111111-2222-4333-8444-555555555555',
        state: 'inactive',
        createdAt: '2021-02-03T03:05:06.789Z',
        userName: 'sofia@example.org',
        profile: { firstName: 'sofia@example.org', lastName: 'sofia@example.org' },
        email: { email: 'sofia@example.org', isEmailVerified: true },
        metadata: { 'custom:tenant': 'moscow' },
      },
    ]);
    expect(notes).toEqual({
      'the link to Google is lost: --idp Google=<id of the provider here> keeps it': 1,
    });
    expect(code).toBe(0);
  });
});

describe('S446: a user name that is an e-mail address', () => {
  const pool = (name: string, preferred: string) =>
    JSON.stringify({
      Users: [
        {
          Username: name,
          Attributes: [
            { Name: 'email', Value: 'eve@example.org' },
            { Name: 'preferred_username', Value: preferred },
            { Name: 'nickname', Value: 'Eve' },
          ],
        },
      ],
    });
  const run = async (text: string, ...more: string[]) =>
    await converted(['cognito', '--users', '-', '--input-format', 'json', ...more], text);

  it('is none that users of Cognito prefer', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const { records } = await run(pool(id, 'victim@example.org'));
    expect(records).toMatchObject([
      { userName: 'eve@example.org', metadata: { preferred_username: 'victim@example.org' } },
    ]);
  });

  it('must be their own, unless it is said that nobody could choose it', async () => {
    const { records, rejects } = await run(pool('victim@example.org', 'eve'));
    expect(records).toEqual([]);
    expect(rejects).toEqual([
      'line 1: rejected: the user name is an e-mail address other than its own: --keep-user-names keeps it, where users could not choose it',
    ]);
    expect((await run(pool('EVE@example.org', 'eve'))).records).toHaveLength(1);
    expect((await run(pool('victim@example.org', 'eve'), '--keep-user-names')).records).toHaveLength(1);
  });

  // the import finds people by the canonical form of a name
  it.each(['victim\uFF20example.org', 'victim@example.org.', 'vic\uFE0Ftim@example.org'])(
    'is one in every spelling of it: %j',
    async (name) => {
      expect((await run(pool(name, 'eve'))).records).toEqual([]);
      expect((await run(pool(name, 'eve'), '--keep-user-names')).records).toHaveLength(1);
    },
  );

  it('is for administrators of Okta to give', async () => {
    const file = 'login,email,firstName,lastName\nada@corp.example,ada@example.org,Ada,L\n';
    const { records } = await converted(['okta', '--users', '-'], file);
    expect(records).toMatchObject([{ userName: 'ada@corp.example' }]);
  });
});

describe('identity convert wordpress', () => {
  it('carries over the passwords of every age, and no key of a pending reset', async () => {
    const { records, rejects, out } = await converted([
      'wordpress',
      '--users',
      fixture('wordpress/users.csv'),
    ]);
    expect(records).toMatchObject([
      {
        createdAt: '2012-03-04T05:06:07.000Z',
        userName: 'jules',
        profile: {
          firstName: 'Jules',
          lastName: 'Verne',
          displayName: 'Jules Verne',
          website: 'https://jules.example',
        },
        email: { email: 'jules@example.org' },
        metadata: { wordpress_id: '1', roles: 'administrator' },
      },
      { userName: 'phileas', metadata: { wordpress_id: '2', roles: 'author,editor' } },
      { userName: 'passepartout' },
    ]);
    expect(records[1]).not.toHaveProperty('createdAt');
    expect(out).not.toContain('secretkey');
    const passwords = ['Nautilus-20000', 'Phileas-80-Days', 'Passepartout'];
    for (const [index, password] of passwords.entries()) {
      const value = hashOf(records[index]);
      expect(await verifies(value, password)).toBe(true);
      expect(await verifies(value, `${password}!`)).toBe(false);
    }
    expect(rejects).toEqual(['line 5: rejected: the user has no e-mail address, which every user must have']);
  });

  it('reads the JSON of WP-CLI', async () => {
    const { code, records } = await converted(['wordpress', '--users', fixture('wordpress/users.json')]);
    expect(records).toMatchObject([{ userName: 'jules', metadata: { wordpress_id: '1' } }]);
    expect(code).toBe(0);
  });
});
