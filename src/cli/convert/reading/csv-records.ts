import { CsvRows, type CsvRow as Row } from '../../../domain/imports/formats/csv-rows.js';
import { SourceError } from '../../../domain/imports/formats/source-record.js';
import { withoutMark } from '../../../domain/imports/formats/unpack.js';
import { prepended } from '../../files/bytes-of.js';
import { OperationFailed } from '../../shell/exit.js';
import type { SourceRecord } from './source-record.js';

/** A row by the names of the header; every column is there, empty cells too. */
export type CsvRow = Readonly<Record<string, string>>;

interface CsvForm {
  /** `,` by default. */
  readonly delimiter?: string | undefined;
  /** The header must have one of these, in any case: a file without is another file. */
  readonly oneOf?: readonly string[];
}

/**
 * Rows of a CSV file with a header (RFC 4180), cut as the import itself cuts them. A row whose cells do not fit the
 * header is a fault of its own: were they taken as they come, a quote in a display name would push what follows into
 * other columns (security S160). Nothing of a cell is touched: a leading `=` is somebody's text (S161).
 *
 * @throws OperationFailed if a quoted cell does not end as it must: from there on it is unknown where rows begin,
 *   and a guess could make columns of what a user wrote about themselves
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  { delimiter, oneOf = [] }: CsvForm = {},
): AsyncGenerator<SourceRecord<CsvRow>> {
  let columns: readonly string[] | undefined;
  for await (const row of rowsOf(chunks, delimiter)) {
    if (row.strayQuote === 'closing') throw unclosed(row.line);
    if (columns === undefined) columns = readHeader(row, oneOf);
    else yield recordOf(columns, row);
  }
  if (columns === undefined) throw new OperationFailed('the CSV file is empty: it has no header row');
}

async function* rowsOf(chunks: AsyncIterable<Buffer>, delimiter?: string): AsyncGenerator<Row> {
  const rows = new CsvRows(delimiter, lenientText);
  for await (const chunk of inUtf8(chunks)) yield* rows.write(chunk);
  try {
    yield* rows.end();
  } catch (error) {
    throw error instanceof SourceError ? unclosed(rows.rowLine) : error;
  }
}

/** What is no UTF-8 costs a record only where it is carried over (`require-importable.ts`). */
export function lenientText(bytes: Buffer): string {
  return bytes.toString('utf8');
}

function unclosed(line: number): OperationFailed {
  const text = `line ${line}: a quoted cell is not closed as RFC 4180 has it, and what follows cannot be read`;
  return new OperationFailed(`${text}; correct it and run again`);
}

/** Spreadsheets also write UTF-16, with a byte order mark. */
async function* inUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const rest = chunks[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    head = Buffer.concat([head, next.value]);
    if (head.length >= 2) break;
  }
  const all = prepended(head, rest);
  if (!head.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]))) {
    yield* withoutMark(all);
    return;
  }
  const decoder = new TextDecoder('utf-16le');
  for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

function readHeader({ cells, fault }: Row, oneOf: readonly string[]): string[] {
  if (cells === undefined) throw new OperationFailed(`the CSV header cannot be read: ${fault?.message}`);
  const names = cells.map((cell) => cell.trim());
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) throw new OperationFailed(`the CSV header names "${twice}" twice`);
  const lowerCase = new Set(names.map((name) => name.toLowerCase()));
  if (oneOf.length > 0 && !oneOf.some((name) => lowerCase.has(name.toLowerCase()))) {
    throw new OperationFailed(`the CSV header has none of the columns ${oneOf.join(', ')}`);
  }
  return names;
}

function recordOf(columns: readonly string[], { line, cells, fault, strayQuote }: Row): SourceRecord<CsvRow> {
  const place = { line };
  if (strayQuote !== undefined)
    return { place, fault: 'a cell with a quote in it must be quoted itself (RFC 4180)' };
  if (cells === undefined) return { place, fault: fault?.message ?? '' };
  if (cells.length !== columns.length) {
    return { place, fault: `the row has ${cells.length} cells where the header has ${columns.length}` };
  }
  // no prototype: a column may have any name
  const row = Object.create(null) as Record<string, string>;
  for (const [index, name] of columns.entries()) row[name] = cells[index] ?? '';
  return { place, value: row };
}
