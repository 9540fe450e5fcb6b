import { LineScanner, type Line } from '../../../domain/imports/formats/line-scanner.js';

const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The lines of a file, without carriage returns at their ends and the mark in front. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const scanner = new LineScanner();
  for await (const chunk of chunks) yield* scanner.write(chunk).map(withoutMarks);
  const last = scanner.end();
  if (last !== undefined) yield withoutMarks(last);
}

function withoutMarks({ bytes, ...line }: Line): Line {
  if (bytes === undefined) return { ...line, bytes };
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  const isMarked = line.offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  return { ...line, bytes: bytes.subarray(isMarked ? BYTE_ORDER_MARK.length : 0, end) };
}
