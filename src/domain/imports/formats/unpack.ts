import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { incomplete, SourceError, unreadable } from './source-record.js';
import { hasZstd, unpackZstd } from './zstd.js';

export const ENCODINGS = ['identity', 'gzip', 'zstd'] as const;
export type SourceEncoding = (typeof ENCODINGS)[number];

interface UnpackLimits {
  /** Of the file as it is unpacked. */
  readonly mostBytes: number;
}

/** What does not fit into the limits; how much was meant to follow is not known. */
export class SourceTooLarge extends SourceError {
  constructor(text: string) {
    super('source_unreadable', text);
  }
}

/** Users in plain text pack to a tenth, at the very best to a fiftieth. */
const MOST_RATIO = 200;
/** The ratio of a short file says nothing. */
const RATIO_COUNTS_FROM = 64 * 1024 * 1024;

const PACKED_EXTRA_BYTES = 1024 * 1024;

export function canUnpack(encoding: SourceEncoding): boolean {
  return encoding !== 'zstd' || hasZstd;
}

/**
 * The bytes of a file as they arrive, decompressed, with backpressure. The source is left open when
 * the reader stops: its sender still has to get a response.
 *
 * @param arrived called with the number of compressed bytes received so far
 * @throws SourceError
 */
export async function* unpack(
  source: Readable,
  encoding: SourceEncoding,
  { mostBytes }: UnpackLimits,
  arrived: (bytes: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  let [received, given] = [0, 0];
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += piece.length;
      // blocks and frames that hold nothing would come for ever; packed text can be a little longer than what it holds
      if (received > mostBytes + PACKED_EXTRA_BYTES)
        throw new SourceTooLarge(`the file is larger than ${mostBytes} bytes`);
      arrived(received);
      yield piece;
    }
  };
  try {
    for await (const piece of unpacking(counted, encoding)) {
      given += piece.length;
      if (given > mostBytes) throw new SourceTooLarge(`the file is larger than ${mostBytes} bytes`);
      if (given > RATIO_COUNTS_FROM && given > received * MOST_RATIO) {
        throw new SourceTooLarge('the file unpacks to far more than a file of users does');
      }
      yield piece;
    }
  } catch (error) {
    throw sourceError(error);
  }
}

function unpacking(pieces: () => AsyncGenerator<Buffer>, encoding: SourceEncoding): AsyncIterable<Buffer> {
  if (encoding === 'identity') return pieces();
  if (encoding === 'zstd') return unpackZstd(pieces());
  // the error reaches whoever reads from the unpacker
  return pipeline(Readable.from(pieces()), createGunzip(), () => undefined);
}

const CUT_OFF = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR', 'Z_BUF_ERROR']);

function sourceError(error: unknown): unknown {
  if (error instanceof SourceError || !(error instanceof Error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (CUT_OFF.has(code) || error.message === 'aborted') return incomplete('its end did not arrive');
  if (/^(Z_|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(code)) return unreadable('the file cannot be unpacked');
  return error;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Without the byte order mark that some programs write in front. @throws SourceError for UTF-16 */
export async function* withoutMark(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (head === undefined) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length < UTF8_MARK.length) continue;
    yield bodyOf(head);
    head = undefined;
  }
  if (head !== undefined && head.length > 0) yield bodyOf(head);
}

function bodyOf(head: Buffer): Buffer {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw unreadable('the file is UTF-16; it must be UTF-8');
  }
  return head.subarray(0, 3).equals(UTF8_MARK) ? head.subarray(3) : head;
}
