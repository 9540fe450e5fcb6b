import {
  Gathered,
  incomplete,
  type SourceReader,
  textOf,
  TOO_LONG,
  type SourceFault,
} from './source-record.js';

/** A row, or what is wrong with it. */
export interface CsvRow {
  /** Of its first character, from 1. */
  readonly line: number;
  readonly cells?: readonly string[];
  readonly fault?: SourceFault;
  /** The file ended before a line break did. */
  readonly unended?: true;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

type State =
  | 'cell-start'
  | 'plain'
  | 'quoted'
  /** After a quote within quotes: the cell is over, or the quote was one of a pair. */
  | 'quote-seen'
  /** A quote where none may be: up to the line break, nothing is known but that the row is bad. */
  | 'lost';

const STRAY_QUOTE: SourceFault = {
  code: 'malformed',
  message: 'a quote stands in a cell that is not quoted, or text follows a closing quote',
};
const NOT_TEXT: SourceFault = { code: 'malformed', message: 'the row is not UTF-8' };

/**
 * RFC 4180: cells between commas, rows between line breaks (CRLF or LF), quotes around what holds either, a quote
 * within quotes doubled. A backslash is a character like any other, and blanks belong to their cell. Nothing is
 * guessed: a row that breaks the rules is a fault, since a guess could make one person's name another one's role.
 */
export class CsvRows implements SourceReader<CsvRow> {
  private readonly held = new Gathered();
  private state: State = 'cell-start';
  private strayQuote = false;
  private quotes = false;
  private line = 1;
  private rowLine = 1;

  write(piece: Buffer): readonly CsvRow[] {
    const rows: CsvRow[] = [];
    let { state } = this;
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === LINE_FEED) this.line += 1;
      if (state === 'quoted') {
        if (byte === QUOTE) state = 'quote-seen';
      } else if (byte === LINE_FEED) {
        this.held.add(piece.subarray(from, at));
        this.endRow(rows);
        from = at + 1;
        state = 'cell-start';
      } else if (state === 'lost' || (state === 'plain' && byte !== COMMA && byte !== QUOTE)) {
        continue;
      } else if (byte === COMMA) {
        state = 'cell-start';
      } else if (byte === QUOTE) {
        this.quotes = true;
        state = state === 'plain' ? this.lose() : 'quoted';
      } else if (state === 'quote-seen') {
        if (byte !== CARRIAGE_RETURN) state = this.lose();
      } else {
        state = 'plain';
      }
    }
    this.state = state;
    this.held.add(Buffer.from(piece.subarray(from)));
    return rows;
  }

  end(): readonly CsvRow[] {
    if (this.state === 'quoted') {
      throw incomplete(`the quote of the row that begins in line ${this.rowLine} is never closed`);
    }
    if (this.held.length === 0) return [];
    const rows: CsvRow[] = [];
    this.endRow(rows);
    return rows.map((row) => ({ ...row, unended: true }));
  }

  private lose(): State {
    this.strayQuote = true;
    return 'lost';
  }

  private endRow(rows: CsvRow[]): void {
    const line = this.rowLine;
    const { tooLong } = this.held;
    const bytes = this.held.take();
    const { strayQuote, quotes } = this;
    this.rowLine = this.line;
    this.strayQuote = false;
    this.quotes = false;
    if (tooLong) return void rows.push({ line, fault: TOO_LONG });
    if (strayQuote) return void rows.push({ line, fault: STRAY_QUOTE });
    const text = textOf(bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes);
    if (text === undefined) return void rows.push({ line, fault: NOT_TEXT });
    if (text === '') return;
    const cells = quotes ? cellsOf(text) : text.split(',');
    rows.push(cells === undefined ? { line, fault: STRAY_QUOTE } : { line, cells });
  }
}

/** Cells of a row in which every quote is known to stand right, but for a CR after the last that is not its end. */
function cellsOf(text: string): readonly string[] | undefined {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let end: number;
    if (text.charAt(at) === '"') {
      let close = text.indexOf('"', at + 1);
      while (text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
      cells.push(text.slice(at + 1, close).replaceAll('""', '"'));
      end = close + 1;
      if (end < text.length && text.charAt(end) !== ',') return undefined;
    } else {
      end = text.indexOf(',', at);
      if (end < 0) end = text.length;
      cells.push(text.slice(at, end));
    }
    if (end >= text.length) return cells;
    at = end + 1;
  }
}
