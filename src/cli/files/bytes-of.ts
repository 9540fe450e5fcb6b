import { createReadStream } from 'node:fs';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SourceError } from '../../domain/imports/formats/source-record.js';
import { hasZstd, unpackZstd } from '../../domain/imports/formats/zstd.js';
import { OperationFailed } from '../shell/exit.js';

/** By the first bytes of what is packed. */
const PACKINGS = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
] as const;
const LONGEST_MARK = 4;
export type Packing = (typeof PACKINGS)[number][0];

const CHUNK = 256 * 1024;

/**
 * The bytes of a file, or of standard input for `-`, in chunks; gzip and zstd are recognised by their first bytes and unpacked.
 * Nothing is kept, so that a file may be of any size.
 */
export async function* bytesOf(path: string, stdin: Readable): AsyncGenerator<Buffer> {
  try {
    const { packing, chunks } = await packedBytes(path, stdin);
    if (packing === 'zstd' && !hasZstd) {
      throw new OperationFailed(
        `cannot read ${nameOf(path)}: zstd needs Node 22.15 or later, and this is ${process.version}: unpack it first`,
      );
    }
    if (packing === undefined) yield* chunks;
    else if (packing === 'zstd') yield* unpackZstd(chunks);
    // a failure of either end is the error that reading the other end meets
    else yield* pipeline(chunks, createGunzip({ chunkSize: CHUNK }), new PassThrough(), () => undefined);
  } catch (error) {
    throw readFailure(path, error);
  }
}

/** The same as they are, packed or not. */
export async function packedBytes(
  path: string,
  stdin: Readable,
): Promise<{ packing: Packing | undefined; chunks: AsyncGenerator<Buffer> }> {
  const source = path === '-' ? stdin : createReadStream(path, { highWaterMark: CHUNK });
  const rest: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
    if (start.length >= LONGEST_MARK) break;
  }
  const [packing] = PACKINGS.find(([, mark]) => start.subarray(0, mark.length).equals(mark)) ?? [];
  return { packing, chunks: prepended(start, rest) };
}

/** What was read to look at it, and what comes after it. */
export async function* prepended(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (start.length > 0) yield start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path;
}

export function readFailure(path: string, error: unknown): unknown {
  const name = nameOf(path);
  if (error instanceof SourceError) {
    return new OperationFailed(`cannot read ${name}: ${error.message}`, { cause: error });
  }
  if (!(error instanceof Error) || !('code' in error)) return error;
  const reasons = new Map<unknown, string>([
    ['ENOENT', 'there is no such file'],
    ['EISDIR', 'it is a directory'],
    ['EACCES', 'permission denied'],
    ['Z_BUF_ERROR', 'its gzip data ends in the middle'],
    ['Z_DATA_ERROR', 'its gzip data is damaged'],
  ]);
  return new OperationFailed(`cannot read ${name}: ${reasons.get(error.code) ?? error.message}`, {
    cause: error,
  });
}
