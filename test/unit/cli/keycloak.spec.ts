import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from './support/passwords.js';
import { converted, fixture, hashOf, identity, inDirectory } from './support/run-cli.js';

const SALT = 'a2V5Y2xvYWstc2FsdC0xNg';
const REALM = ['keycloak', '--realm', fixture('keycloak/acme-realm.json')];

describe('identity convert keycloak', () => {
  it('carries over profile, attributes, state, TOTP and passwords of a single-file export', async () => {
    const { code, records, rejects, notes } = await converted(REALM);
    expect(records).toMatchObject([
      {
        userId: '0f2d1c5e-6a4c-4a58-8a3e-000000000001',
        createdAt: '2020-09-13T12:26:40.000Z',
        // the bytes of Keycloak's secret are the key, in base32
        totpSecret: 'MRBWINDCNVCG4VTGG5TUW2TIONIW22CX',
        userName: 'dorothy',
        profile: { firstName: 'Dorothy', lastName: 'Vaughan', preferredLanguage: 'en' },
        email: { email: 'dorothy@example.org', isEmailVerified: true },
        phone: { phone: '+12125550001', isPhoneVerified: true },
        metadata: { department: 'West Computing', languages: '["FORTRAN","IBM 7090"]' },
      },
      {
        userId: '0f2d1c5e-6a4c-4a58-8a3e-000000000002',
        state: 'inactive',
        userName: 'mary.jackson',
        email: { email: 'mary@example.org' },
      },
      { userName: 'wernher', profile: { firstName: 'wernher', lastName: 'wernher' } },
    ]);
    expect(records.map(hashOf).map((hash) => hash.slice(0, hash.lastIndexOf('$')))).toEqual([
      `$pbkdf2-sha256$27500$${SALT}==`,
      `$pbkdf2$20000$${SALT}==`,
      `$argon2id$v=19$m=7168,t=5,p=1$${SALT}`,
    ]);
    expect(rejects).toEqual([
      expect.stringMatching(/^line \d+: skipped: a service account/),
      expect.stringMatching(/^line \d+: rejected: the password is hashed by an algorithm that is none of/),
    ]);
    expect(notes).toEqual({
      'group memberships are not carried over': 1,
      'roles are not carried over': 1,
      'the link to google is lost: --idp google=<id of the provider here> keeps it': 2,
      'the link to acme-saml is lost: --idp acme-saml=<id of the provider here> keeps it': 1,
    });
    expect(code).toBe(1);
  });

  it('writes hashes that open for the old passwords', async () => {
    const { records } = await converted(REALM);
    const [sha256, sha1, argon2] = records.map(hashOf);
    expect(await verifies(sha256 ?? '', 'Orbit-Decay-1961')).toBe(true);
    expect(await verifies(sha1 ?? '', 'Heat-Shield-1962')).toBe(true);
    expect(await verifies(argon2 ?? '', 'Redstone-1951')).toBe(true);
    expect(await verifies(argon2 ?? '', 'Redstone-1952')).toBe(false);
  });

  it('reads a directory of users files, and says which file a record is of', async () => {
    const { records, rejects } = await converted(['keycloak', '--realm', fixture('keycloak/export')]);
    expect(records.map(({ userName }) => userName)).toEqual(['katherine', 'annie']);
    expect(await verifies(hashOf(records[0]), 'Trajectory-1962')).toBe(true);
    expect(rejects).toEqual([
      expect.stringMatching(/^acme-users-1\.json, line \d+: rejected: the user has no e-mail/),
    ]);
  });

  it('counts the users files, ten after nine', async () => {
    await inDirectory(async (directory) => {
      for (let number = 0; number <= 10; number += 1) {
        const users = [{ username: `user-${number}`, enabled: true, email: `user-${number}@example.org` }];
        await writeFile(path.join(directory, `acme-users-${number}.json`), JSON.stringify({ users }));
      }
      const { records } = await converted(['keycloak', '--realm', directory]);
      expect(records.map(({ userName }) => userName)).toEqual(
        Array.from({ length: 11 }, (_, number) => `user-${number}`),
      );
      await writeFile(path.join(directory, 'other-users-0.json'), '{"users":[]}');
      expect((await identity(['convert', 'keycloak', '--realm', directory])).err).toContain('holds 2 realms');
    });
  });

  it('leaves out what is stored for users of a federation, and says so', async () => {
    await inDirectory(async (directory) => {
      const write = async (name: string, users: readonly object[]) =>
        await writeFile(path.join(directory, name), JSON.stringify({ users }));
      await write('acme-realm.json', []);
      await write('acme-users-0.json', [{ username: 'ada', enabled: true, email: 'ada@example.org' }]);
      await write('acme-federated-users-0.json', [{ id: 'f:1:grace', credentials: [] }]);
      const args = ['keycloak', '--realm', directory];
      const { code, records, err } = await converted(args);
      expect(code).toBe(0);
      expect(records.map(({ userName }) => userName)).toEqual(['ada']);
      expect(err).toContain('stores for users of a federation (<realm>-federated-users-<n>.json)');
      // a realm of that name is one
      await write('acme-federated-realm.json', []);
      expect((await identity(['convert', ...args])).err).toContain('holds 2 realms');
      await rm(path.join(directory, 'acme-realm.json'));
      await rm(path.join(directory, 'acme-users-0.json'));
      await write('acme-federated-users-0.json', [
        { username: 'alan', enabled: true, email: 'alan@example.org' },
      ]);
      expect((await converted(args)).records.map(({ userName }) => userName)).toEqual(['alan']);
    });
  });

  it('refuses a list of realms', async () => {
    const realms = JSON.stringify([{ realm: 'a', users: [{ username: 'x' }] }]);
    const { code, err } = await identity(['convert', 'keycloak', '--realm', '-'], realms);
    expect(code).toBe(1);
    expect(err).toContain('the file is a list of realms');
  });

  it.each([
    [
      'of eight digits, with SHA-256',
      { digits: 8, algorithm: 'HmacSHA256', period: 60 },
      'dCd4bmDnVf7gKjhsQmhW',
      'otpauth://totp/imported?secret=MRBWINDCNVCG4VTGG5TUW2TIONIW22CX&algorithm=SHA256&digits=8&period=60',
    ],
    ['of seven digits', { digits: 7 }, 'dCd4bmDnVf7gKjhsQmhW', undefined],
    ['by counter', { subType: 'hotp' }, 'dCd4bmDnVf7gKjhsQmhW', undefined],
    ['in base32 already', { secretEncoding: 'BASE32' }, 'JBSWY3DPEHPK3PXP', 'JBSWY3DPEHPK3PXP'],
  ])(
    'carries a second factor over when apps know how to make its codes: %s',
    async (_name, settings, value, expected) => {
      const credential = {
        type: 'otp',
        secretData: JSON.stringify({ value }),
        credentialData: JSON.stringify({
          subType: 'totp',
          digits: 6,
          period: 30,
          algorithm: 'HmacSHA1',
          ...settings,
        }),
      };
      const users = [{ username: 'ada', email: 'ada@example.org', credentials: [credential] }];
      const { records, notes } = await converted(['keycloak', '--realm', '-'], JSON.stringify({ users }));
      expect(records[0]?.['totpSecret']).toBe(expected);
      expect(notes).toEqual(
        expected === undefined ? { 'a second factor that cannot be carried over': 1 } : {},
      );
    },
  );
});
