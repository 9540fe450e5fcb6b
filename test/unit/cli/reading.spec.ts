import { describe, expect, it } from 'vitest';
import { csvRecords } from '../../../src/cli/convert/reading/csv-records.js';
import { jsonElements } from '../../../src/cli/convert/reading/json-elements.js';
import { jsonRecords } from '../../../src/cli/convert/reading/json-records.js';
import type { SourceRecord } from '../../../src/cli/convert/reading/source-record.js';
import { OperationFailed } from '../../../src/cli/shell/exit.js';
import { LONGEST_RECORD } from '../../../src/domain/imports/formats/source-record.js';

async function* chunksOf(text: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<Value>(records: AsyncIterable<SourceRecord<Value>>) {
  const found: { line: number; value?: unknown; fault?: string }[] = [];
  for await (const { place, ...record } of records) found.push({ ...place, ...record });
  return found;
}

const DOCUMENT = `{
  "a": {"users": [1, "]"]}, "x": "users", "b": [["users"]], "users\\u0022": [9],
  "users" : [ {"name": "a \\"quoted\\" ] }, \\\\"},
    {"list": [[1], {"deep": [2]}]}, 7, "é😀", null,
    {"broken": nope}, [], {}
  ],
  "users": ["a second list"], "after": [{}]
}`;

const ELEMENTS = [
  { line: 3, value: { name: 'a "quoted" ] }, \\' } },
  { line: 4, value: { list: [[1], { deep: [2] }] } },
  { line: 4, value: 7 },
  { line: 4, value: 'é😀' },
  { line: 4, value: null },
  { line: 5, fault: 'the record is not valid JSON' },
  { line: 5, value: [] },
  { line: 5, value: {} },
];

describe('a JSON document, streamed', () => {
  it('gives the elements of the list under a key, wherever the chunks end', async () => {
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      expect(await all(jsonElements(chunksOf(DOCUMENT, size), 'users', 'file'))).toEqual(ELEMENTS);
    }
  });

  it('gives the elements of a document that is a list', async () => {
    const text = '[{"users":[1]},\n2 ,"x"]\n';
    expect(await all(jsonElements(chunksOf(text, 2), 'users', 'file'))).toEqual([
      { line: 1, value: { users: [1] } },
      { line: 2, value: 2 },
      { line: 2, value: 'x' },
    ]);
    expect(await all(jsonElements(chunksOf('[]', 1), 'users', 'file'))).toEqual([]);
  });

  it('takes what stands between two commas for one element, and forgives commas too many and text behind', async () => {
    const text = '{"a": 1,, "users": [{"x":1} {"y":2}, ,3 4,"5",],} and more, [6]';
    for (const size of [1, 2, 5, 100]) {
      expect(await all(jsonElements(chunksOf(text, size), 'users', 'file'))).toEqual([
        { line: 1, fault: 'the record is not valid JSON' },
        { line: 1, fault: 'the record is not valid JSON' },
        { line: 1, value: '5' },
      ]);
    }
  });

  it('says where an object stops being one, and of which file', async () => {
    await expect(all(jsonElements(chunksOf('{"users" [1]}', 3), 'users', 'file'))).rejects.toThrow(
      'file: the file is not valid JSON at byte 10',
    );
  });

  it('refuses half a document and one without the list', async () => {
    const half = DOCUMENT.slice(0, DOCUMENT.indexOf('null'));
    await expect(all(jsonElements(chunksOf(half, 64), 'users', 'file'))).rejects.toThrow(
      'file ends in the middle: it is not the whole export',
    );
    await expect(all(jsonElements(chunksOf('{"x":1}', 64), 'users', 'file'))).rejects.toThrow(
      OperationFailed,
    );
    await expect(all(jsonElements(chunksOf('a,b\n1,2\n', 64), 'users', 'file'))).rejects.toThrow(
      OperationFailed,
    );
  });

  it('rejects an element over the limit and holds none of it', async () => {
    const largest = `"${'x'.repeat(LONGEST_RECORD - 2)}"`;
    const text = `[1,${largest},"${'x'.repeat(LONGEST_RECORD - 1)}",2]`;
    const found = await all(jsonElements(chunksOf(text, 60_000), 'users', 'file'));
    expect(found.map(({ value, fault }) => fault ?? String(value).length)).toEqual([
      1,
      LONGEST_RECORD - 2,
      `the record is larger than ${LONGEST_RECORD} bytes`,
      1,
    ]);
  });
});

describe('NDJSON', () => {
  it('loses a damaged or too long line only, the first one too', async () => {
    const long = `{"x":"${'x'.repeat(LONGEST_RECORD)}"}`;
    const text = `{"a":1,}\r\n\r\n{"a":"é"}\n${long}\n{"a":3}`;
    for (const size of [1000, 300_000]) {
      expect(await all(jsonRecords(chunksOf(text, size), 'users', 'file'))).toEqual([
        { line: 1, fault: 'the record is not valid JSON' },
        { line: 3, value: { a: 'é' } },
        { line: 4, fault: `the record is larger than ${LONGEST_RECORD} bytes` },
        { line: 5, value: { a: 3 } },
      ]);
    }
  });

  it('refuses an empty file', async () => {
    await expect(all(jsonRecords(chunksOf(' \n\n', 1), 'users', 'file'))).rejects.toThrow('file is empty');
  });
});

