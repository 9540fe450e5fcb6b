import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  encodingOf,
  formatOf,
  readFile,
  TRIAL_RECORDS,
  type FileSummary,
  type Format,
} from '../../../console/src/imports/read-file.js';

// What the console says of a file of users before it is sent: its records, its columns, and how many mails and SMS would go.

async function look(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<FileSummary | undefined> {
  const format = formatOf(name);
  if (format === undefined) throw new Error(`no format in ${name}`);
  return await readFile(new File([content], name), format, new AbortController().signal);
}

function packed(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(gzipSync(text));
}

it.each([
  ['users.csv', 'csv', undefined],
  ['USERS.CSV.GZ', 'csv', 'gzip'],
  ['users.ndjson', 'ndjson', undefined],
  ['users.jsonl.zst', 'ndjson', 'zstd'],
  ['export.json.gz', 'json', 'gzip'],
  ['users.xlsx', undefined, undefined],
  ['csv', undefined, undefined],
  ['users.gz', undefined, 'gzip'],
] as const)('knows %s by its name', (name, format, encoding) => {
  expect([formatOf(name), encodingOf(name)]).toEqual([format, encoding]);
});

const CSV = [
  '\uFEFFUser name,email,email verified,Phone,phone_verified,password,State,kind,metadata.desk,Shoe size',
  'ada,ada@post.example,true,,,secret,,,,', // signs in and has proven the address: no mail
  'bea,bea@post.example,1,,,,active,,,', // a mail with a link to set a password
  'cleo,cleo@post.example,false,+41790000001,,secret,active,,,', // a mail and an SMS with codes
  'dora,dora@post.example,TRUE,+41790000002,true,secret,initial,,,', // nothing to prove
  'ella,ella@post.example,,+41790000003,,,inactive,,,', // gets nothing
  'fay,fay@post.example,,,,,locked,,,', // gets nothing
  'robot,,,,,,,machine,,',
  '"gina, ""gi""",gina@post.example,,+41790000004,false,,,,"two\r\nlines, and 1""",43',
  '', // no record
].join('\r\n');

const OF_CSV: Partial<FileSummary> = {
  records: 8,
  isEstimate: false,
  withPassword: 3,
  machines: 1,
  // gina; bea and cleo
  mails: { unstated: 1, stated: 2 },
  // gina; cleo
  sms: { unstated: 1, stated: 1 },
  columns: [
    ['User name', 'userName'],
    ['email', 'email.email'],
    ['email verified', 'email.isEmailVerified'],
    ['Phone', 'phone.phone'],
    ['phone_verified', 'phone.isPhoneVerified'],
    ['password', 'password'],
    ['State', 'state'],
    ['kind', 'kind'],
    ['metadata.desk', 'metadata.desk'],
    ['Shoe size', undefined],
  ],
  headRecords: 8,
};

it('counts the rows of CSV, with cells in quotes, and says what each column is', async () => {
  const summary = await look('users.csv', CSV);
  expect(summary).toMatchObject(OF_CSV);
  // sent as they are, for a trial
  expect(summary?.head?.trimEnd()).toBe(CSV.replace('\uFEFF', '').trimEnd());
});

it('counts the same of a packed file', async () => {
  expect(await look('users.csv.gz', packed(CSV))).toEqual(await look('users.csv', CSV));
});

it('counts the same where the lines end in LF, or the last one does not end', async () => {
  const plain = await look('users.csv', CSV);
  const { head: _, ...rest } = plain ?? {};
  expect(await look('users.csv', CSV.replaceAll('\r\n', '\n'))).toMatchObject(rest);
  expect(await look('users.csv', CSV.trimEnd())).toMatchObject(rest);
});

it('finds the end of a row wherever the file is cut into pieces', async () => {
  for (let size = 1; size < 40; size += 1) {
    const bytes = new TextEncoder().encode(CSV);
    const file = new File([bytes], 'users.csv');
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    Object.defineProperty(file, 'stream', { value: () => ReadableStream.from(pieces) });
    expect(await readFile(file, 'csv', new AbortController().signal)).toMatchObject(OF_CSV);
  }
});

it('keeps cells in their columns where the first one is empty and another one is quoted', async () => {
  const text =
    'userId,display name,email,email verified,password\n,"Ada ""Countess""",ada@post.example,true,secret\n';
  expect(await look('users.csv', text)).toMatchObject({
    records: 1,
    withPassword: 1,
    mails: { stated: 0, unstated: 0 },
  });
});

it.each(['', '\r\n\r\n', 'userName,email\r\n'])('counts no record in %j', async (text) => {
  expect(await look('users.csv', text)).toMatchObject({ records: 0, headRecords: 0, withPassword: 0 });
});

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

const human = (changes: object) => ({
  userName: 'ada',
  email: { email: 'ada@post.example', isEmailVerified: true },
  ...changes,
});

it.each<readonly [string, object, Partial<FileSummary>]>([
  ['who can sign in', human({ password: 'x' }), { withPassword: 1, mails: { stated: 0, unstated: 0 } }],
  ['who cannot', human({}), { withPassword: 0, mails: { stated: 0, unstated: 1 } }],
  ['with a hash', human({ hashedPassword: { value: '$2a$1' } }), { withPassword: 1 }],
  ['with an empty hash', human({ hashedPassword: { value: '' } }), { withPassword: 0 }],
  ['with a passkey', human({ passkeys: [{ passwordless: true }] }), { withPassword: 1 }],
  ['with a security key', human({ passkeys: [{ passwordless: false }, null] }), { withPassword: 0 }],
  [
    'whose address is not proven',
    human({ password: 'x', email: { email: 'ada@post.example' } }),
    { mails: { stated: 0, unstated: 1 } },
  ],
  [
    'with an address to be proven, beside the link',
    human({ state: 'initial', email: { email: 'a@post.example', pendingEmail: 'b@post.example' } }),
    { mails: { stated: 2, unstated: 0 } },
  ],
  ['with a number', human({ phone: { phone: '+41790000001' } }), { sms: { stated: 0, unstated: 1 } }],
  [
    'with a proven number',
    human({ phone: { phone: '+41790000001', isPhoneVerified: true } }),
    { sms: { stated: 0, unstated: 0 } },
  ],
  ['who is locked', human({ state: 'locked' }), { mails: { stated: 0, unstated: 0 } }],
  ['that is a service user', { kind: 'machine', name: 'robot' }, { machines: 1 }],
])('says of a record %s what would be sent', async (_, record, expected) => {
  expect(await look('users.ndjson', line(record))).toMatchObject({ records: 1, ...expected });
});

it('goes on over lines that are no records: what is wrong with them is for the service to say', async () => {
  const text = `\uFEFF${line(human({}))}\n{"userName": \nnull\n[]\n"text"\n${line(human({}))}`;
  expect(await look('users.ndjson', text)).toMatchObject({ records: 6, machines: 3, headRecords: 6 });
});

it('has the first thousand for a trial, and counts them all', async () => {
  const lines = Array.from({ length: TRIAL_RECORDS + 500 }, (_, index) =>
    line({ ...human({}), userName: `ada-${index}` }),
  );
  const summary = await look('users.ndjson.gz', packed(lines.join('')));
  expect(summary).toMatchObject({
    records: TRIAL_RECORDS + 500,
    isEstimate: false,
    headRecords: TRIAL_RECORDS,
    mails: { stated: 0, unstated: TRIAL_RECORDS + 500 },
  });
  expect(summary?.head).toBe(lines.slice(0, TRIAL_RECORDS).join(''));
});

it('estimates the rest of a file of which it does not read everything', async () => {
  const piece = new TextEncoder().encode(`${line(human({}))}${' '.repeat(1024 * 1024)}\n`);
  // of 400 such records, no more than 192 MiB are read
  const file = new File([], 'users.ndjson');
  let read = 0;
  function* pieces() {
    for (let count = 0; count < 400; count += 1) {
      read += 1;
      yield piece;
    }
  }
  Object.defineProperty(file, 'size', { value: piece.length * 400 });
  Object.defineProperty(file, 'stream', { value: () => ReadableStream.from(pieces()) });
  const summary = await readFile(file, 'ndjson', new AbortController().signal);
  expect(read).toBeLessThan(210);
  expect(summary?.isEstimate).toBe(true);
  expect(summary?.records).toBeGreaterThan(380);
  expect(summary?.records).toBeLessThan(420);
  expect(summary?.mails).toEqual({ stated: 0, unstated: summary?.records });
});

it('counts the users of an export in one piece, with no first part to try', async () => {
  const orgs = [
    {
      humanUsers: [
        { userId: '1', user: human({ password: 'x' }) },
        { userId: '2', user: human({}) },
      ],
    },
    { humanUsers: [{}], machineUsers: [{ userId: '3', user: { userName: 'robot' } }] },
    {},
  ];
  const summary = await look('export.json', JSON.stringify({ dataOrgs: { orgs } }));
  expect(summary).toMatchObject({
    records: 4,
    withPassword: 1,
    // the robot, and what is no user
    machines: 2,
    mails: { stated: 0, unstated: 1 },
    headRecords: 4,
  });
  expect(summary?.head).toBeUndefined();
});

it.each<readonly [string, string, string | Uint8Array<ArrayBuffer>]>([
  ['that this browser cannot unpack', 'users.ndjson.zst', 'x'],
  ['that is no JSON', 'export.json', '{"dataOrgs":'],
])('says nothing of a file %s', async (_, name, content) => {
  expect(await look(name, content)).toBeUndefined();
});

it('fails where a packed file is none, and where nobody waits any more', async () => {
  await expect(look('users.csv.gz', 'userName\nada\n')).rejects.toThrow();
  const gone = new AbortController();
  gone.abort();
  const format: Format = 'csv';
  await expect(readFile(new File([CSV], 'users.csv'), format, gone.signal)).rejects.toThrow('abort');
});
