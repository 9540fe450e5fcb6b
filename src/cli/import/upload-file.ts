import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Upload } from '../api/api-client.js';
import { packedBytes, readFailure } from '../files/bytes-of.js';
import { UsageError } from '../shell/exit.js';
import type { Terminal } from '../shell/terminal.js';
import type { Progress } from './progress.js';

/** Formats by their names here and the content types of the API. */
const CONTENT_TYPES = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  dataorgs: 'application/json',
} as const;

export type FileFormat = keyof typeof CONTENT_TYPES;

const EXTENSIONS = new Map<string, FileFormat>([
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.csv', 'csv'],
  ['.json', 'dataorgs'],
]);

/** A file to be sent as it is, compressed or not, with progress. Standard input is NDJSON by default. */
export async function openUpload(
  file: string,
  format: string | undefined,
  progress: Progress,
  terminal: Terminal,
  /** Sees what is sent as it stands in the file, hence unpacked. */
  watch?: (piece: Buffer) => void,
): Promise<Upload> {
  const contentType = CONTENT_TYPES[formatOf(file, format)];
  try {
    const size = await sizeOf(file);
    const { packing, chunks } = await packedBytes(file, terminal.stdin);
    if (watch !== undefined && packing !== undefined) {
      throw new UsageError(
        'packed standard input cannot be counted on its way: say --yes to send all mails, or --notify deferred to hold them',
      );
    }
    return { contentType, packing, length: size, chunks: counted(file, chunks, size, progress, watch) };
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** In bytes; undefined for what can be read only once: standard input, or a pipe by its name. @throws what the system says */
export async function sizeOf(file: string): Promise<number | undefined> {
  if (file === '-') return undefined;
  const about = await stat(file);
  return about.isFile() ? about.size : undefined;
}

/** @throws UsageError if neither an option nor the name of the file gives the format */
export function formatOf(file: string, format: string | undefined): FileFormat {
  const name = file.replace(/\.(gz|zst)$/i, '');
  const known = format ?? (file === '-' ? 'ndjson' : EXTENSIONS.get(path.extname(name).toLowerCase()));
  if (known === undefined) {
    throw new UsageError(
      'the name of the file does not say its format: give --format ndjson, csv or dataorgs',
    );
  }
  // the option is one of them (`uploadOptions`)
  return known as FileFormat;
}

async function* counted(
  file: string,
  chunks: AsyncIterable<Buffer>,
  size: number | undefined,
  progress: Progress,
  watch: ((piece: Buffer) => void) | undefined,
): AsyncGenerator<Buffer> {
  let sent = 0;
  try {
    for await (const chunk of chunks) {
      watch?.(chunk);
      yield chunk;
      sent += chunk.length;
      progress.sent(sent, size);
    }
  } catch (error) {
    throw readFailure(file, error);
  }
}
