import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { converted, fixture, identity, inDirectory } from './support/run-cli.js';

// A file of another product has users with names and addresses, too: converting it would look like success.

const REALM = fixture('keycloak/acme-realm.json');
const FILES = [
  'auth0/users.ndjson',
  'keycloak/acme-realm.json',
  'firebase/users.json',
  'firebase/users.csv',
  'cognito/users.json',
  'cognito/users.csv',
  'wordpress/users.json',
  'wordpress/users.csv',
  'okta/users.csv',
];
const OPTION: Record<string, readonly string[]> = {
  auth0: ['--users'],
  keycloak: ['--realm'],
  firebase: ['--passwords', 'drop', '--users'],
  cognito: ['--users'],
  wordpress: ['--users'],
  okta: ['--users'],
};

describe('identity convert, given the export of another product', () => {
  const pairs = Object.keys(OPTION).flatMap((source) =>
    FILES.flatMap((file) => (file.startsWith(`${source}/`) ? [] : [[source, file] as const])),
  );

  it.each(pairs)('%s refuses %s', async (source, file) => {
    const { code, out } = await identity(['convert', source, ...(OPTION[source] ?? []), fixture(file)]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
  });

  it('names the command that reads it, and leaves no file behind', async () => {
    await inDirectory(async (directory) => {
      const output = path.join(directory, 'users.ndjson');
      const { code, err } = await identity(['convert', 'auth0', '--users', REALM, '--output', output]);
      expect(code).toBe(1);
      expect(err).toContain(
        'this is an export of keycloak, not of auth0, and was not converted: use identity convert keycloak',
      );
      expect(await readdir(directory)).toEqual([]);
    });
  });
});

describe('identity convert, given users that no list of other products knows', () => {
  const run = async (source: string, input: string, ...more: readonly string[]) => {
    const given = [...(OPTION[source] ?? []).slice(0, -1), OPTION[source]?.at(-1) ?? '', '-'];
    const { code, out, err } = await identity(['convert', source, ...given, ...more], input);
    return { code, out, err };
  };
  const ADA = { email: 'ada@example.org', firstName: 'Ada', lastName: 'Lovelace' };
  const HASH = '$2b$10$WUPfJUvtbkTqWULjJR.uKOgThhBjSQFzBL8Bd3OHj9thshbg5Xt7i';
  const AUTH0_CSV =
    'Id,Email,Given Name,Family Name,Email Verified\nauth0|1,ada@example.org,Ada,Lovelace,true\n';
  const REALM_OF_FEW = JSON.stringify({
    realm: 'acme',
    users: [{ id: '1', username: 'ada', enabled: true, emailVerified: true, ...ADA }],
  });
  const SUPABASE = JSON.stringify([{ id: '1', email: ADA.email, encrypted_password: HASH }]);
  const FUSIONAUTH = JSON.stringify({
    users: [{ ...ADA, username: 'ada', password: 'NjRjYmM4N2Q=', salt: 'MTQ4NDE2MTY5NkQw', active: true }],
  });

  it.each([
    ['okta', 'a CSV file of Auth0', AUTH0_CSV, 'an export of auth0, not of okta'],
    ['auth0', 'a realm without creation dates', REALM_OF_FEW, 'an export of keycloak, not of auth0'],
    ['firebase', 'a realm without creation dates', REALM_OF_FEW, 'an export of keycloak, not of firebase'],
    ['auth0', 'users of Supabase', SUPABASE, '"encrypted_password" looks like a password'],
    ['keycloak', 'users of FusionAuth', FUSIONAUTH, '"password" looks like a password'],
    ['keycloak', 'users of nobody', JSON.stringify({ users: [ADA] }), 'no export of keycloak'],
  ])('%s refuses %s, even with --lenient', async (source, _what, input, reason) => {
    const { code, out, err } = await run(source, input, '--lenient');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(reason);
  });

  it('loses no hash that stands in a user of the product itself', async () => {
    const user = { user_id: 'auth0|1', email: ADA.email };
    for (const [member, value] of [
      ['password', 'secret'],
      ['Salt', 'MTQ4NDE2MTY5NkQw'],
      ['hashed', HASH],
      ['passwordDigest', 'x'.repeat(40)],
    ] as const) {
      const { code, err } = await run('auth0', JSON.stringify({ ...user, [member]: value }));
      expect({ member, code }).toEqual({ member, code: 1 });
      expect(err).toContain(`"${member}" looks like a password or its hash`);
    }
    const csv = `login,email,firstName,lastName,password_hash\nada,${ADA.email},Ada,L,${HASH}\n`;
    expect((await run('okta', csv)).err).toContain('"password_hash" looks like');
  });

  it('takes what only speaks of a password', async () => {
    const user = {
      user_id: 'auth0|1',
      email: ADA.email,
      last_password_reset: '2020-10-06T15:36:39.105Z',
      password_expired: false,
      passwordUpdatedAt: 1_600_000_000_000,
      email_digest: 'weekly',
      hashtags: 'women-in-computing-history',
      badPwdCount: '0',
      failed_password_attempts: 3,
      password_history: [],
      default_password_nag: '1',
      password_policy: 'Strict',
      passwordChanged: '10/6/2020 3:36 PM',
      season_pass: 'gold',
    };
    expect(await run('auth0', JSON.stringify(user))).toMatchObject({ code: 0 });
    const csv = `login,email,firstName,lastName,passwordChanged\nada,${ADA.email},Ada,L,2020-10-06T15:36:39.000Z\n`;
    expect(await run('okta', csv)).toMatchObject({ code: 0 });
    const short = `email,firstName,lastName\n${ADA.email},Ada,L\n`;
    expect(await run('okta', short)).toMatchObject({ code: 0 });
    // a realm says by which rules its passwords are chosen; a list of realms has a message of its own
    const realm = {
      realm: 'r',
      users: [],
      passwordPolicy: 'length(8)',
      webAuthnPolicyPasswordlessRpEntityName: 'keycloak',
    };
    expect((await run('keycloak', JSON.stringify([realm]))).err).toContain('list of realms');
  });

  it('rejects a user who is not known as one, among users who are', async () => {
    const users = [{ user_id: 'auth0|1', email: ADA.email }, { email: 'bob@example.org' }];
    const { records, rejects } = await converted(['auth0', '--users', '-'], JSON.stringify(users));
    expect(records).toHaveLength(1);
    expect(rejects).toEqual(['line 1: rejected: not a user of auth0, which has user_id']);
  });
});

describe('second factors in an export', () => {
  const user = (credentials: readonly object[]): object => ({
    username: 'ada',
    email: 'ada@example.org',
    credentials,
  });
  const totp = { type: 'otp', secretData: '{"value":"dCd4bmDnVf7gKjhsQmhW"}', credentialData: '{}' };

  it('are counted: TOTP secrets that come along, passkeys and recovery codes that do not', async () => {
    const users = [
      user([totp, { type: 'webauthn-passwordless' }, { type: 'recovery-authn-codes' }]),
      user([{ type: 'webauthn' }]),
    ];
    const realm = JSON.stringify({ users });
    const { notes } = await converted(['keycloak', '--realm', '-'], realm);
    expect(notes).toEqual({
      'a passkey or security key, which cannot be carried over': 2,
      'recovery codes, which cannot be carried over': 1,
    });
    const { err } = await identity(['convert', 'keycloak', '--realm', '-'], realm);
    expect(err).toContain('1 user: a TOTP secret, whose code is asked for from the next sign-in on');
  });

  it('are counted in a CSV file: each kind that comes along', async () => {
    await inDirectory(async (directory) => {
      const mapping = path.join(directory, 'mapping.json');
      const columns = {
        name: 'userName',
        first: 'profile.firstName',
        last: 'profile.lastName',
        mail: 'email.email',
        codes: 'recoveryCodes',
        sent: 'codeFactors',
      };
      await writeFile(mapping, JSON.stringify({ columns }));
      const users = path.join(directory, 'users.csv');
      const rows = [
        'name,first,last,mail,codes,sent',
        'ada,Ada,L,ada@example.org,one-code two-code,email',
        'bob,Bob,B,bob@example.org,,email',
      ];
      await writeFile(users, rows.join('\n'));
      const { err } = await identity(['convert', 'csv', '--users', users, '--mapping', mapping]);
      expect(err).toContain('2 users: codes by e-mail or SMS, which are asked for from the next sign-in on');
      expect(err).toContain('1 user: recovery codes, each of which replaces a second factor once');
    });
  });
});

describe('a long conversion', () => {
  const users = (count: number): string =>
    Array.from({ length: count }, (_, n) =>
      JSON.stringify({ user_id: `auth0|${n}`, email: `u${n}@example.com` }),
    ).join('\n');

  it('tells a person how far it is', async () => {
    const { err } = await identity(['convert', 'auth0', '--users', '-'], users(2500), { isTTY: true });
    expect(err).toContain('1,000 records read');
    expect(err).toContain('2,000 records read');
  });

  it('tells a log once in a hundred thousand', async () => {
    const { err } = await identity(['convert', 'auth0', '--users', '-'], users(2500));
    expect(err.split('\n').filter((line) => line.includes('records read'))).toEqual(['1,000 records read']);
  });
});
