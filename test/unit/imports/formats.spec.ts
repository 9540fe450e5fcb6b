import { createHash } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as zlib from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { AMBIGUOUS_CODE, CsvReader, recoveryCodesOf } from '../../../src/domain/imports/formats/csv.js';
import { DataOrgsReader } from '../../../src/domain/imports/formats/data-orgs.js';
import { readGoDuration } from '../../../src/domain/imports/formats/go-duration.js';
import { NdjsonReader } from '../../../src/domain/imports/formats/ndjson.js';
import {
  LONGEST_RECORD,
  SourceError,
  type SourceReader,
  type SourceRecord,
} from '../../../src/domain/imports/formats/source-record.js';
import { canUnpack, unpack, withoutMark } from '../../../src/domain/imports/formats/unpack.js';
import { keepMetadata } from '../../../src/domain/imports/records/metadata-item.js';
import { importedHashes } from '../../support/imported-hashes.js';
import { ZSTD_FRAME, ZSTD_TEXT } from '../../support/zstd-sample.js';

/** Everything that a reader makes of a file which comes in pieces of some size. */
function readIn<Out>(make: () => SourceReader<Out>, file: string | Buffer, size: number): Out[] {
  const bytes = Buffer.from(file);
  const reader = make();
  const found: Out[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...reader.write(bytes.subarray(at, at + size)));
  return [...found, ...reader.end()];
}

/** The same wherever the file is cut. */
function readAll<Out>(make: () => SourceReader<Out>, file: string | Buffer): Out[] {
  const whole = readIn(make, file, Number.MAX_SAFE_INTEGER);
  if (Buffer.byteLength(file) < 10_000) {
    for (const size of [1, 2, 3, 7]) expect(readIn(make, file, size)).toEqual(whole);
  }
  return whole;
}

const ndjson = (file: string | Buffer): SourceRecord[] => readAll(() => new NdjsonReader(), file);
const csv = (file: string | Buffer): SourceRecord[] => readAll(() => new CsvReader(), file);
const dataOrgs = (file: string | Buffer) => readAll(() => new DataOrgsReader(keepMetadata), file);

function parsed({ line, json, fault }: SourceRecord): unknown {
  return json === undefined ? { line, fault } : { line, value: JSON.parse(json) as unknown };
}

function refusal(read: () => unknown): { reason: string; text: string } {
  try {
    read();
  } catch (error) {
    if (error instanceof SourceError) return { reason: error.reason, text: error.text };
    throw error;
  }
  throw new Error('the file was accepted');
}

describe('NDJSON', () => {
  it('is taken line by line, as it is', () => {
    expect(ndjson('{"a":1}\r\n\n  \t\n{"b": "ü\\n"}\nnot json\n{"c":3}')).toEqual([
      { line: 1, json: '{"a":1}\r' },
      { line: 4, json: '{"b": "ü\\n"}' },
      { line: 5, json: 'not json' },
      { line: 6, json: '{"c":3}' },
    ]);
    expect(ndjson('')).toEqual([]);
  });

  it('has one bad record for a line that is too long or no UTF-8', () => {
    const long = `{"a":"${'x'.repeat(LONGEST_RECORD)}"}`;
    const file = Buffer.concat([
      Buffer.from(`{"a":1}\n${long}\n{"b":"`),
      Buffer.from([0xff]),
      Buffer.from('"}\n{}'),
    ]);
    const [first, second, third, fourth] = readIn(() => new NdjsonReader(), file, 65_536);
    expect([first?.json, fourth?.json]).toEqual(['{"a":1}', '{}']);
    expect([second, third].map((record) => [record?.line, record?.fault?.message])).toEqual([
      [2, 'the record is longer than 1 MiB'],
      [3, 'the record is not UTF-8'],
    ]);
    const longest = `"${'x'.repeat(LONGEST_RECORD - 2)}"`;
    expect(readIn(() => new NdjsonReader(), longest, 65_536)[0]?.json?.length).toBe(LONGEST_RECORD);
  });

  it('is incomplete when its last line is cut off', () => {
    expect(refusal(() => ndjson('{"a":1}\n{"b":')).reason).toBe('source_incomplete');
  });
});

