import { LineScanner, type Line } from './line-scanner.js';
import { incomplete, recordOf, TOO_LONG, type SourceReader, type SourceRecord } from './source-record.js';

/** What RFC 8259 §2 has between values. */
const BLANK = /^[ \t\r]*$/;

/**
 * One JSON value per line. Lines are split, not parsed: the code that writes the users parses each of them anyway.
 * Blank lines are skipped, and count.
 */
export class NdjsonReader implements SourceReader {
  private readonly lines = new LineScanner();

  write(piece: Buffer): readonly SourceRecord[] {
    const records: SourceRecord[] = [];
    for (const line of this.lines.write(piece)) {
      const record = recordOfLine(line);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  /** A last line that was cut off must not pass for a bad record. */
  end(): readonly SourceRecord[] {
    const line = this.lines.end();
    const last = line && recordOfLine(line);
    if (last?.json !== undefined && !isJson(last.json)) throw incomplete('its last line is no whole record');
    return last === undefined ? [] : [last];
  }
}

function recordOfLine({ number: line, bytes }: Line): SourceRecord | undefined {
  if (bytes === undefined) return { line, fault: TOO_LONG };
  if (bytes.length === 0) return undefined;
  const record = recordOf(line, bytes);
  return record.json !== undefined && BLANK.test(record.json) ? undefined : record;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
