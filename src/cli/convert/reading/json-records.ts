import { LONGEST_RECORD } from '../../../domain/imports/formats/source-record.js';
import { prepended } from '../../files/bytes-of.js';
import { OperationFailed } from '../../shell/exit.js';
import { jsonElements, parsed } from './json-elements.js';
import { linesOf } from './lines.js';
import { TOO_LARGE, type SourceRecord } from './source-record.js';

/**
 * Records of a JSON file however the vendor wraps them: one object a line (NDJSON), a list, or a list under `key` of an
 * object. The first line decides which; a damaged line of NDJSON loses only itself.
 *
 * @param name of the file, for the error that it is not what it should be
 */
export async function* jsonRecords(
  chunks: AsyncIterable<Buffer>,
  key: string,
  name: string,
): AsyncGenerator<SourceRecord> {
  const rest = chunks[Symbol.asyncIterator]();
  const head = await readHead(rest);
  const start = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start === '') throw new OperationFailed(`${name} is empty`);
  const all = prepended(head, rest);
  yield* holdsLines(start, key) ? ndjsonRecords(all) : jsonElements(all, key, name);
}

async function* ndjsonRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord> {
  for await (const { number, bytes } of linesOf(chunks)) {
    const place = { line: number };
    if (bytes === undefined) yield { place, fault: TOO_LARGE };
    else if (bytes.toString('latin1').trim() !== '') yield parsed(place, bytes);
  }
}

/** A line that begins and ends as an object does is a record, be it damaged within, unless the list stands in it. */
function holdsLines(start: string, key: string): boolean {
  const line = start.split('\n', 1)[0]?.trimEnd() ?? '';
  if (!line.startsWith('{') || !line.endsWith('}')) return false;
  const record = parsed({ line: 1 }, Buffer.from(line));
  return !('value' in record) || !Array.isArray((record.value as Record<string, unknown>)[key]);
}

/** As much as the first line can take: a document may be one line of gigabytes. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length <= LONGEST_RECORD) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
    if (/\S[^\n]*\n/.test(head.toString('latin1'))) break;
  }
  return head;
}
