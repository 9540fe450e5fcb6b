import { Readable } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { LONGEST_RECORD } from '../../../domain/import/formats/source-record.js';
import { OperationFailed } from '../../shell/exit.js';
import type { Place, SourceRecord } from './source-record.js';

/** A row by the names of the header; every column is there, empty cells too. */
export type CsvRow = Readonly<Record<string, string>>;

export interface CsvForm {
  /** `,` unless told otherwise. */
  readonly delimiter?: string | undefined;
  /** The header must have one of these, in any case: a file without is another file. */
  readonly oneOf?: readonly string[];
}

interface Row {
  readonly info: Info;
  readonly record: string[];
}

/**
 * Rows of a CSV file with a header (RFC 4180). A row whose cells do not fit the header is a fault of its own: were they
 * taken as they come, a quote in a display name would push what follows into other columns (security.md S160). Nothing
 * of a cell is touched: a leading `=` is somebody's text (S161).
 *
 * @throws OperationFailed where a quoted cell does not end as it must: from there on nobody can tell where rows begin,
 *   and a guess could make columns of what a user wrote about themselves
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  { delimiter = ',', oneOf = [] }: CsvForm = {},
): AsyncGenerator<SourceRecord<CsvRow>> {
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: LONGEST_RECORD,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
  });
  const faults: SourceRecord<CsvRow>[] = [];
  parser.on('skip', (error: CsvError) => {
    const line = typeof error['lines'] === 'number' ? error['lines'] : 1;
    if (error.code === 'INVALID_OPENING_QUOTE') {
      faults.push({ place: { line }, fault: 'a cell with a quote in it must be quoted itself (RFC 4180)' });
    } else {
      const text = `line ${line}: a quoted cell is not closed as RFC 4180 has it, and what follows cannot be read`;
      parser.destroy(new OperationFailed(`${text}; correct it and run again`));
    }
  });
  const source = Readable.from(chunks, { objectMode: false });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  const lines = new LineCount();
  let columns: readonly string[] | undefined;
  for await (const { info, record } of parser as AsyncIterable<Row>) {
    const line = lines.startOf(info, record);
    // rows wait in the parser for a while, faults do not
    while (faults[0] !== undefined && faults[0].place.line < line) yield* faults.splice(0, 1);
    if (columns === undefined) columns = readHeader(record, oneOf);
    else yield rowOf(columns, record, { line });
  }
  yield* faults;
  if (columns === undefined) throw new OperationFailed('the CSV file is empty: it has no header row');
}

/** The parser tells the line on which a row ends, and counts CR and LF within a cell as a line each. */
class LineCount {
  private tooMany = 0;

  startOf(info: Info, cells: readonly string[]): number {
    let feeds = 0;
    let returns = 0;
    for (const cell of cells) {
      feeds += cell.split('\n').length - 1;
      returns += cell.split('\r').length - 1;
    }
    const line = info.lines - this.tooMany - feeds - returns;
    this.tooMany += returns;
    return line;
  }
}

function readHeader(cells: readonly string[], oneOf: readonly string[]): string[] {
  const names = cells.map((cell) => cell.trim());
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) throw new OperationFailed(`the CSV header names "${twice}" twice`);
  const lowerCase = new Set(names.map((name) => name.toLowerCase()));
  if (oneOf.length > 0 && !oneOf.some((name) => lowerCase.has(name.toLowerCase()))) {
    throw new OperationFailed(`the CSV header has none of the columns ${oneOf.join(', ')}`);
  }
  return names;
}

function rowOf(columns: readonly string[], cells: readonly string[], place: Place): SourceRecord<CsvRow> {
  if (cells.length !== columns.length) {
    return { place, fault: `the row has ${cells.length} cells where the header has ${columns.length}` };
  }
  // no prototype: a column may have any name
  const row = Object.create(null) as Record<string, string>;
  for (const [index, name] of columns.entries()) row[name] = cells[index] ?? '';
  return { place, value: row };
}
