import { describe, expect, it } from 'vitest';
import { verifies } from './support/passwords.js';
import { converted, fixture, hashOf, identity } from './support/run-cli.js';

const CONFIG = ['--hash-config', fixture('firebase/hash_config.txt')];
const JSON_EXPORT = ['firebase', '--users', fixture('firebase/users.json'), ...CONFIG];
const CSV_EXPORT = ['firebase', '--users', fixture('firebase/users.csv'), ...CONFIG];
const SIGNER_KEY = 'YW4gaW52ZW50ZWQgc2lnbmVyIGtleSwgc2l4dHktZm91ciBieXRlcyBsb25nLCBvZiBubyBvbmUgYXQgYWxsIQ==';

const HEDY = {
  userId: 'fb0000000000000000000000001',
  createdAt: '2020-09-13T12:26:40.000Z',
  userName: 'hedy@example.org',
  profile: {
    firstName: 'Hedy',
    lastName: 'Lamarr',
    displayName: 'Hedy Lamarr',
    picture: 'https://img.example/hedy.png',
  },
  email: { email: 'hedy@example.org', isEmailVerified: true },
  phone: { phone: '+431234567890', isPhoneVerified: true },
  metadata: { customAttributes: '{"admin":true}' },
};

describe('identity convert firebase', () => {
  it.each([
    ['JSON', JSON_EXPORT, 'George'],
    ['CSV', CSV_EXPORT, 'George, the other'],
  ])(
    "carries over profile, phone, claims and the password with its project's parameters: %s",
    async (...row) => {
      const [, args, george] = row;
      const { code, records, notes } = await converted(args);
      expect(records).toMatchObject([
        HEDY,
        {
          userId: 'fb0000000000000000000000002',
          state: 'inactive',
          profile: { displayName: george },
          email: { email: 'george@example.org' },
        },
      ]);
      const value = hashOf(records[0]);
      expect(value).toBe(
        '$firescrypt$ln=14,r=8,p=1$ZmlyZWJhc2UtczE$CmdfHzpivd5ZdgaWyAiZeyoCwPyMudLejaegD06dYsyYea6elZdjoCPrM0+ynnKwjTJdaU0RmqBJM3ajQKk9vw' +
          `$Bw$${SIGNER_KEY.replace('==', '')}`,
      );
      expect(await verifies(value, 'Hedy-Hopping-1942')).toBe(true);
      expect(await verifies(value, 'Hedy-Hopping-1943')).toBe(false);
      expect(notes).toEqual({
        'the link to google.com is lost: --idp google.com=<id of the provider here> keeps it': 1,
      });
      expect(code).toBe(1);
    },
  );

  it('loses one user of a CSV whose names Firebase did not quote, not those after it', async () => {
    const { rejects } = await converted(CSV_EXPORT);
    expect(rejects).toEqual([
      'line 2: rejected: the line is not valid CSV: a quote in a name? Export as JSON instead',
      'line 4: rejected: the user has no e-mail address, which every user must have',
    ]);
  });

  it('takes the parameters as options, too', async () => {
    const users = ['--users', fixture('firebase/users.json')];
    const parameters = [
      '--hash-key',
      SIGNER_KEY,
      '--salt-separator',
      'Bw==',
      '--rounds',
      '8',
      '--mem-cost',
      '14',
    ];
    const given = await converted(['firebase', ...users, ...parameters]);
    expect(given.records).toEqual((await converted(JSON_EXPORT)).records);
  });

  it('wants the parameters, or to be told that passwords stay behind', async () => {
    const users = ['convert', 'firebase', '--users', fixture('firebase/users.json')];
    const without = await identity(users);
    expect(without.code).toBe(2);
    expect(without.err).toContain('--hash-config FILE, or --passwords drop');
    const { records } = await converted([...users.slice(1), '--passwords', 'drop']);
    expect(records.map((record) => 'hashedPassword' in record)).toEqual([false, false]);
    for (const wrong of [
      ['--hash-key', '%%'],
      ['--hash-key', SIGNER_KEY, '--rounds', '9'],
    ]) {
      const { code, err } = await identity([...users, ...wrong]);
      expect(code).toBe(2);
      expect(err).not.toContain(SIGNER_KEY);
    }
  });
});