describe('a record that comes a byte at a time', () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };

  it.each([
    ['NDJSON', () => new NdjsonReader()],
    ['CSV', () => new CsvReader()],
    ['dataOrgs', () => new DataOrgsReader(keepMetadata)],
  ] as const)('is held as its bytes: %s', (_, make) => {
    const reader = make();
    const before = heap();
    // a text that is never closed
    reader.write(Buffer.from('{"dataOrgs":{"orgs":[{"humanUsers":["'));
    for (let n = 0; n < 500_000; n += 1) reader.write(Buffer.from('x'));
    expect(heap() - before).toBeLessThan(16 * 1024 * 1024);
    // lives until here
    expect(reader.write(Buffer.from('x'))).toEqual([]);
  });

  it('is whole, wherever it is cut', () => {
    const text = `${JSON.stringify({ userName: 'ä'.repeat(3_000) })}\n`;
    for (const size of [1, 2, 3, 1_000, 4_096]) {
      const reader = new NdjsonReader();
      const bytes = Buffer.from(text.repeat(3));
      const records = [];
      for (let at = 0; at < bytes.length; at += size)
        records.push(...reader.write(bytes.subarray(at, at + size)));
      expect([...records, ...reader.end()].map(({ json }) => `${json}\n`)).toEqual([text, text, text]);
    }
  });
});

