import {
  Gathered,
  incomplete,
  recordOf,
  type SourceReader,
  type SourceRecord,
  TOO_LONG,
} from './source-record.js';

const LINE_FEED = 0x0a;
/** What RFC 8259 §2 has between values. */
const BLANK = /^[ \t\r]*$/;

/**
 * One JSON value a line. Lines are told apart and not looked into: whoever writes the users reads each of them anyway.
 * Blank lines are skipped, and count.
 */
export class NdjsonReader implements SourceReader {
  private readonly held = new Gathered();
  private line = 0;

  write(piece: Buffer): readonly SourceRecord[] {
    const records: SourceRecord[] = [];
    let from = 0;
    for (;;) {
      const at = piece.indexOf(LINE_FEED, from);
      if (at < 0) break;
      this.held.add(piece.subarray(from, at));
      this.endLine(records);
      from = at + 1;
    }
    // a copy: the rest of the piece must not be kept for the sake of its end
    this.held.add(Buffer.from(piece.subarray(from)));
    return records;
  }

  /** The last line needs no line feed; but one that was cut off must not pass for a bad record. */
  end(): readonly SourceRecord[] {
    const records: SourceRecord[] = [];
    this.endLine(records);
    const [last] = records;
    if (last?.json !== undefined && !isJson(last.json)) throw incomplete('its last line is no whole record');
    return records;
  }

  private endLine(records: SourceRecord[]): void {
    this.line += 1;
    if (this.held.tooLong) {
      this.held.clear();
      records.push({ line: this.line, fault: TOO_LONG });
      return;
    }
    if (this.held.length === 0) return;
    const record = recordOf(this.line, this.held.take());
    if (record.json === undefined || !BLANK.test(record.json)) records.push(record);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
