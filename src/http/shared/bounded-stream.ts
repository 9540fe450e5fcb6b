import { Readable } from 'node:stream';

/** A reader that takes nothing for so long has gone, whatever its connection says. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * A stream that is broken off has no proper end, so that nobody takes it for the whole.
 *
 * @param what is sent, for the log
 */
export function bounded(
  lines: (taken: () => void) => AsyncIterable<string>,
  longestMs: number,
  what: string,
): Readable {
  const readable: Readable = Readable.from(
    lines(() => pause.refresh()),
    { objectMode: false },
  );
  const endAfter = (ms: number, why: string): NodeJS.Timeout =>
    setTimeout(() => readable.destroy(new Error(`${what} ${why}`)), ms).unref();
  const whole = endAfter(longestMs, 'went on for too long');
  const pause = endAfter(LONGEST_PAUSE_MS, 'was not read');
  readable.once('close', () => {
    clearTimeout(whole);
    clearTimeout(pause);
  });
  return readable;
}

/** @param taken is called for each piece that the reader asks for */
export async function* noticed(pieces: AsyncIterable<string>, taken: () => void): AsyncGenerator<string> {
  for await (const piece of pieces) {
    taken();
    yield piece;
  }
}
