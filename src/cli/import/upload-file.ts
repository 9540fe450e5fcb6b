import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Upload } from '../api/api-client.js';
import { packedBytes, readFailure } from '../files/bytes-of.js';
import type { Terminal } from '../shell/command.js';
import { UsageError } from '../shell/exit.js';
import type { Progress } from './progress.js';

/** Formats by their names here and the content types of the API. */
export const CONTENT_TYPES = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  dataorgs: 'application/json',
} as const;

const EXTENSIONS = new Map<string, keyof typeof CONTENT_TYPES>([
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.csv', 'csv'],
  ['.json', 'dataorgs'],
]);

/** A file to be sent as it is, packed or not; what has been sent is shown. Standard input is NDJSON unless told. */
export async function openUpload(
  file: string,
  format: string | undefined,
  progress: Progress,
  terminal: Terminal,
): Promise<Upload> {
  const contentType = contentTypeOf(file, format);
  try {
    const size = file === '-' ? undefined : (await stat(file)).size;
    const { packing, chunks } = await packedBytes(file, terminal.stdin);
    return { contentType, packing, chunks: counted(file, chunks, size, progress) };
  } catch (error) {
    throw readFailure(file, error);
  }
}

function contentTypeOf(file: string, format: string | undefined): string {
  const name = file.replace(/\.(gz|zst)$/i, '');
  const known = format ?? (file === '-' ? 'ndjson' : EXTENSIONS.get(path.extname(name).toLowerCase()));
  if (known === undefined) {
    throw new UsageError(
      'the name of the file does not say its format: give --format ndjson, csv or dataorgs',
    );
  }
  return CONTENT_TYPES[known as keyof typeof CONTENT_TYPES];
}

async function* counted(
  file: string,
  chunks: AsyncIterable<Buffer>,
  size: number | undefined,
  progress: Progress,
): AsyncGenerator<Buffer> {
  let sent = 0;
  try {
    for await (const chunk of chunks) {
      yield chunk;
      sent += chunk.length;
      progress.sent(sent, size);
    }
  } catch (error) {
    throw readFailure(file, error);
  }
}
