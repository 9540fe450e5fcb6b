import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { converted, fixture, identity, inDirectory } from './support/run-cli.js';

async function withMapping(mapping: unknown, csv: string) {
  return inDirectory(async (directory) => {
    const file = path.join(directory, 'mapping.json');
    await writeFile(file, JSON.stringify(mapping));
    return identity(['convert', 'csv', '--users', '-', '--mapping', file, '--json'], csv);
  });
}

describe('identity convert csv', () => {
  it('maps columns to fields with transforms and constants', async () => {
    const { code, records, rejects, notes } = await converted([
      'csv',
      '--users',
      fixture('csv/people.csv'),
      '--mapping',
      fixture('csv/mapping.json'),
    ]);
    expect(records).toEqual([
      {
        userId: 'K-1',
        state: 'active',
        createdAt: '2020-01-02T00:00:00.000Z',
        userName: 'maria@example.org',
        profile: { firstName: 'Maria', lastName: 'Sibylla Merian', preferredLanguage: 'de' },
        email: { email: 'maria@example.org', isEmailVerified: true },
        metadata: { tags: '["insects","plants"]' },
        hashedPassword: { value: '$2b$10$WUPfJUvtbkTqWULjJR.uKOgThhBjSQFzBL8Bd3OHj9thshbg5Xt7i' },
      },
    ]);
    expect(rejects).toEqual([
      expect.stringMatching(/^line 3: rejected: .*LastName/),
      'line 4: rejected: a cell to be read as bool is neither true nor false',
      'line 5: rejected: userId must be 1 to 200 printable ASCII characters without blanks',
    ]);
    expect(notes).toEqual({ 'column "Notiz" is not mapped': 1 });
    expect(code).toBe(1);
  });

  it('S374 lets no word of a file steer the terminal', async () => {
    const steering = '\u001b[2J\u009b2J\u202eevil';
    const convert = (csv: string, columns: object) =>
      inDirectory(async (directory) => {
        const file = path.join(directory, 'mapping.json');
        await writeFile(file, JSON.stringify({ columns }));
        return identity(['convert', 'csv', '--users', '-', '--mapping', file], csv);
      });
    const columns = { mail: ['email.email', 'userName', 'profile.firstName', 'profile.lastName'] };
    for (const { err } of [
      await convert(`mail,${steering}\na@example.org,x\n`, columns),
      await convert(`mail,${steering},${steering}\na@example.org,x,y\n`, columns),
      await convert('mail\na@example.org\n', { ...columns, [steering]: 'profile.nickName' }),
      await convert('mail\na@example.org\n', { mail: steering }),
    ]) {
      expect(err).toContain('evil');
      // all but the ends of lines
      expect(err).not.toMatch(/[\p{Cf}]|(?!\n)\p{Cc}/u);
    }
  });

  it('has recovery codes and where codes are sent to, in one cell each', async () => {
    const columns = {
      mail: ['email.email', 'userName', 'profile.firstName', 'profile.lastName'],
      codes: 'recoveryCodes',
      factors: { field: 'codeFactors', transforms: [{ split: ';' }] },
    };
    const { out } = await withMapping({ columns }, 'mail,codes,factors\na@example.org,ab-cd ef-gh,email\n');
    expect(JSON.parse(out)).toMatchObject({
      recoveryCodes: [{ raw: 'ab-cd' }, { raw: 'ef-gh' }],
      codeFactors: ['email'],
    });
  });

  it('S445: rejects a recovery code that may be the digest of one', async () => {
    const columns = {
      mail: ['email.email', 'userName', 'profile.firstName', 'profile.lastName'],
      codes: 'recoveryCodes',
    };
    const md5 = '5f4dcc3b5aa765d61d8327deb882cf99';
    const { out, err } = await withMapping({ columns }, `mail,codes\na@example.org,${md5}\n`);
    expect(out).toBe('');
    expect(err).toContain('may be the digest of one');
  });

  it('lets each row say its organization', async () => {
    const columns = {
      org: 'orgId',
      mail: ['email.email', 'userName', 'profile.firstName', 'profile.lastName'],
    };
    const { out } = await withMapping({ columns }, 'org,mail\n1,a@example.org\n2,b@example.org\n');
    const orgs = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { orgId: string }).orgId);
    expect(orgs).toEqual(['1', '2']);
  });

  it.each([
    ['no columns', {}, 'the mapping has no "columns"'],
    ['an unknown key', { columns: {}, colums: {} }, 'the mapping has the unknown field "colums"'],
    ['an unknown field', { columns: { a: 'profile.firstname' } }, 'unknown field "profile.firstname"'],
    ['a prototype for a field', { columns: { a: '__proto__.x' } }, 'unknown field "__proto__.x"'],
    ['a field twice', { columns: { a: 'userName', b: 'userName' } }, 'gives the field "userName" twice'],
    [
      'an unknown transform',
      { columns: { a: { field: 'userName', transforms: ['rot13'] } } },
      'a transform is trim',
    ],
    [
      'a split by nothing',
      { columns: { a: { field: 'userName', transforms: [{ split: '' }] } } },
      'a transform is',
    ],
    [
      'a constant that is no text',
      { columns: {}, constants: { userName: 1 } },
      'must be text, true or false',
    ],
  ])('refuses a mapping with %s', async (_name, mapping, message) => {
    const { code, err } = await withMapping(mapping, 'a,b\n1,2\n');
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('refuses a file that lacks a mapped column', async () => {
    const { code, err } = await withMapping({ columns: { a: 'userName', c: 'email.email' } }, 'a,b\n1,2\n');
    expect(code).toBe(1);
    expect(err).toContain('lacks the mapped column "c"');
  });
});
