import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHumanRecord } from '../../../src/domain/imports/records/human-record.js';
import { readImportRecord } from '../../../src/domain/imports/records/import-record.js';
import { fixture, identity, inDirectory, readJson } from './support/run-cli.js';

interface DataOrgs {
  readonly dataOrgs: {
    readonly orgs: readonly {
      readonly orgId: string;
      readonly humanUsers: readonly { userId?: string; user: Record<string, unknown>; state?: string }[];
      readonly userMetadata?: readonly { id: string; key: string; value: string }[];
    }[];
  };
  readonly timeout: string;
}

const AUTH0 = [
  'auth0',
  '--users',
  fixture('auth0/users.ndjson'),
  '--passwords',
  fixture('auth0/passwords.ndjson'),
];
const CSV = ['csv', '--users', fixture('csv/people.csv'), '--mapping', fixture('csv/mapping.json')];

/** Every fixture, with as many users as it has. */
const EXPORTS: readonly (readonly [string, readonly string[], number])[] = [
  ['auth0', AUTH0, 5],
  ['keycloak', ['keycloak', '--realm', fixture('keycloak/acme-realm.json')], 3],
  [
    'keycloak with its providers',
    ['keycloak', '--realm', fixture('keycloak/acme-realm.json'), '--idp', 'google=1', '--idp', 'acme-saml=2'],
    3,
  ],
  [
    'firebase',
    [
      'firebase',
      '--users',
      fixture('firebase/users.json'),
      '--hash-config',
      fixture('firebase/hash_config.txt'),
    ],
    2,
  ],
  ['okta', ['okta', '--users', fixture('okta/users.csv')], 3],
  ['cognito', ['cognito', '--users', fixture('cognito/users.csv')], 2],
  ['wordpress', ['wordpress', '--users', fixture('wordpress/users.csv')], 3],
  ['csv', CSV, 1],
];

async function dataOrgs(args: readonly string[], ...more: string[]): Promise<DataOrgs> {
  const { out } = await identity(['convert', ...args, '--format', 'dataorgs', '--org', '123', ...more]);
  return JSON.parse(out) as DataOrgs;
}

