import { fieldOfColumn } from './csv-columns.ts';

/**
 * What a file of users holds, read here before anything is sent: how many records, how many of them would be sent a mail
 * or an SMS. It is read once, a piece at a time, and pauses between pieces so that the page stays quick. What is counted is what the
 * service does with new users (docs/imports.md); users who are there already get less.
 */

export type Format = 'ndjson' | 'csv' | 'json';
export type Encoding = 'gzip' | 'zstd';

export interface FileSummary {
  readonly records: number;
  /** Some of the file was not read: all numbers are what the rest would be at the same rate. */
  readonly isEstimate: boolean;
  readonly mails: MailCounts;
  readonly sms: MailCounts;
  readonly withPassword: number;
  readonly machines: number;
  /** Of CSV: the header, and the field that each column fills. */
  readonly columns?: readonly (readonly [name: string, field: string | undefined])[];
  /** Text of the first records, for a trial run; undefined where it takes the whole file. */
  readonly head?: string;
  readonly headRecords: number;
}

/** Of records that say themselves that the user can sign in, and of those that say nothing of it. */
interface MailCounts {
  readonly stated: number;
  readonly unstated: number;
}

export const TRIAL_RECORDS = 1000;
/** Read to the end up to here, unpacked; of more, so much is read and the rest estimated. */
const MOST_BYTES = 192 * 1024 * 1024;
/** `json` is one value, which has to be read as a whole. */
const MOST_JSON_BYTES = 64 * 1024 * 1024;

export function formatOf(name: string): Format | undefined {
  const plain = name.toLowerCase().replace(/\.(gz|zst)$/, '');
  if (/\.(ndjson|jsonl)$/.test(plain)) return 'ndjson';
  if (plain.endsWith('.csv')) return 'csv';
  return plain.endsWith('.json') ? 'json' : undefined;
}

export function encodingOf(name: string): Encoding | undefined {
  if (/\.gz$/i.test(name)) return 'gzip';
  return /\.zst$/i.test(name) ? 'zstd' : undefined;
}

/** What counts of a record. */
interface Counted {
  readonly isMachine?: boolean;
  readonly state?: string | undefined;
  readonly signsIn?: boolean;
  readonly emailVerified?: boolean;
  readonly pendingEmail?: boolean;
  readonly phone?: boolean;
  readonly phoneVerified?: boolean;
}

class Tally {
  records = 0;
  withPassword = 0;
  machines = 0;
  private readonly mails = { stated: 0, unstated: 0 };
  private readonly sms = { stated: 0, unstated: 0 };

  add(record: Counted): void {
    this.records += 1;
    if (record.isMachine === true) {
      this.machines += 1;
      return;
    }
    if (record.signsIn === true) this.withPassword += 1;
    const { state } = record;
    if (state === 'inactive' || state === 'locked') return;
    const kind = state === undefined ? 'unstated' : 'stated';
    if (record.signsIn !== true || record.emailVerified !== true) this.mails[kind] += 1;
    if (record.pendingEmail === true) this.mails[kind] += 1;
    if (record.phone === true && record.phoneVerified !== true) this.sms[kind] += 1;
  }

  /** @param factor of the whole file to what was read */
  summary(factor: number): Omit<FileSummary, 'headRecords'> {
    const whole = (count: number): number => Math.round(count * factor);
    const both = ({ stated, unstated }: MailCounts): MailCounts => ({
      stated: whole(stated),
      unstated: whole(unstated),
    });
    return {
      records: whole(this.records),
      isEstimate: factor > 1,
      withPassword: whole(this.withPassword),
      machines: whole(this.machines),
      mails: both(this.mails),
      sms: both(this.sms),
    };
  }
}

/** What is in a file; undefined where this browser cannot unpack it, or it is too large to look into. */
export async function readFile(
  file: File,
  format: Format,
  signal: AbortSignal,
): Promise<FileSummary | undefined> {
  const encoding = encodingOf(file.name);
  if (encoding === 'zstd') return undefined;
  let taken = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        taken += piece.byteLength;
        controller.enqueue(piece);
      },
    }),
  );
  const bytes = encoding === 'gzip' ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  const pieces = bytes.pipeThrough(new TextDecoderStream()).getReader();
  const source = new Source(pieces, signal, () => taken / file.size);
  try {
    if (format === 'json') return await readJson(source);
    return format === 'csv' ? await readCsv(source) : await readLines(source);
  } finally {
    await pieces.cancel().catch(() => undefined);
  }
}

/** The text of a file, as much of it as is read. */
class Source {
  /** Everything was read. */
  isWhole = false;

  constructor(
    private readonly pieces: ReadableStreamDefaultReader<string>,
    private readonly signal: AbortSignal,
    private readonly share: () => number,
  ) {}

