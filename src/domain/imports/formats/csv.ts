import type { RecordRecoveryCode } from '../../factors/recovery-codes/recovery-code-hash.js';
import { isEncodedHash } from '../../passwords/schemes/password-schemes.js';
import { readCsvHeader, type CsvColumn } from './csv-columns.js';
import { CsvRows, type CsvRow } from './csv-rows.js';
import { incomplete, unreadable, type SourceReader, type SourceRecord } from './source-record.js';

/** A header row, then a user a row. An empty cell says nothing; a row of empty cells is none. */
export class CsvReader implements SourceReader {
  private readonly rows = new CsvRows();
  private columns: readonly CsvColumn[] | undefined;

  write(piece: Buffer): readonly SourceRecord[] {
    return this.records(this.rows.write(piece));
  }

  end(): readonly SourceRecord[] {
    const records = this.records(this.rows.end());
    if (this.columns === undefined) throw unreadable('the file has no header row');
    return records;
  }

  private records(rows: readonly CsvRow[]): readonly SourceRecord[] {
    const records: SourceRecord[] = [];
    for (const row of rows) {
      if (this.columns === undefined) this.columns = headerOf(row);
      else {
        const record = recordOfRow(row, this.columns);
        if (record !== undefined) records.push(record);
      }
    }
    return records;
  }
}

function headerOf({ line, cells, fault }: CsvRow): readonly CsvColumn[] {
  if (cells === undefined)
    throw unreadable(`the header row in line ${line} cannot be read: ${fault?.message}`);
  return readCsvHeader(cells);
}

function recordOfRow(row: CsvRow, columns: readonly CsvColumn[]): SourceRecord | undefined {
  const { line, cells, fault } = row;
  if (cells === undefined) return { line, ...(fault && { fault }) };
  if (cells.length !== columns.length) {
    if (row.unended && cells.length < columns.length) throw incomplete('its last row is cut off');
    const message = `the row has ${cells.length} columns and the header ${columns.length}`;
    return { line, fault: { code: 'malformed', message } };
  }
  if (cells.every((cell) => cell === '')) return undefined;
  const record: Members = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    if (column.kind === 'codes' && listOf(cell).some(isAmbiguousCode)) {
      return { line, fault: { code: 'invalid', path: column.path.join('.'), message: AMBIGUOUS_CODE } };
    }
    const value = valueOf(cell, column);
    if (value === undefined) {
      const path = column.path.join('.');
      return { line, fault: { code: 'invalid', path, message: `${path} must be true or false` } };
    }
    put(record, column.path, value);
  }
  return { line, json: JSON.stringify(record) };
}

type Value = string | boolean | readonly (string | RecordRecoveryCode)[];

interface Members {
  [name: string]: Value | Members;
}

/** Every path is one of ours but the last step of metadata, which may be called anything, `__proto__` as well. */
function put(record: Members, path: readonly string[], value: Value): void {
  let inner = record;
  for (const name of path.slice(0, -1)) inner = (inner[name] ??= {}) as Members;
  const name = path.at(-1) ?? '';
  if (name === '__proto__') {
    const properties = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(inner, name, properties);
  } else inner[name] = value;
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function valueOf(cell: string, { kind }: CsvColumn): Value | undefined {
  if (kind === 'list') return listOf(cell);
  if (kind === 'codes') return recoveryCodesOf(listOf(cell));
  if (kind === 'flag') return FLAGS.get(cell.trim().toLowerCase());
  if (kind === 'gender' && /^(female|male|diverse)$/i.test(cell)) return `GENDER_${cell.toUpperCase()}`;
  return cell;
}

/** Between blanks or `|`: hashes have commas in them. */
export function listOf(cell: string): readonly string[] {
  return cell.split(/[\s|]+/).filter((entry) => entry !== '');
}

export const AMBIGUOUS_CODE =
  'a recovery code of 27 or more characters may be the digest of one: a record of JSON says which it is';

/** As people write long codes, in groups of one length; no digest is written so. */
const GROUPS = /^(?:[\da-z]{4}(?:-[\da-z]{4})+|[\da-z]{5}(?:-[\da-z]{5})+|[\da-z]{8}(?:-[\da-z]{8})+)$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A digest taken for the code itself would let anybody who has read the stored digest use it as a code. */
export function isAmbiguousCode(code: string): boolean {
  return /^[\w-]{27,}$/.test(code) && !GROUPS.test(code) && !UUID.test(code);
}

/** A code is letters, digits and dashes; some hashes are, too, and none of a known scheme may be taken for a code. */
export function recoveryCodesOf(list: readonly string[]): readonly RecordRecoveryCode[] {
  return list.map((code) => {
    const isHash = isEncodedHash(code) || isAmbiguousCode(code) || /[^\p{L}\p{N}_-]/u.test(code);
    return isHash ? { hash: code } : { raw: code };
  });
}
