import {
  JsonScanner,
  type JsonVisitor,
  type TakenValue,
} from '../../../domain/imports/formats/json-scanner.js';
import { SourceError } from '../../../domain/imports/formats/source-record.js';
import { withoutMark } from '../../../domain/imports/formats/unpack.js';
import { DuplicateMember, parseJson } from '../../../domain/shared/unique-members.js';
import { OperationFailed } from '../../shell/exit.js';
import { TOO_LARGE, type SourceRecord } from './source-record.js';

/**
 * The elements of one list in a JSON document (RFC 8259) of any size: of the document itself when it is a list, of the
 * list under `key` when it is an object. A damaged element costs itself only, and everything else in the document passes
 * by unread.
 *
 * @throws OperationFailed when the document has no such list or ends within it: half a file is no export
 */
export async function* jsonElements(
  chunks: AsyncIterable<Buffer>,
  key: string,
  name: string,
  withoutList: 'fails' | 'is empty' = 'fails',
): AsyncGenerator<SourceRecord> {
  const elements = new ListElements(key);
  const scanner = new JsonScanner(elements, true);
  try {
    for await (const chunk of withoutMark(chunks)) {
      scanner.write(chunk);
      yield* elements.found.splice(0);
    }
  } catch (error) {
    throw error instanceof SourceError
      ? new OperationFailed(`${name}: ${error.text}`, { cause: error })
      : error;
  }
  if (!scanner.isClosed && !scanner.isEmpty)
    throw new OperationFailed(`${name} ends in the middle: it is not the whole export`);
  if (!elements.sawList && withoutList === 'fails')
    throw new OperationFailed(`${name} has no list of "${key}"`);
}

/** Of several lists under the key, the first. */
class ListElements implements JsonVisitor<'document' | 'list'> {
  readonly found: SourceRecord[] = [];
  sawList = false;

  constructor(private readonly key: string) {}

  enter(kind: 'object' | 'list' | 'scalar', within: 'document' | 'list' | undefined, name: string) {
    if (within === undefined && kind === 'object') return 'document';
    const isIt = within === undefined || (within === 'document' && name === this.key);
    if (kind !== 'list' || !isIt || this.sawList) return undefined;
    this.sawList = true;
    return 'list';
  }

  named(): void {}

  taken(within: 'document' | 'list' | undefined, { bytes, line }: TakenValue): void {
    if (within !== 'list') return;
    const place = { line };
    this.found.push(bytes === undefined ? { place, fault: TOO_LARGE } : parsed(place, bytes));
  }

  left(): void {}
}

export function parsed(place: SourceRecord['place'], bytes: Buffer): SourceRecord {
  try {
    return { place, value: parseJson(bytes.toString('utf8')) };
  } catch (error) {
    if (error instanceof DuplicateMember) return { place, fault: `field ${error.message}` };
    // the parser's own words quote the record, which may hold a hash
    return { place, fault: 'the record is not valid JSON' };
  }
}