describe('CSV', () => {
  it('has the columns of its header, by path, in snake_case, or by a short name', () => {
    const file =
      'userName,profile.first_name,Last Name,email,email_verified,gender,metadata.Cost Centre,password_hash\r\n' +
      'anna,Anna,Muster,anna@example.ch,TRUE,female,"12,3",$2b$10$x\r\n' +
      '\r\n,,,,,,,\r\n' +
      '"b""ob", Bob ,"Mu\r\nster",bob@example.ch,0,,,';
    expect(csv(file).map(parsed)).toEqual([
      {
        line: 2,
        value: {
          userName: 'anna',
          profile: { firstName: 'Anna', lastName: 'Muster', gender: 'GENDER_FEMALE' },
          email: { email: 'anna@example.ch', isEmailVerified: true },
          metadata: { 'Cost Centre': '12,3' },
          hashedPassword: { value: '$2b$10$x' },
        },
      },
      {
        line: 5,
        value: {
          userName: 'b"ob',
          profile: { firstName: ' Bob ', lastName: 'Mu\r\nster' },
          email: { email: 'bob@example.ch', isEmailVerified: false },
        },
      },
    ]);
  });

  it('has lists in a cell, between blanks or bars; recovery codes are told from hashes', () => {
    const hash = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$aGFzaA';
    const file = `userName,recovery_codes,codeFactors\nanna,"abcd-efgh| 1234 5678  ${hash}",sms|email\nbob,,\n`;
    expect(csv(file).map(parsed)).toEqual([
      {
        line: 2,
        value: {
          userName: 'anna',
          recoveryCodes: [{ raw: 'abcd-efgh' }, { raw: '1234' }, { raw: '5678' }, { hash }],
          codeFactors: ['sms', 'email'],
        },
      },
      { line: 3, value: { userName: 'bob' } },
    ]);
  });

  it('S445: takes no hash for a code: not one of any scheme, nor a bare digest', () => {
    expect(importedHashes.length).toBeGreaterThan(40);
    for (const { encoded } of importedHashes) {
      expect(recoveryCodesOf([encoded])).toEqual([{ hash: encoded }]);
    }
    for (const [digest, bits] of [
      ['md5', 128],
      ['sha1', 160],
      ['sha256', 256],
    ] as const) {
      const hex = createHash(digest).update('abcd-efgh').digest('hex');
      expect(hex).toHaveLength(bits / 4);
      const fault = { code: 'invalid', path: 'recoveryCodes', message: AMBIGUOUS_CODE };
      const short = createHash(digest).update('abcd-efgh').digest('base64url');
      for (const cell of [hex, hex.toUpperCase(), `1234 ${hex}`, ...(bits > 128 ? [short] : [])]) {
        expect(csv(`userName,recovery_codes\nanna,${cell}\n`)).toEqual([{ line: 2, fault }]);
      }
    }
  });

  it.each([
    'abcd-efgh',
    'b7f3-09ac-11de-8c3f-ab12-34cd-77ee',
    '550e8400-e29b-41d4-a716-446655440000',
    'A1B2C3D4E5F6G7H8I9J0K1L2',
  ])('takes %s for a recovery code', (code) => {
    expect(recoveryCodesOf([code])).toEqual([{ raw: code }]);
  });

  it('S160: never shifts a column, whatever a cell contains', () => {
    const header = 'userName,displayName,state\n';
    const fault = (line: number, message: unknown) => ({ line, fault: { code: 'malformed', message } });
    const quote = expect.stringContaining('quote') as unknown;
    const rows = [
      ['u1,"Evil\\",locked",active', fault(2, quote)],
      ['u1,"Evil\\"",locked",active', fault(2, expect.stringContaining('columns') as unknown) && undefined],
      ['u1,5" disk,active', fault(2, quote)],
      ['u1,"a"b,active', fault(2, quote)],
      ['u1,a,b,active', fault(2, 'the row has 4 columns and the header 3')],
      ['u1,active', fault(2, 'the row has 2 columns and the header 3')],
      ['u1,"a"\r,active', fault(2, quote)],
    ] as const;
    for (const [row, expected] of rows) {
      const [record, next] = csv(`${header}${row}\nu2,ok,active\n`).map(parsed);
      if (expected !== undefined) expect(record).toEqual(expected);
      expect(next).toEqual({
        line: 3,
        value: { userName: 'u2', profile: { displayName: 'ok' }, state: 'active' },
      });
    }
    // these are characters like any other
    for (const name of ['Evil\\', '\\"', 'a\0b', 'a\0,b', '=1+1', 'x\ny', '"', ',', '\r']) {
      const row = ['u1', name, 'active'].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
      expect(csv(`${header}${row}\n`).map(parsed)).toEqual([
        { line: 2, value: { userName: 'u1', profile: { displayName: name }, state: 'active' } },
      ]);
    }
  });

  it('reads flags as flags, or not at all', () => {
    expect(csv('email_verified\nyes\n')).toEqual([
      {
        line: 2,
        fault: {
          code: 'invalid',
          path: 'email.isEmailVerified',
          message: 'email.isEmailVerified must be true or false',
        },
      },
    ]);
  });

  it('takes no prototype for a column', () => {
    const [record] = csv('userName,metadata.__proto__\nanna,x\n');
    expect(record?.json).toBe('{"userName":"anna","metadata":{"__proto__":"x"}}');
  });

  it.each([
    ['', 'header'],
    ['userName,shoeSize\n', 'column 2 of the header is unknown: "shoeSize"'],
    ['userName,user_name\n', 'column "userName" is in the header twice'],
    ['userName;email\n', 'separated by commas'],
    ['__proto__\n', 'unknown'],
    ['"userName\n', 'never closed'],
    ['a"b,c\n', 'cannot be read'],
  ])('is refused as a whole for the header %j', (file, text) => {
    expect(refusal(() => csv(file)).text).toContain(text);
  });

  it('is incomplete when its last row is cut off', () => {
    expect(refusal(() => csv('userName,email\nanna,"an')).reason).toBe('source_incomplete');
    expect(refusal(() => csv('userName,email\nanna,a@b.ch\nbo')).reason).toBe('source_incomplete');
  });

  it('counts lines within quotes, and a row too long as one', () => {
    const file = `userName\n"a\nb"\n"${'x'.repeat(LONGEST_RECORD)}"\nc\n`;
    const records = readIn(() => new CsvReader(), file, 65_536);
    expect(records.map(({ line, fault }) => [line, fault?.message])).toEqual([
      [2, undefined],
      [4, 'the record is longer than 1 MiB'],
      [5, undefined],
    ]);
  });
});

