import {
  Gathered,
  incomplete,
  textOf,
  TOO_LONG,
  type SourceFault,
  type SourceReader,
} from './source-record.js';

/** A row, or what is wrong with it. */
export interface CsvRow {
  /** Of its first character, from 1. */
  readonly line: number;
  readonly cells?: readonly string[];
  readonly fault?: SourceFault;
  /**
   * A quote where none may be. After a closing one the end of the row is ambiguous: it is taken to be at the next line break, so
   * that only one row is damaged.
   */
  readonly strayQuote?: 'opening' | 'closing';
  /** The file ended before a line break did. */
  readonly unended?: true;
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

type State =
  | 'cell-start'
  | 'plain'
  | 'quoted'
  /** After a quote within quotes: the cell is over, or the quote was one of a pair. */
  | 'quote-seen'
  /** Within a delimiter of several bytes, or a character that begins like it. */
  | 'delimiter'
  /** A quote where none may be: up to the line break, nothing is known but that the row is bad. */
  | 'lost';

const STRAY_QUOTE: SourceFault = {
  code: 'malformed',
  message: 'a quote stands in a cell that is not quoted, or text follows a closing quote',
};
const NOT_TEXT: SourceFault = { code: 'malformed', message: 'the row is not UTF-8' };

/**
 * RFC 4180: cells between commas (or another character), rows between line breaks (CRLF or LF), quotes around what holds either, a quote
 * within quotes doubled. A backslash is a character like any other, and blanks belong to their cell. Nothing is
 * guessed: a row that breaks the rules is a fault, since a guess could make one person's name another one's role.
 */
export class CsvRows implements SourceReader<CsvRow> {
  /** In which the row at hand begins. */
  rowLine = 1;
  private readonly held = new Gathered();
  private readonly separator: Buffer;
  private state: State = 'cell-start';
  /** Bytes of the delimiter so far, and whether it comes after a quoted cell. */
  private matched = 0;
  private afterQuote = false;
  private strayQuote: CsvRow['strayQuote'];
  private quotes = false;
  private line = 1;

  /**
   * @param delimiter one character
   * @param decode undefined for bytes that are no text
   */
  constructor(
    private readonly delimiter = ',',
    private readonly decode: (bytes: Buffer) => string | undefined = textOf,
  ) {
    this.separator = Buffer.from(delimiter);
  }

  write(piece: Buffer): readonly CsvRow[] {
    const rows: CsvRow[] = [];
    const { separator } = this;
    const [first] = separator;
    let { state } = this;
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (state === 'delimiter') {
        if (byte === separator[this.matched]) {
          this.matched += 1;
          if (this.matched === separator.length) state = 'cell-start';
          continue;
        }
        state = this.afterQuote ? this.lose('closing') : 'plain';
      }
      if (byte === LINE_FEED) this.line += 1;
      if (state === 'quoted') {
        if (byte === QUOTE) state = 'quote-seen';
      } else if (byte === LINE_FEED) {
        this.held.add(piece.subarray(from, at));
        this.endRow(rows);
        from = at + 1;
        state = 'cell-start';
      } else if (state === 'lost' || (state === 'plain' && byte !== first && byte !== QUOTE)) {
        continue;
      } else if (byte === first) {
        this.afterQuote = state === 'quote-seen';
        this.matched = 1;
        state = separator.length === 1 ? 'cell-start' : 'delimiter';
      } else if (byte === QUOTE) {
        this.quotes = true;
        state = state === 'plain' ? this.lose('opening') : 'quoted';
      } else if (state === 'quote-seen') {
        if (byte !== CARRIAGE_RETURN) state = this.lose('closing');
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

  private lose(quote: 'opening' | 'closing'): State {
    this.strayQuote = quote;
    return 'lost';
  }

  private endRow(rows: CsvRow[]): void {
    const line = this.rowLine;
    const { tooLong } = this.held;
    const bytes = this.held.take();
    const { strayQuote, quotes } = this;
    this.rowLine = this.line;
    this.strayQuote = undefined;
    this.quotes = false;
    if (tooLong) return void rows.push({ line, fault: TOO_LONG });
    if (strayQuote !== undefined) return void rows.push({ line, fault: STRAY_QUOTE, strayQuote });
    const text = this.decode(bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes);
    if (text === undefined) return void rows.push({ line, fault: NOT_TEXT });
    if (text === '') return;
    const cells = quotes ? cellsOf(text, this.delimiter) : text.split(this.delimiter);
    rows.push(cells === undefined ? { line, fault: STRAY_QUOTE, strayQuote: 'closing' } : { line, cells });
  }
}

/** Cells of a row in which every quote is known to stand right, but for a CR after the last that is not its end. */
function cellsOf(text: string, delimiter: string): readonly string[] | undefined {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let end: number;
    if (text.charAt(at) === '"') {
      let close = text.indexOf('"', at + 1);
      while (text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
      cells.push(text.slice(at + 1, close).replaceAll('""', '"'));
      end = close + 1;
      if (end < text.length && text.charAt(end) !== delimiter) return undefined;
    } else {
      end = text.indexOf(delimiter, at);
      if (end < 0) end = text.length;
      cells.push(text.slice(at, end));
    }
    if (end >= text.length) return cells;
    at = end + 1;
  }
}
