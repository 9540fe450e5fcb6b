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
      'line 2: rejected: the line is not valid CSV: a quote in a name? export as JSON instead (firebase auth:export users.json --format=json)',
      'line 4: rejected: the user has no e-mail address, which every user must have',
    ]);
  });

  describe('S444: a CSV in which users write what Firebase does not quote', () => {
    /** As firebase-tools writes a user: commas alone make it quote a name, and nothing is doubled. */
    const line = (cells: Readonly<Record<number, string>>) => {
      const row = Array.from({ length: 28 }, (_, index) => cells[index] ?? '');
      for (const index of [5, 9, 13, 17, 21]) if (row[index]?.includes(',')) row[index] = `"${row[index]}"`;
      return `${row.join(',')},\n`;
    };
    const user = (id: string, more: Readonly<Record<number, string>> = {}) =>
      line({ 0: id, 1: `${id}@example.org`, 2: 'true', 23: '1600000000000', 24: '1600000000000', ...more });
    const CSV = ['firebase', '--users', '-', '--input-format', 'csv', '--passwords', 'drop'];
    const run = async (...lines: string[]) =>
      await converted([...CSV, '--idp', 'google.com=1', '--idp', 'facebook.com=2'], lines.join(''));
    const links = (records: Record<string, unknown>[]) =>
      records.flatMap(({ userId, idps = [] }) =>
        (idps as { externalUserId: string }[]).map(({ externalUserId }) => [userId, externalUserId]),
      );

    it.each([
      ['a quote and commas in a name', { 5: 'A","https://p.test/x","110169484474386276334' }],
      [
        'names that are quoted by a comma',
        { 5: 'A,B",https://p.test/x,110169484474386276334,e@x.test,"C,D' },
      ],
      ['commas in a picture', { 6: 'https://p.test/x,110169484474386276334,e@x.test' }],
      ['a quote at the end', { 5: 'A,b"', 9: ',https://p.test/x,110169484474386276334,e@x.test,"C,D' }],
      ['a name that is a quote', { 5: '"', 9: ',https://p.test/x,110169484474386276334,e@x.test,"C,D' }],
      ['one cell more', { 5: 'A","' }],
    ])('links nobody to an account that is named by %s', async (_name, cells) => {
      const { records, rejects } = await run(
        user('u1'),
        user('u2', cells),
        user('u3', { 7: '112', 9: 'X, Y' }),
      );
      expect(links(records)).toEqual([['u3', '112']]);
      expect(records.map(({ userId }) => userId)).toEqual(['u1', 'u3']);
      expect(rejects).toHaveLength(1);
      expect(rejects[0]).toMatch(/^line 2: rejected: .*export as JSON instead/);
    });

    it.each([
      ['in a name', user('u2', { 5: 'A\nB' }), 'line 2 has 6 cells'],
      ['in a quoted name', user('u2', { 5: `A,\n${user('victim')}` }), 'line 2 ends within a cell'],
      ['in a picture', user('u2', { 6: `x\n${user('victim')}` }), 'line 2 has 7 cells'],
    ])('stops at a line break %s, behind which a user may be forged', async (_name, forged, told) => {
      const { code, out, err } = await identity(['convert', ...CSV], user('u1') + forged);
      expect([code, out.includes('victim')]).toEqual([1, false]);
      expect(err).toContain(told);
      expect(err).toContain('export as JSON instead');
    });

    it('reads names with a comma, claims, and the shorter lines of older versions', async () => {
      const claims = user('u1', { 5: 'Lovelace, Ada', 7: '111', 27: '"{""admin"":true}"' });
      const { records, err } = await run(claims);
      expect(records).toMatchObject([
        { profile: { displayName: 'Lovelace, Ada' }, metadata: { customAttributes: '{"admin":true}' } },
      ]);
      expect(links(records)).toEqual([['u1', '111']]);
      expect(err).toContain('Take JSON.');
      const older = user('u1').replace(/,,\n$/, ',\n');
      expect((await run(older, older)).records).toHaveLength(2);
    });
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