describe('dataOrgs', () => {
  const user = (id: string) => `{"userId": "${id}", "user": {"userName": "${id}}]\\""}}`;

  it('gives humans and service users, with their organization', () => {
    const file = `{
      "timeout": "30m0s",
      "dataOrgs": {"orgs": [
        {"orgId": "o1", "humanUsers": [${user('a')}, ${user('b')}], "machineUsers": [{"userId":"m"}]},
        {"human_users": [${user('c')}], "org_id": "o2", "machine_users": [${user('d')}]},
        {"humanUsers": [${user('e')}]},
        {}
      ]}
    }`;
    expect(dataOrgs(file)).toEqual([
      {
        kind: 'record',
        record: { line: 1, json: `{"orgId":"o1","humanUser":${user('a')}}` },
        orgAhead: false,
      },
      {
        kind: 'record',
        record: { line: 2, json: `{"orgId":"o1","humanUser":${user('b')}}` },
        orgAhead: false,
      },
      {
        kind: 'record',
        record: { line: 3, json: '{"orgId":"o1","machineUser":{"userId":"m"}}' },
        orgAhead: false,
      },
      { kind: 'record', record: { line: 4, json: `{"humanUser":${user('c')}}` }, orgAhead: true },
      { kind: 'org', orgId: 'o2' },
      {
        kind: 'record',
        record: { line: 5, json: `{"orgId":"o2","machineUser":${user('d')}}` },
        orgAhead: false,
      },
      { kind: 'record', record: { line: 6, json: `{"humanUser":${user('e')}}` }, orgAhead: true },
      { kind: 'org', orgId: undefined },
    ]);
  });

  it('reports what it does not import, each by its place', () => {
    const file =
      '{"dataOrgs":{"orgs":[{"orgId":"o","org":{"name":"x"},"projects":[{"projectId":"p"},1],"idps":[],' +
      '"orgState":0,"a\\nb":"x"},7],"more":1},"comment":"hi","nothing":null}';
    const paths = dataOrgs(file).map((found) => found.kind === 'record' && found.record.fault?.path);
    expect(paths).toEqual([
      'dataOrgs.orgs[0].org',
      'dataOrgs.orgs[0].projects[0]',
      'dataOrgs.orgs[0].projects[1]',
      'dataOrgs.orgs[0].a?b',
      'dataOrgs.orgs[1]',
      'dataOrgs.more',
      'comment',
    ]);
  });

  it('leaves a bad element to be the one bad record', () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    const long = `{"x":"${'x'.repeat(LONGEST_RECORD)}"}`;
    const file = `{"dataOrgs":{"orgs":[{"orgId":"o","humanUsers":[{a:1},${deep},${long},true,"}]",{}]}]}}`;
    const records = readIn(() => new DataOrgsReader(keepMetadata), file, 65_536).map(
      (found) => found.kind === 'record' && found.record,
    );
    expect(records.map((record) => record && (record.json ?? record.fault?.message))).toEqual([
      '{"orgId":"o","humanUser":{a:1}}',
      'the record is nested deeper than 64 levels',
      'the record is longer than 1 MiB',
      '{"orgId":"o","humanUser":true}',
      '{"orgId":"o","humanUser":"}]"}',
      '{"orgId":"o","humanUser":{}}',
    ]);
  });

  it.each([
    ['', 'empty'],
    ['[]', 'must be a JSON object'],
    ['{"timeout":"1m"}', 'no list dataOrgs.orgs'],
    ['{"dataOrgs":{"orgs":[{"humanUsers":[{}]}]}} x', 'not valid JSON at byte 45'],
    ['{"dataOrgs" {}}', 'not valid JSON at byte 13'],
    ['{"dataOrgs":{"orgs":[{}}}', 'not valid JSON'],
    ['{"a":1,}', 'not valid JSON'],
    ['{"a":}', 'not valid JSON'],
    ['{"\\x":1}', 'not valid JSON'],
    ['{"dataOrgs":{"orgs":[{"humanUsers":[{},]}]}}', 'not valid JSON'],
    ['{"dataOrgs":{"orgs":[{"orgId":"a b"}]}}', 'dataOrgs.orgs[0].orgId must be'],
    ['{"dataOrgs":{"orgs":[{"orgId":7}]}}', 'dataOrgs.orgs[0].orgId must be'],
    ['{"dataOrgs":{"orgs":[{"orgId":"a","org_id":"b"}]}}', 'org_id" is given twice'],
    ['{"timeout":"-1s"}', 'timeout must be'],
    ['{"timeout":5}', 'timeout must be'],
  ])('is refused as a whole: %s', (file, text) => {
    const { reason, text: found } = refusal(() => dataOrgs(file));
    expect([reason, found]).toEqual(['source_unreadable', expect.stringContaining(text)]);
  });

  it('is incomplete wherever it is cut off', () => {
    const file = `{"timeout":"1m","dataOrgs":{"orgs":[{"orgId":"o","humanUsers":[${user('a')}]}]}}`;
    for (let end = 1; end < file.length; end += 1) {
      expect(
        refusal(() => readIn(() => new DataOrgsReader(keepMetadata), file.slice(0, end), 1000)).reason,
      ).toBe('source_incomplete');
    }
  });
});

