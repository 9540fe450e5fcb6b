import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { verifies } from './support/passwords.js';
import { converted, fixture, identity, inDirectory } from './support/run-cli.js';

const USERS = fixture('auth0/users.ndjson');
const PASSWORDS = fixture('auth0/passwords.ndjson');
const FIXTURE = ['auth0', '--users', USERS, '--passwords', PASSWORDS];
const ADA = '$2b$10$WUPfJUvtbkTqWULjJR.uKOgThhBjSQFzBL8Bd3OHj9thshbg5Xt7i';

/** Converts users given as objects, with password entries if there are any. */
async function convertUsers(users: readonly object[], entries?: readonly object[], ...more: string[]) {
  return inDirectory(async (directory) => {
    const file = path.join(directory, 'passwords.ndjson');
    if (entries !== undefined) await writeFile(file, ndjson(entries));
    const passwords = entries === undefined ? [] : ['--passwords', file];
    return converted(['auth0', '--users', '-', ...passwords, ...more], ndjson(users));
  });
}

function ndjson(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

describe('identity convert auth0', () => {
  it('carries over profile, state, metadata, TOTP and the password, found by id in any order', async () => {
    const { code, records, rejects, notes } = await converted(FIXTURE);
    expect(records).toEqual([
      {
        userId: 'auth0|5f7c8ec7c33c6c004bbafe01',
        createdAt: '2020-10-06T15:36:39.105Z',
        userName: 'ada@example.org',
        profile: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          nickName: 'ada',
          displayName: 'Ada Lovelace',
          preferredLanguage: 'en',
          picture: 'https://img.example/ada.png',
        },
        email: { email: 'ada@example.org', isEmailVerified: true },
        phone: { phone: '+442079460018', isPhoneVerified: true },
        // S161: a formula is somebody's text
        metadata: {
          newsletter: 'true',
          plan: "=cmd|' /C calc'!A0",
          'app_metadata.roles': '["admin","author"]',
        },
        hashedPassword: { value: ADA },
      },
      {
        userId: 'auth0|grace',
        createdAt: '2021-01-02T03:04:05.000Z',
        userName: 'grace.hopper',
        profile: { firstName: 'Grace Hopper', lastName: 'Grace Hopper', displayName: 'Grace Hopper' },
        email: { email: 'grace@example.org' },
        hashedPassword: { value: '$2b$10$X1HfW0SrYE7uaETwJR.uKe0pu32cf0EJ8yn5B2jlybTvygI11dXJS' },
      },
      {
        userId: 'auth0|5f7c8ec7c33c6c004bbafe03',
        state: 'inactive',
        userName: 'alan@example.org',
        profile: { firstName: 'Alan', lastName: 'Alan', displayName: 'Alan' },
        email: { email: 'alan@example.org', isEmailVerified: true },
        metadata: { phone_number: '0171 5551234' },
        hashedPassword: { value: '$2b$10$WUvfZgzybVHnZkarKB.uKuLNqRsh/B/KgFqFaAb2PNXFnUCoDJA4O' },
      },
      {
        // shares Ada's address, and gets nothing of her password
        userId: 'google-oauth2|112233445566778899001',
        userName: 'ada@example.org',
        profile: { firstName: 'Ada Lovelace', lastName: 'Ada Lovelace', displayName: 'Ada Lovelace' },
        email: { email: 'ada@example.org', isEmailVerified: true },
      },
      {
        userId: 'auth0|5f7c8ec7c33c6c004bbafe07',
        totpSecret: 'JBSWY3DPEHPK3PXP',
        userName: 'katherine@example.org',
        profile: { firstName: 'Katherine', lastName: 'Johnson' },
        email: { email: 'katherine@example.org', isEmailVerified: true },
      },
    ]);
    expect(rejects).toEqual([
      'line 5: rejected: the user has no e-mail address, which every user must have',
      'line 6: rejected: the record is not valid JSON',
    ]);
    expect(notes).toEqual({
      'phone number without a country code or not a number, kept as metadata "phone_number"': 1,
      'the link to google-oauth2 is lost: --idp google-oauth2=<id of the provider here> keeps it': 1,
      'the link to acme is lost: --idp acme=<id of the provider here> keeps it': 1,
      'no entry in the passwords file: the user sets a new password': 1,
    });
    expect(code).toBe(1);
    expect(await verifies(ADA, 'Analytical-Engine-1843')).toBe(true);
    expect(await verifies(ADA, 'analytical-engine-1843')).toBe(false);
  });

  it('leaves verification as the export has it, or takes what --email-verified says', async () => {
    const users = [
      { user_id: 'auth0|1', email: 'a@example.org', email_verified: true },
      { user_id: 'auth0|2', email: 'b@example.org', email_verified: false },
      { user_id: 'auth0|3', email: 'c@example.org' },
    ];
    const verified = async (...args: string[]) => {
      const { records } = await convertUsers(users, undefined, ...args);
      return records.map(({ email }) => (email as { isEmailVerified?: boolean }).isEmailVerified ?? false);
    };
    expect(await verified()).toEqual([true, false, false]);
    expect(await verified('--email-verified')).toEqual([true, true, true]);
    expect(await verified('--email-verified', 'true')).toEqual([true, true, true]);
    expect(await verified('--email-verified=false')).toEqual([false, false, false]);
  });

  it('reads a list, an object with a list, NDJSON and gzip alike', async () => {
    const users = [
      { user_id: 'auth0|1', email: 'a@example.org' },
      { user_id: 'auth0|2', email: 'b@example.org', name: '[{"users":[' },
    ];
    const forms = [
      ndjson(users),
      JSON.stringify(users),
      JSON.stringify(users, null, 2),
      JSON.stringify({ start: 0, total: 2, users }),
      JSON.stringify({ users }, null, 2),
      `\uFEFF${ndjson(users)}`,
      gzipSync(ndjson(users)),
    ];
    for (const form of forms) {
      const { code, records } = await converted(['auth0', '--users', '-'], form);
      expect(records.map(({ userId }) => userId)).toEqual(['auth0|1', 'auth0|2']);
      expect(code).toBe(0);
    }
  });

  it('knows the names that the export extension writes', async () => {
    const { records } = await convertUsers([
      {
        Id: 'auth0|1',
        'Given Name': 'Ada',
        'Family Name': 'L',
        Email: 'a@example.org',
        'Email Verified': true,
      },
    ]);
    expect(records).toEqual([
      {
        userId: 'auth0|1',
        userName: 'a@example.org',
        profile: { firstName: 'Ada', lastName: 'L' },
        email: { email: 'a@example.org', isEmailVerified: true },
      },
    ]);
  });

  it('takes an address for an id only where the export has no ids, and never one of two', async () => {
    const entry = (email: string, more: object = {}) => ({ email, passwordHash: ADA, ...more });
    const hashes = async (user: object, entries: readonly object[]) => {
      const { records, rejects } = await convertUsers([user], entries);
      return { hashes: records.map(({ hashedPassword }) => hashedPassword), rejects };
    };
    const known = { hashes: [{ value: ADA }], rejects: [] };
    const unknown = { hashes: [undefined], rejects: [] };
    const withId = { _id: { $oid: 'x' } };
    const identities = [{ provider: 'auth0', connection: 'Users' }];
    expect(await hashes({ email: 'A@example.org', identities }, [entry('a@example.org', withId)])).toEqual(
      known,
    );
    expect(await hashes({ user_id: 'auth0|y', email: 'a@example.org' }, [entry('a@example.org')])).toEqual(
      known,
    );
    // another connection's user with the same address
    expect(
      await hashes({ user_id: 'auth0|y', email: 'a@example.org' }, [entry('a@example.org', withId)]),
    ).toEqual(unknown);
    expect(
      await hashes({ user_id: 'auth0|conn|x', email: 'a@example.org' }, [entry('b@example.org', withId)]),
    ).toEqual(known);
    const twice = await hashes({ email: 'a@example.org', identities }, [
      entry('a@example.org'),
      entry('a@example.org'),
    ]);
    expect(twice.rejects).toEqual([
      'line 1: rejected: the passwords have several entries for its e-mail address: export user_id with the users',
    ]);
  });

  it('S443: without an id only a user of a database gets a password, and never a social one', async () => {
    const entry = { email: 'a@example.org', passwordHash: ADA, _id: { $oid: 'x' } };
    const identity = (provider: string, id: string) => ({ provider, user_id: id, connection: provider });
    const email = 'a@example.org';
    const { records, notes } = await convertUsers(
      [
        { email, email_verified: true },
        { email, identities: [identity('google-oauth2', '112')] },
        { email, identities: [identity('google-oauth2', '112'), identity('auth0', 'x')] },
        // another user of another database
        { email, identities: [identity('auth0', 'y')] },
      ],
      [entry],
    );
    expect(records.map(({ hashedPassword }) => hashedPassword)).toEqual([
      undefined,
      undefined,
      { value: ADA },
      undefined,
    ]);
    expect(notes).toMatchObject({
      'no user_id, nor an identity of the provider auth0: gets no password by the address alone': 2,
      'no entry in the passwords file: the user sets a new password': 1,
    });
  });

  it('S442: what users write of themselves never stands where administrators or the service write', async () => {
    const user = {
      user_id: 'auth0|1',
      email: 'a@example.org',
      phone_number: '0171 5551234',
      picture: 'no address',
      user_metadata: {
        'app_metadata.roles': ['admin'],
        'app_metadata.plan': 'gold',
        phone_number: '1',
        picture: 'mine',
        colour: 'red',
      },
      app_metadata: { plan: 'free' },
    };
    const { records, notes } = await convertUsers([user]);
    expect(records[0]?.['metadata']).toEqual({
      'app_metadata.plan': 'free',
      colour: 'red',
      phone_number: '0171 5551234',
      picture: 'mine',
    });
    expect(records[0]?.['profile']).not.toHaveProperty('picture');
    expect(notes).toEqual({
      'a key of user_metadata that begins with "app_metadata.": left out': 1,
      'phone number without a country code or not a number, kept as metadata "phone_number"': 1,
      'profile.picture is not what the import takes, left out: there is metadata "picture" already': 1,
      'user_metadata "phone_number", left out: the phone number has its place': 1,
    });
  });

  it('finds every one of many passwords', async () => {
    const ids = Array.from({ length: 6000 }, (_, index) => `user-${index}`);
    const { records } = await convertUsers(
      ids.map((id) => ({ user_id: `auth0|${id}`, email: `${id}@example.org` })),
      // each entry says in its salt whose it is
      ids
        .toReversed()
        .map((id) => ({ alt_id: id, passwordHash: hashOf(id), pad: 'x'.repeat(id.length * 3) })),
    );
    expect(records.map(({ hashedPassword }) => hashedPassword)).toEqual(
      ids.map((id) => ({ value: hashOf(id) })),
    );
  });

  it('wants the passwords as a file that it can read out of order', async () => {
    const stdin = await identity(['convert', 'auth0', '--users', USERS, '--passwords', '-']);
    expect(stdin.code).toBe(2);
    await inDirectory(async (directory) => {
      const file = path.join(directory, 'passwords.gz');
      await writeFile(file, gzipSync(await readFile(PASSWORDS)));
      const packed = await identity(['convert', 'auth0', '--users', USERS, '--passwords', file]);
      expect(packed.code).toBe(2);
      expect(packed.err).toContain('--passwords must be unpacked first');
    });
  });
});

function hashOf(id: string): string {
  return `$2b$10$${id.replace('-', '.').padEnd(53, '.')}`;
}
