import { LARGEST_RECORD } from './source-record.js';

export interface Line {
  readonly number: number;
  /** Offset of its first byte in the (unpacked) file. */
  readonly offset: number;
  /** Without the line break; undefined when longer than a record may be. */
  readonly bytes: Buffer | undefined;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The lines of a file. Of one that is too long only the first bytes are ever held. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let offset = 0;
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      hold(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  if (length > 0) yield take();

  function hold(part: Buffer): void {
    if (length + part.length <= LARGEST_RECORD && part.length > 0) held.push(part);
    length += part.length;
  }

  function take(): Line {
    const bytes = length > LARGEST_RECORD ? undefined : withoutMarks(Buffer.concat(held), offset);
    number += 1;
    const line = { number, offset, bytes };
    offset += length + 1;
    held = [];
    length = 0;
    return line;
  }
}

function withoutMarks(line: Buffer, offset: number): Buffer {
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  const start = offset === 0 && line.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  return line.subarray(start, end);
}