describe('a timeout', () => {
  it.each([
    ['30m', 1_800_000],
    ['30m0s', 1_800_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['250ms', 250],
  ])('%s is a duration', (text, milliseconds) => {
    expect(readGoDuration(text)).toBe(milliseconds);
  });

  // S166
  it.each(['', '0s', '-1s', '1e9h', '30', 'm', '1 m', '1d', '9'.repeat(400) + 'h', 'NaNs'])(
    '%s is none',
    (text) => {
      expect(readGoDuration(text)).toBeUndefined();
    },
  );
});

async function collect(pieces: AsyncIterable<Buffer>): Promise<string> {
  const found: Buffer[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found).toString();
}

async function refusedAs(pieces: AsyncIterable<Buffer>): Promise<string | undefined> {
  try {
    await collect(pieces);
  } catch (error) {
    if (error instanceof SourceError) return error.reason;
    throw error;
  }
  return undefined;
}

function piecesOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
}

describe('unpacking', () => {
  const limits = { mostBytes: 200_000_000 };
  const text = '{"userName":"anna"}\n'.repeat(1000);

  it('gives what was packed', async () => {
    const packed = Buffer.concat([zlib.gzipSync(text), zlib.gzipSync('the end')]);
    expect(await collect(unpack(Readable.from([packed]), 'gzip', limits))).toBe(`${text}the end`);
    expect(await collect(unpack(Readable.from([Buffer.from(text)]), 'identity', limits))).toBe(text);
  });

  it('tells a file that is cut off from one that is broken', async () => {
    const packed = zlib.gzipSync(text);
    for (const end of [5, 40, packed.length - 1]) {
      const cut = Readable.from([packed.subarray(0, end)]);
      expect(await refusedAs(unpack(cut, 'gzip', limits))).toBe('source_incomplete');
    }
    expect(await refusedAs(unpack(Readable.from([Buffer.from(text)]), 'gzip', limits))).toBe(
      'source_unreadable',
    );
  });

  it('stops at a file that unpacks to far more than it should', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(100 * 1024 * 1024));
    expect(await refusedAs(unpack(Readable.from([bomb]), 'gzip', limits))).toBe('source_unreadable');
    const small = { mostBytes: text.length - 1 };
    expect(await refusedAs(unpack(Readable.from([zlib.gzipSync(text)]), 'gzip', small))).toBe(
      'source_unreadable',
    );
    const just = { mostBytes: text.length };
    expect(await refusedAs(unpack(Readable.from([zlib.gzipSync(text)]), 'gzip', just))).toBeUndefined();
  });

  it('unpacks zstd where this Node can, frame by frame to the very end, and says so where it cannot', async () => {
    const zstd = (packed: Buffer, size = packed.length) =>
      unpack(Readable.from(piecesOf(packed, size)), 'zstd', limits);
    expect(canUnpack('zstd')).toBe('createZstdDecompress' in zlib);
    if (!canUnpack('zstd')) {
      expect(await refusedAs(zstd(ZSTD_FRAME))).toBe('source_unreadable');
      return;
    }
    // a frame that readers skip stands between two that hold text
    const file = Buffer.concat([ZSTD_FRAME, Buffer.from('5e2a4d1803000000abcdef', 'hex'), ZSTD_FRAME]);
    for (const size of [1, 2, 7, 1000]) expect(await collect(zstd(file, size))).toBe(ZSTD_TEXT.repeat(2));
    for (let end = 1; end < file.length; end += 1) {
      // where one of the parts ends the file could end as well
      if (end === ZSTD_FRAME.length || end === ZSTD_FRAME.length + 11) continue;
      expect(await refusedAs(zstd(file.subarray(0, end)))).toBe('source_incomplete');
    }
    const damaged = Buffer.from(ZSTD_FRAME);
    damaged.writeUInt8(damaged.readUInt8(20) ^ 1, 20);
    expect(await refusedAs(zstd(damaged))).toBe('source_unreadable');
    expect(await refusedAs(zstd(Buffer.from('not packed at all')))).toBe('source_unreadable');
    expect(await refusedAs(zstd(Buffer.concat([ZSTD_FRAME, Buffer.from('more text')])))).toBe(
      'source_unreadable',
    );
    // frames without anything in them cost time, too
    const nothing = (times: number) =>
      Buffer.concat([ZSTD_FRAME, Buffer.alloc(8 * times, '502a4d1800000000', 'hex')]);
    expect(await collect(zstd(nothing(99_999)))).toBe(ZSTD_TEXT);
    expect(await refusedAs(zstd(nothing(100_000)))).toBe('source_unreadable');
    // so do blocks: one frame with two million of them, and the end of the last
    const blocks = Buffer.concat([
      Buffer.from('28b52ffd0000', 'hex'),
      Buffer.alloc(6_000_000),
      Buffer.from('010000', 'hex'),
    ]);
    const turns = vi.spyOn(Writable.prototype, 'write');
    expect(await collect(zstd(blocks, 65_536))).toBe('');
    expect(turns.mock.calls.length).toBeLessThan(1_000);
    turns.mockRestore();
    const endless = Buffer.concat([Buffer.from('502a4d18ffffff7f', 'hex'), Buffer.alloc(2_000_000)]);
    const small = unpack(Readable.from(piecesOf(endless, 65_536)), 'zstd', { mostBytes: 1_000 });
    expect(await refusedAs(small)).toBe('source_unreadable');
  });

  it('leaves the source open, so that its sender can be answered', async () => {
    const source = Readable.from(Array.from({ length: 1000 }, () => Buffer.alloc(65_536)));
    await refusedAs(unpack(source, 'gzip', limits));
    expect(source.destroyed).toBe(false);
  });

  it('takes the byte order mark away, and no UTF-16', async () => {
    const bytes = Buffer.from('\ufeff{}');
    for (const size of [1, 2, 5]) {
      expect(await collect(withoutMark(Readable.from(piecesOf(bytes, size))))).toBe('{}');
    }
    expect(await collect(withoutMark(Readable.from([Buffer.from('a')])))).toBe('a');
    expect(await refusedAs(withoutMark(Readable.from([Buffer.from('\ufeffabc', 'utf16le')])))).toBe(
      'source_unreadable',
    );
  });
});
