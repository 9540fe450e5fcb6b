import { createReadStream } from 'node:fs';
import { PassThrough, type Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { OperationFailed } from '../shell/exit.js';

const GZIP = Buffer.from([0x1f, 0x8b]);
const CHUNK = 256 * 1024;

/**
 * The bytes of a file, or of standard input for `-`, in chunks; gzip is recognised by its first bytes and unpacked.
 * Nothing is kept, so that a file may be of any size.
 */
export async function* bytesOf(path: string, stdin: Readable): AsyncGenerator<Buffer> {
  try {
    const { isPacked, chunks } = await packedBytes(path, stdin);
    // a failure of either end is the error that reading the other end meets
    yield* isPacked
      ? pipeline(chunks, createGunzip({ chunkSize: CHUNK }), new PassThrough(), () => undefined)
      : chunks;
  } catch (error) {
    throw readFailure(path, error);
  }
}

/** The same as they are, packed or not. */
export async function packedBytes(
  path: string,
  stdin: Readable,
): Promise<{ isPacked: boolean; chunks: AsyncGenerator<Buffer> }> {
  const source = path === '-' ? stdin : createReadStream(path, { highWaterMark: CHUNK });
  const rest: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
    if (start.length >= GZIP.length) break;
  }
  const isPacked = start.subarray(0, GZIP.length).equals(GZIP);
  return { isPacked, chunks: prepended(start, rest) };
}

async function* prepended(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (start.length > 0) yield start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

export function readFailure(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const name = path === '-' ? 'standard input' : path;
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
