// SQL by hand: COPY, which TypeORM does not support
import type pg from 'pg';

type CopyValue = string | number | boolean | null | Buffer | Date;

/** Rows for one table in the text format of COPY, by far the cheapest for the server. */
export interface CopyTable {
  readonly table: string;
  readonly columns: readonly string[];
  readonly lines: readonly string[];
}

const SPECIAL = /[\\\b\f\n\r\t\v]/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** One row: values between tabs, with everything escaped that could end one (security S160). */
export function copyLine(values: readonly CopyValue[]): string {
  let line = '';
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) line += '\t';
    line += textOf(values[index] ?? null);
  }
  return line;
}

function textOf(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') {
    return SPECIAL.test(value) ? value.replace(/[\\\b\f\n\r\t\v]/g, (one) => ESCAPES[one] ?? one) : value;
  }
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (value instanceof Date) return value.toISOString();
  return `\\\\x${value.toString('hex')}`;
}

/** Methods of pg's connection that a custom query may use. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * Several COPY … FROM STDIN in one query: one round trip for all tables of a chunk. Implements pg's `Submittable`, as its cursor and stream
 * packages do.
 */
export class CopyQuery {
  /** pg puts its time-out around this. */
  callback: (error: Error | null) => void;
  readonly done: Promise<void>;
  private readonly waiting: CopyTable[];
  private readonly text: string;

  constructor(tables: readonly CopyTable[]) {
    this.waiting = tables.filter(({ lines }) => lines.length > 0);
    this.text = this.waiting
      .map(({ table, columns }) => `COPY ${table} (${columns.join(', ')}) FROM STDIN`)
      .join('; ');
    let settle: (error: Error | null) => void = () => undefined;
    this.done = new Promise((resolve, reject) => {
      settle = (error) => (error === null ? resolve() : reject(error));
    });
    this.callback = settle;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  submit(connection: CopyConnection): void {
    connection.query(this.text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    const lines = this.waiting.shift()?.lines ?? [];
    connection.sendCopyFromChunk(Buffer.from(`${lines.join('\n')}\n`));
    connection.endCopyFrom();
  }

  /** The next query waits in pg until the server is ready again. */
  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleCommandComplete(): void {
    // one for each table; the last is followed by ReadyForQuery
  }

  handleEmptyQuery(): void {
    // never: nothing is sent when there are no rows
  }

  handleRowDescription(): void {
    // COPY … FROM gives no rows
  }

  handleDataRow(): void {
    // as above
  }
}

/** A cast, since pg's types only accept its own queries. */
export function submitCopy(client: pg.PoolClient, query: CopyQuery): void {
  client.query(query as unknown as pg.Submittable);
}