  /** Pieces of it, up to the most that is read; lets the page do something else in between. */
  async *text(most: number): AsyncGenerator<string> {
    let read = 0;
    let since = performance.now();
    while (read < most) {
      this.signal.throwIfAborted();
      const { done, value } = await this.pieces.read();
      this.isWhole = done;
      if (done) return;
      read += value.length;
      yield value;
      if (performance.now() - since < 30) continue;
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
  }

  /** The whole file to what was read of it. */
  get factor(): number {
    return this.isWhole ? 1 : 1 / Math.min(1, Math.max(this.share(), 1e-6));
  }
}

async function readLines(source: Source): Promise<FileSummary> {
  const tally = new Tally();
  const head: string[] = [];
  let rest = '';
  function take(line: string): void {
    if (line.trim() === '') return;
    if (head.length < TRIAL_RECORDS) head.push(line);
    tally.add(ofLine(line));
  }
  for await (const piece of source.text(MOST_BYTES)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  }
  if (source.isWhole) take(rest);
  return {
    ...tally.summary(source.factor),
    head: `${head.join('\n')}\n`,
    headRecords: head.length,
  };
}

function ofLine(line: string): Counted {
  try {
    return ofRecord(JSON.parse(line.replace(/^\uFEFF/, '')) as unknown);
  } catch {
    // no record: the service says what is wrong with it
    return { isMachine: true };
  }
}

interface WireRecord {
  readonly kind?: unknown;
  readonly state?: unknown;
  readonly password?: unknown;
  readonly hashedPassword?: { readonly value?: unknown };
  readonly passkeys?: readonly { readonly passwordless?: unknown }[];
  readonly email?: { readonly isEmailVerified?: unknown; readonly pendingEmail?: unknown };
  readonly phone?: { readonly phone?: unknown; readonly isPhoneVerified?: unknown };
}

function ofRecord(value: unknown): Counted {
  if (typeof value !== 'object' || value === null) return { isMachine: true };
  const { kind, state, password, hashedPassword, passkeys, email, phone } = value as WireRecord;
  return {
    isMachine: kind === 'machine',
    state: typeof state === 'string' ? state : undefined,
    signsIn:
      isText(password) ||
      isText(hashedPassword?.value) ||
      (Array.isArray(passkeys) && passkeys.some((passkey) => passkey?.passwordless === true)),
    emailVerified: email?.isEmailVerified === true,
    pendingEmail: isText(email?.pendingEmail),
    phone: isText(phone?.phone),
    phoneVerified: phone?.isPhoneVerified === true,
  };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

async function readJson(source: Source): Promise<FileSummary | undefined> {
  let text = '';
  for await (const piece of source.text(MOST_JSON_BYTES + 1)) text += piece;
  if (!source.isWhole) return undefined;
  type Member = { readonly userId?: unknown; readonly user?: unknown };
  type Organization = { readonly humanUsers?: readonly Member[]; readonly machineUsers?: readonly Member[] };
  let orgs: readonly Organization[] = [];
  try {
    const file = JSON.parse(text) as { readonly dataOrgs?: { readonly orgs?: readonly Organization[] } };
    orgs = file.dataOrgs?.orgs ?? [];
  } catch {
    return undefined;
  }
  const tally = new Tally();
  for (const { humanUsers = [], machineUsers = [] } of orgs) {
    for (const { user } of humanUsers) tally.add(ofRecord(user));
    for (const _ of machineUsers) tally.add({ isMachine: true });
  }
  return { ...tally.summary(1), headRecords: tally.records };
}

async function readCsv(source: Source): Promise<FileSummary> {
  const tally = new Tally();
  const rows = new CsvText();
  let columns: FileSummary['columns'];
  let fields: readonly (string | undefined)[] = [];
  let head = '';
  function take(cells: readonly string[], text: string): void {
    if (columns === undefined) {
      columns = cells.map((name) => [
        name.replace(/^\uFEFF/, '').trim(),
        fieldOfColumn(name.replace(/^\uFEFF/, '')),
      ]);
      fields = columns.map(([, field]) => field);
      head = text;
      return;
    }
    if (tally.records < TRIAL_RECORDS) head += text;
    tally.add(ofCells(fields, cells));
  }
  for await (const piece of source.text(MOST_BYTES)) {
    for (const { cells, text } of rows.write(piece)) take(cells, text);
  }
  if (source.isWhole) for (const { cells, text } of rows.end()) take(cells, text);
  return {
    ...tally.summary(source.factor),
    columns: columns ?? [],
    head,
    headRecords: Math.min(tally.records, TRIAL_RECORDS),
  };
}

function ofCells(fields: readonly (string | undefined)[], cells: readonly string[]): Counted {
  const cell = (field: string): string => cells[fields.indexOf(field)]?.trim() ?? '';
  const flag = (field: string): boolean => ['true', '1'].includes(cell(field).toLowerCase());
  const state = cell('state');
  return {
    isMachine: cell('kind') === 'machine',
    state: state === '' ? undefined : state,
    signsIn: cell('password') !== '' || cell('hashedPassword.value') !== '',
    emailVerified: flag('email.isEmailVerified'),
    phone: cell('phone.phone') !== '',
    phoneVerified: flag('phone.isPhoneVerified'),
  };
}

/** Rows of RFC 4180, with the text that each was. A row that breaks its rules is for the service to name. */
class CsvText {
  private text = '';
  private isQuoted = false;
  private at = 0;

  *write(piece: string): Generator<{ readonly cells: readonly string[]; readonly text: string }> {
    this.text += piece;
    let from = 0;
    for (; this.at < this.text.length; this.at += 1) {
      const character = this.text.charCodeAt(this.at);
      // a doubled quote leaves the cell and enters it again
      if (character === 0x22) this.isQuoted = !this.isQuoted;
      if (character !== 0x0a || this.isQuoted) continue;
      const text = this.text.slice(from, this.at + 1);
      from = this.at + 1;
      if (text.trim() !== '') yield { cells: cellsOf(text), text };
    }
    this.text = this.text.slice(from);
    this.at -= from;
  }

  *end(): Generator<{ readonly cells: readonly string[]; readonly text: string }> {
    const { text } = this;
    this.text = '';
    if (text.trim() !== '') yield { cells: cellsOf(text), text: `${text}\r\n` };
  }
}

function cellsOf(row: string): readonly string[] {
  const line = row.replace(/\r?\n$/, '');
  if (!line.includes('"')) return line.split(',');
  // with a comma before the first as well: an empty cell at the beginning of the text would have nothing to be found by
  return [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