describe('CSV (RFC 4180)', () => {
  const read = (text: string, size = 5) => all(csvRecords(chunksOf(text, size)));

  it('reads quotes, delimiters and line breaks in cells, and tells the line a row begins on', async () => {
    const text = '\uFEFFname,note\r\n"a ""b"", c","x\r\ny"\r\n\r\nd,"=1+1"\r\ne,@SUM(1)\r\n';
    expect(await read(text)).toEqual([
      { line: 2, value: { name: 'a "b", c', note: 'x\r\ny' } },
      { line: 5, value: { name: 'd', note: '=1+1' } },
      { line: 6, value: { name: 'e', note: '@SUM(1)' } },
    ]);
  });

  it('S160: what a user wrote about themselves never becomes a column', async () => {
    const names = [
      'x\\",admin,"y',
      'x\\',
      '\\"',
      'a\0b',
      "',admin,'",
      '"',
      '""',
      ',admin,',
      '\n1,admin,1\n',
      '\\N',
    ];
    const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    const text = `id,name,role\n${names.map((name, id) => `${id},${quoted(name)},user\n`).join('')}`;
    for (const size of [1, 4, 1000]) {
      const found = await read(text, size);
      expect(found.map(({ value }) => value)).toEqual(
        names.map((name, id) => ({ id: `${id}`, name, role: 'user' })),
      );
    }
  });

  it('rejects a row whose cells are too few or too many, and one with a stray quote', async () => {
    expect(await read('a,b\n1\n1,2,3\n1,x"y\n1,2\n')).toEqual([
      { line: 2, fault: 'the row has 1 cells where the header has 2' },
      { line: 3, fault: 'the row has 3 cells where the header has 2' },
      { line: 4, fault: 'a cell with a quote in it must be quoted itself (RFC 4180)' },
      { line: 5, value: { a: '1', b: '2' } },
    ]);
  });

  it.each([
    ['a quote that is never closed', 'a,b\n1,"x\n2,y\n3,z\n'],
    ['a quoted cell with more after it', 'a,b\n1,"x"y\n2,z\n'],
    ['a cell without an end', `a,b\n1,"${'x'.repeat(LONGEST_RECORD + 1)}\n2,z\n`],
  ])('stops at %s: where rows begin would be a guess', async (_name, text) => {
    await expect(read(text, 1000)).rejects.toThrow(
      /^line \d+: a quoted cell is not closed as RFC 4180 has it/,
    );
  });

  it('takes any character for a delimiter, wherever the chunks end', async () => {
    const text = 'a¦b¦c¦d¦e\n1¦ç¦"¦"""¦¤¦"x"\n1¦x"¦3¦4¦5\n';
    for (const size of [1, 2, 3, 100]) {
      expect(await all(csvRecords(chunksOf(text, size), { delimiter: '¦' }))).toEqual([
        { line: 2, value: { a: '1', b: 'ç', c: '¦"', d: '¤', e: 'x' } },
        { line: 3, fault: 'a cell with a quote in it must be quoted itself (RFC 4180)' },
      ]);
    }
    await expect(all(csvRecords(chunksOf('a¦b\n"x"¤¦y\n', 4), { delimiter: '¦' }))).rejects.toThrow(
      'line 2: a quoted cell is not closed',
    );
  });

  it('reads UTF-16 with its mark', async () => {
    const file = Buffer.from('\uFEFFa,b\r\n"é, x",😀\r\n', 'utf16le');
    for (const size of [1, 2, 3, 100]) {
      expect(await all(csvRecords(chunksOf(file, size)))).toEqual([
        { line: 2, value: { a: 'é, x', b: '😀' } },
      ]);
    }
  });

  it('rejects a row that is too long, and no other', async () => {
    const long = `1,"${'x'.repeat(LONGEST_RECORD)}"`;
    const file = `a,b\n${long}\n2,z\n`;
    expect(await all(csvRecords(chunksOf(file, 60_000)))).toEqual([
      { line: 2, fault: 'the record is longer than 1 MiB' },
      { line: 3, value: { a: '2', b: 'z' } },
    ]);
  });

  it('refuses a header with a name twice and a file without one', async () => {
    await expect(read('a,b,a\n1,2,3\n')).rejects.toThrow('the CSV header names "a" twice');
    await expect(read('')).rejects.toThrow('the CSV file is empty');
  });

  it('takes any column name for a name', async () => {
    const [row] = await read('__proto__,constructor\nx,y\n');
    expect(Object.entries(row?.value as object)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});
