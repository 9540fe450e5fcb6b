import { pipeline, Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { incomplete, unreadable } from './source-record.js';

interface ZstdModule {
  readonly createZstdDecompress?: (options: { readonly params: Record<number, number> }) => zlib.Gunzip;
  readonly constants: { readonly ZSTD_d_windowLogMax?: number };
}
const { createZstdDecompress, constants } = zlib as unknown as ZstdModule;

/** 8 MiB, what RFC 8878 §3.1.1.1.2 has every reader take: levels up to 19. A file may not have us keep more. */
const MOST_WINDOW_LOG = 23;

/**
 * Each frame costs an unpacker of its own, however little is in it: 9 bytes sent must not buy 50 µs of ours for ever.
 * Packers that work in parallel make frames of megabytes, so this many are more than a file of any size has.
 */
const MOST_FRAMES = 100_000;

const GATHERED_BYTES = 64 * 1024;

const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const CHECKSUM_BYTES = 4;
const RUN_LENGTH = 1;
const RESERVED = 3;

/** Node 22.15 and later. */
export const hasZstd = createZstdDecompress !== undefined;

/**
 * The content of a zstd file, a sequence of frames (RFC 8878 §3.1). Node's decompressor stops silently
 * at the end of the first frame, and also where a file is truncated; so frames are separated here, each gets a decompressor
 * of its own, and a frame without an end is an incomplete upload.
 *
 * @throws SourceError
 */
export async function* unpackZstd(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (createZstdDecompress === undefined) throw unreadable('zstd cannot be unpacked here');
  const windowLog = constants.ZSTD_d_windowLogMax;
  const params = windowLog === undefined ? {} : { [windowLog]: MOST_WINDOW_LOG };
  const bytes = new Bytes(pieces[Symbol.asyncIterator]());
  for (let frames = 0; !(await bytes.areOver()); frames += 1) {
    if (frames === MOST_FRAMES) throw unreadable(`the file has more than ${MOST_FRAMES} zstd frames`);
    const magic = await bytes.take(4);
    const number = magic.readUInt32LE();
    if (number === FRAME) {
      // the error reaches whoever reads from the unpacker
      yield* pipeline(
        Readable.from(gathered(frame(magic, bytes))),
        createZstdDecompress({ params }),
        () => undefined,
      );
    } else if ((number & 0xfffffff0) === SKIPPABLE) {
      for await (const _ of bytes.pass((await bytes.take(4)).readUInt32LE()));
    } else {
      throw unreadable('the file cannot be unpacked');
    }
  }
}

/** Each piece costs the unpacker a turn of its own, and a block can be as small as three bytes that hold nothing. */
async function* gathered(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < GATHERED_BYTES) continue;
    yield Buffer.concat(held);
    [held, size] = [[], 0];
  }
  yield Buffer.concat(held);
}

/** The bytes of one frame as they are, up to its end. */
async function* frame(magic: Buffer, bytes: Bytes): AsyncGenerator<Buffer> {
  const head = await bytes.take(1);
  const descriptor = head.readUInt8();
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const hasChecksum = (descriptor & 0x04) !== 0;
  const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6] || (isSingleSegment ? 1 : 0);
  const rest = (isSingleSegment ? 0 : 1) + (DICTIONARY_ID_BYTES[descriptor & 0x03] ?? 0) + sizeBytes;
  yield Buffer.concat([magic, head, await bytes.take(rest)]);
  for (let isLast = false; !isLast;) {
    const header = await bytes.take(3);
    yield header;
    const block = header.readUIntLE(0, 3);
    const type = (block >> 1) & 0x03;
    if (type === RESERVED) throw unreadable('the file cannot be unpacked');
    yield* bytes.pass(type === RUN_LENGTH ? 1 : block >> 3);
    isLast = (block & 1) === 1;
  }
  if (hasChecksum) yield await bytes.take(CHECKSUM_BYTES);
}

/** Pieces of any size as bytes of a size that is asked for. */
class Bytes {
  private held: Buffer = Buffer.alloc(0);

  constructor(private readonly pieces: AsyncIterator<Buffer>) {}

  async areOver(): Promise<boolean> {
    while (this.held.length === 0) {
      const next = await this.pieces.next();
      if (next.done === true) return true;
      this.held = next.value;
    }
    return false;
  }

  /** @throws SourceError where there are not so many */
  async take(count: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    for await (const piece of this.pass(count)) taken.push(piece);
    return Buffer.concat(taken);
  }

  /** @throws SourceError where there are not so many */
  async *pass(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (await this.areOver()) throw incomplete('its end did not arrive');
      const piece = this.held.subarray(0, left);
      this.held = this.held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
}
