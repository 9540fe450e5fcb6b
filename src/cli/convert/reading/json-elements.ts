import { DuplicateMember, parseJson } from '../../../domain/shared/unique-members.js';
import { OperationFailed } from '../../shell/exit.js';
import { LARGEST_RECORD, type SourceRecord, TOO_LARGE } from './source-record.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const LINE_FEED = 0x0a;
/** Keys of the root object that are longer than this are none that we look for. */
const LONGEST_KEY = 100;

/**
 * The elements of one list in a JSON document (RFC 8259) of any size: of the document itself when it is a list, of the
 * list under `key` when it is an object. It follows only quotes and brackets and cuts each element out for JSON.parse,
 * so that a damaged element costs itself only and everything else in the document passes by unread.
 *
 * @throws OperationFailed when the document has no such list or ends within it: half a file is no export
 */
export async function* jsonElements(
  chunks: AsyncIterable<Buffer>,
  key: string,
  name: string,
  withoutList: 'fails' | 'is empty' = 'fails',
): AsyncGenerator<SourceRecord> {
  const scanner = new ElementScanner(key);
  const found: SourceRecord[] = [];
  for await (const chunk of chunks) {
    scanner.scan(chunk, found);
    yield* found;
    found.length = 0;
  }
  if (!scanner.closed) throw new OperationFailed(`${name} ends in the middle: it is not the whole export`);
  if (!scanner.sawList && withoutList === 'fails')
    throw new OperationFailed(`${name} has no list of "${key}"`);
}

class ElementScanner {
  sawList = false;
  private depth = 0;
  private inText = false;
  private escaped = false;
  private line = 1;
  private isRootList = false;
  /** Depth of the brackets of the wanted list while in it. */
  private listDepth: number | undefined;
  /** The last text at depth 1 of the root object, and whether it is being read. */
  private readonly keyBytes: number[] = [];
  private readsKey = false;
  /** The element in hand. */
  private parts: Buffer[] = [];
  private size = 0;
  private startLine = 0;
  private inElement = false;

  constructor(private readonly key: string) {}

  get closed(): boolean {
    return this.depth === 0;
  }

  scan(chunk: Buffer, found: SourceRecord[]): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) this.line += 1;
      if (this.inText) {
        this.readText(byte);
        continue;
      }
      // space, tab and line breaks, and the marks of RFC 8259 §8.1 that some write at the start
      if (byte <= 0x20 || (this.depth === 0 && byte >= 0x80)) continue;
      if (this.depth === this.listDepth) {
        const ends = byte === CLOSING_BRACKET;
        if (ends || byte === COMMA) {
          if (this.inElement) this.finish(chunk.subarray(start, at), found);
          if (ends) this.close();
          continue;
        }
        if (!this.inElement) {
          this.inElement = true;
          this.startLine = this.line;
          start = at;
        }
      }
      this.follow(byte);
    }
    if (this.inElement) this.hold(chunk.subarray(start));
  }

  private readText(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) {
      this.inText = false;
      this.readsKey = false;
      return;
    }
    if (this.readsKey && this.keyBytes.length < LONGEST_KEY) this.keyBytes.push(byte);
  }

  private follow(byte: number): void {
    if (byte === QUOTE) {
      this.inText = true;
      this.readsKey = this.depth === 1 && !this.isRootList;
      if (this.readsKey) this.keyBytes.length = 0;
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.open(byte);
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) this.close();
    // a text that no colon and bracket follow was a value
    else if (byte !== COLON && this.depth === 1 && !this.isRootList) this.keyBytes.length = 0;
  }

  private open(byte: number): void {
    this.depth += 1;
    if (byte !== OPENING_BRACKET || this.sawList) return;
    const isRoot = this.depth === 1;
    const isWanted = this.depth === 2 && !this.isRootList && this.lastKey() === this.key;
    if (isRoot) this.isRootList = true;
    if (isRoot || isWanted) {
      this.listDepth = this.depth;
      this.sawList = true;
    }
  }

  private close(): void {
    if (this.depth === this.listDepth) this.listDepth = undefined;
    this.depth -= 1;
  }

  private lastKey(): string {
    return Buffer.from(this.keyBytes).toString();
  }

  private hold(part: Buffer): void {
    this.size += part.length;
    if (this.size <= LARGEST_RECORD) this.parts.push(part);
    else this.parts = [];
  }

  private finish(last: Buffer, found: SourceRecord[]): void {
    this.hold(last);
    const place = { line: this.startLine };
    if (this.size > LARGEST_RECORD) found.push({ place, fault: TOO_LARGE });
    else found.push(parsed(place, Buffer.concat(this.parts)));
    this.parts = [];
    this.size = 0;
    this.inElement = false;
  }
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