describe('the format dataorgs', () => {
  it.each(EXPORTS)('of %s passes the reader of the import', async (_name, args, users) => {
    const { dataOrgs: written, timeout } = await dataOrgs(args);
    expect(timeout).toBe('30m0s');
    const [org, ...others] = written.orgs;
    expect(others).toEqual([]);
    expect(org?.orgId).toBe('123');
    expect(org?.humanUsers).toHaveLength(users);
    for (const element of org?.humanUsers ?? []) {
      const { user } = element;
      // only a bulk import takes a TOTP secret
      const { otpCode: _otpCode, ...record } = user;
      const read = readHumanRecord(record);
      expect(readImportRecord({ humanUser: element }, Date.now())).toMatchObject({
        human: { userName: read.userName },
      });
      expect(read.userName).toBe(user['userName']);
      expect(read.email.address).toBe((user['email'] as { email: string }).email);
    }
  });

  it('has metadata beside the users, the TOTP secret as otpCode and the state by its name', async () => {
    const [org] = (await dataOrgs(AUTH0)).dataOrgs.orgs;
    expect(org?.humanUsers.map(({ state }) => state)).toEqual([
      undefined,
      undefined,
      'USER_STATE_INACTIVE',
      undefined,
      undefined,
    ]);
    expect(org?.humanUsers.at(-1)).toEqual({
      userId: 'auth0|5f7c8ec7c33c6c004bbafe07',
      user: {
        userName: 'katherine@example.org',
        profile: { firstName: 'Katherine', lastName: 'Johnson' },
        email: { email: 'katherine@example.org', isEmailVerified: true },
        otpCode: 'JBSWY3DPEHPK3PXP',
      },
    });
    const metadata = org?.userMetadata?.map(({ id, key, value }) => [
      id,
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]);
    expect(metadata).toEqual([
      ['auth0|5f7c8ec7c33c6c004bbafe01', 'newsletter', 'true'],
      ['auth0|5f7c8ec7c33c6c004bbafe01', 'plan', "=cmd|' /C calc'!A0"],
      ['auth0|5f7c8ec7c33c6c004bbafe01', 'app_metadata.roles', '["admin","author"]'],
      ['auth0|5f7c8ec7c33c6c004bbafe03', 'phone_number', '0171 5551234'],
    ]);
  });

  it('tells what it has no place for', async () => {
    const { err } = await identity(['convert', ...AUTH0, '--format', 'dataorgs', '--org', '123']);
    expect(err).toContain('2 users: the format dataorgs has no place for createdAt');
    expect(err).toContain('1 user: the format dataorgs has no place for profile.picture');
  });

  it('says the same with --multiline, and as many minutes as it is told', async () => {
    const told = ['--format', 'dataorgs', '--org', '123', '--multiline', '--timeout', '90m'];
    const multiline = await identity(['convert', ...AUTH0, ...told]);
    expect(multiline.out.split('\n').length).toBeGreaterThan(50);
    const { dataOrgs: written, timeout } = JSON.parse(multiline.out) as DataOrgs;
    expect(written).toEqual((await dataOrgs(AUTH0)).dataOrgs);
    expect(timeout).toBe('1h30m0s');
  });

  it('begins a new element for each run of an organization', async () => {
    await inDirectory(async (directory) => {
      const mapping = path.join(directory, 'mapping.json');
      const mail = ['email.email', 'userName', 'profile.firstName', 'profile.lastName'];
      await writeFile(
        mapping,
        JSON.stringify({ columns: { org: 'orgId', id: 'userId', mail, m: 'metadata.m' } }),
      );
      const csv = 'org,id,mail,m\n1,a,a@x.org,\n1,b,b@x.org,é\n2,c,c@x.org,\n1,d,d@x.org,z\n';
      const { out, code } = await identity(
        ['convert', 'csv', '--users', '-', '--mapping', mapping, '--format', 'dataorgs'],
        csv,
      );
      expect(code).toBe(0);
      const { orgs } = (JSON.parse(out) as DataOrgs).dataOrgs;
      expect(orgs.map(({ orgId, humanUsers }) => [orgId, humanUsers.map(({ userId }) => userId)])).toEqual([
        ['1', ['a', 'b']],
        ['2', ['c']],
        ['1', ['d']],
      ]);
      expect(orgs.map(({ userMetadata }) => userMetadata)).toEqual([
        [{ id: 'b', key: 'm', value: Buffer.from('é').toString('base64') }],
        undefined,
        [{ id: 'd', key: 'm', value: 'eg==' }],
      ]);
    });
  });

  it.each([
    ['without an organization', ['--format', 'dataorgs'], '--format dataorgs needs --org'],
    [
      'for a time that is none',
      ['--format', 'dataorgs', '--org', '1', '--timeout=-1s'],
      '--timeout is a duration',
    ],
    ['for no time', ['--format', 'dataorgs', '--org', '1', '--timeout', '0m'], '--timeout is a duration'],
  ])('is refused %s', async (_name, args, message) => {
    const { code, err } = await identity(['convert', ...AUTH0, ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('of an empty export is valid', async () => {
    const empty = await identity(
      ['convert', 'keycloak', '--realm', '-', '--format', 'dataorgs', '--org', '1'],
      '{"users":[]}',
    );
    expect(empty.code).toBe(0);
    expect(JSON.parse(empty.out)).toEqual({ dataOrgs: { orgs: [] }, timeout: '30m0s' });
  });
});

describe('the format ndjson', () => {
  it.each(EXPORTS)('of %s passes the reader of the bulk import', async (_name, args, users) => {
    const { out } = await identity(['convert', ...args, '--org', '123']);
    const records = out
      .trimEnd()
      .split('\n')
      .map((line) => readImportRecord(JSON.parse(line), Date.now()));
    expect(records.map(({ kind, orgId }) => ({ kind, orgId }))).toEqual(
      Array.from({ length: users }, () => ({ kind: 'human', orgId: '123' })),
    );
  });
});

describe('an optional field that the import refuses', () => {
  const user = {
    user_id: 'auth0|1',
    email: 'a@example.org',
    picture: '//cdn.example/a.png',
    nickname: 'x'.repeat(201),
    created_at: '2999-01-01T00:00:00.000Z',
  };

  it('becomes metadata and does not cost the user', async () => {
    const { code, out, err } = await identity(['convert', 'auth0', '--users', '-'], JSON.stringify(user));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      userId: 'auth0|1',
      userName: 'a@example.org',
      profile: { firstName: 'a@example.org', lastName: 'a@example.org' },
      email: { email: 'a@example.org' },
      metadata: { picture: '//cdn.example/a.png', nickName: 'x'.repeat(201) },
    });
    expect(err).toContain('1 user: profile.picture is not what the import takes, kept as metadata "picture"');
    expect(err).toContain('1 user: createdAt is not in the past: left out');
  });

  it('costs the record where a mapping put it there', async () => {
    await inDirectory(async (directory) => {
      const mapping = path.join(directory, 'mapping.json');
      const mail = ['email.email', 'userName', 'profile.firstName', 'profile.lastName'];
      await writeFile(mapping, JSON.stringify({ columns: { mail, pic: 'profile.picture' } }));
      const args = ['convert', 'csv', '--users', '-', '--mapping', mapping];
      const { code, out, err } = await identity(
        args,
        'mail,pic\na@x.org,no-url\nb@x.org,https://x.org/b.png\n',
      );
      expect(code).toBe(1);
      expect(out.trimEnd().split('\n')).toHaveLength(1);
      expect(err).toMatch(/line 2: rejected: .*picture/);
    });
  });
});

describe('output files', () => {
  it('are their owner’s alone and whole; rejects go beside them', async () => {
    await inDirectory(async (directory) => {
      const output = path.join(directory, 'users.ndjson');
      const { code, out, err } = await identity(['convert', ...AUTH0, '--output', output, '--json']);
      expect(code).toBe(1);
      expect(err).toBe('');
      expect(JSON.parse(out)).toMatchObject({
        read: 7,
        converted: 5,
        rejected: 2,
        skipped: 0,
        withPassword: 3,
        rejects: `${output}.rejects`,
      });
      expect((await stat(output)).mode & 0o777).toBe(0o600);
      expect((await readFile(output, 'utf8')).trimEnd().split('\n')).toHaveLength(5);
      const rejects = (await readFile(`${output}.rejects`, 'utf8')).trimEnd().split('\n');
      expect(rejects.map((line) => JSON.parse(line) as unknown)).toEqual([
        {
          line: 5,
          outcome: 'rejected',
          reason: 'the user has no e-mail address, which every user must have',
        },
        { line: 6, outcome: 'rejected', reason: 'the record is not valid JSON' },
      ]);
      expect((await readdir(directory)).sort()).toEqual(['users.ndjson', 'users.ndjson.rejects']);
    });
  });

  it('do not appear when the export ends in the middle', async () => {
    await inDirectory(async (directory) => {
      const output = path.join(directory, 'users.json');
      const half = '{"users":[{"username":"a","enabled":true,"email":"a@example.org"},{"username":"b"';
      const args = ['convert', 'keycloak', '--realm', '-', '--output', output];
      const { code, err } = await identity(args, half);
      expect(code).toBe(1);
      expect(err).toContain('ends in the middle');
      expect(await readdir(directory)).toEqual([]);
    });
  });

  it('leave the exit code at 0 with --lenient', async () => {
    expect((await identity(['convert', ...AUTH0, '--lenient'])).code).toBe(0);
  });

  it('hold no text that was not UTF-8', async () => {
    const latin1 = Buffer.from(
      'login,email,firstName\nrené,rene@example.org,René\nada,ada@example.org,Ada\n',
      'latin1',
    );
    const { out, err } = await identity(['convert', 'okta', '--users', '-'], latin1);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(err).toContain('line 2: rejected: the record holds bytes that are not UTF-8');
  });

  it('never show a value of a rejected record', async () => {
    const secret = 'hunter2-in-a-damaged-line';
    const users = `{"email":"a@example.org","password_hash":"$2b$99$${secret}"}\n{"email":"${secret}\n`;
    const { err } = await identity(['convert', 'auth0', '--users', '-'], users);
    expect(err).toContain('Read 2 records');
    expect(err).not.toContain(secret);
  });
});

describe('a file', () => {
  it('that is not there is told without a stack', async () => {
    const { code, err } = await identity(['convert', 'okta', '--users', '/nowhere/users.csv']);
    expect(code).toBe(1);
    expect(err).toBe('identity convert okta: cannot read /nowhere/users.csv: there is no such file\n');
  });

  it('that cannot be written is told, too', async () => {
    const { code, err } = await identity(['convert', ...AUTH0, '--output', '/nowhere/users.ndjson']);
    expect(code).toBe(1);
    expect(err).toContain('cannot write /nowhere/users.ndjson');
  });

  it('of a format that it does not know is refused before anything is read', async () => {
    const { code, err } = await identity(['convert', 'okta', '--users', '/nowhere', '--format', 'xml']);
    expect(code).toBe(2);
    expect(err).toContain("'--format <format>' argument is invalid. Allowed choices are ndjson, dataorgs.");
  });
});

it('reads back what it wrote', async () => {
  await inDirectory(async (directory) => {
    const output = path.join(directory, 'body.json');
    await identity(['convert', ...AUTH0, '--format', 'dataorgs', '--org', '123', '--output', output]);
    expect(await readJson(output)).toEqual(await dataOrgs(AUTH0));
  });
});
