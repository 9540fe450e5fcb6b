import { Gathered, textOf, unreadable } from './source-record.js';

/** A value that was taken as a whole. `JSON.parse` judges it; here it only had to end somewhere. */
export interface TakenValue {
  /** Undefined when it is longer than a record may be. */
  readonly bytes: Buffer | undefined;
  /** Of lists and objects in each other. */
  readonly depth: number;
  /** Where it begins in the file, from 1. */
  readonly line: number;
}

/** Whoever looks for records in a document: says which containers are walked through, and gets what is in them. */
export interface JsonVisitor<Role> {
  /**
   * Before each value.
   *
   * @param within the container around it; undefined for the document itself
   * @param name of the member, in an object
   * @returns what a list or object is, if it is walked through; undefined to take the value as a whole
   */
  enter(kind: 'object' | 'list' | 'scalar', within: Role | undefined, name: string): Role | undefined;
  /** The name of a member, of which too long ones have none. */
  named(within: Role, name: string): void;
  taken(within: Role | undefined, value: TakenValue): void;
  left(role: Role): void;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const LINE_FEED = 0x0a;

type Expected =
  | 'value'
  /** After an opening bracket of a list. */
  | 'value-or-end'
  | 'name'
  /** After an opening brace. */
  | 'name-or-end'
  | 'colon'
  | 'comma-or-end'
  | 'nothing';

/**
 * Walks through the outer levels of a JSON document (RFC 8259) of any size, and takes each value within as text. Nothing
 * of the document is ever kept whole: no more than one value, and of one that is too long nothing.
 *
 * Forgiving, it takes whatever stands between two commas for a value, so that a damaged one costs itself only, and has
 * nothing against commas too many and text behind the document.
 */
export class JsonScanner<Role> {
  private readonly frames: { readonly role: Role; readonly close: number }[] = [];
  private expected: Expected = 'value';
  /** What is gathered at the moment: the name of a member, or a whole value. */
  private gathering: 'name' | 'value' | undefined;
  private readonly held = new Gathered();
  private inText = false;
  private escaped = false;
  private depth = 0;
  private deepest = 0;
  private name = '';
  private line = 1;
  private startLine = 1;
  /** The first line feed of the piece that is not counted yet. */
  private lineFeed = Infinity;
  private bytesBefore = 0;

  constructor(
    private readonly visitor: JsonVisitor<Role>,
    private readonly forgiving = false,
  ) {}

  /** Whether nothing of a document came yet. */
  get isEmpty(): boolean {
    return this.expected === 'value' && this.frames.length === 0 && this.gathering === undefined;
  }

  /** Whether the document is whole. */
  get isClosed(): boolean {
    return this.expected === 'nothing';
  }

  /** @throws SourceError where the document stops being one */
  write(piece: Buffer): void {
    this.lineFeed = lineFeedFrom(piece, 0);
    let at = 0;
    while (at < piece.length) {
      if (this.gathering !== undefined) {
        const end = this.endOfGathered(piece, at);
        this.held.add(end < 0 ? Buffer.from(piece.subarray(at)) : piece.subarray(at, end));
        if (end < 0) break;
        this.gathered(at);
        at = end;
        continue;
      }
      const byte = piece[at] as number;
      if (!isBlank(byte) && this.step(byte, piece, at)) {
        // it is the first byte of what is gathered now
        continue;
      }
      at += 1;
    }
    this.countLines(piece, piece.length);
    this.bytesBefore += piece.length;
  }

  /** One byte between values. @returns whether a name or a value to be gathered begins with it */
  private step(byte: number, piece: Buffer, at: number): boolean {
    const close = this.frames.at(-1)?.close;
    const { expected, forgiving } = this;
    switch (expected) {
      case 'nothing':
        if (!forgiving) throw this.broken(at);
        return false;
      case 'colon':
        if (byte !== COLON) throw this.broken(at);
        this.expected = 'value';
        return false;
      case 'comma-or-end':
        if (byte === close) this.leave();
        else if (byte === COMMA) this.expected = close === CLOSE_LIST ? 'value' : 'name';
        else throw this.broken(at);
        return false;
      case 'name-or-end':
      case 'name':
      case 'value-or-end':
      case 'value':
        if (byte === close && (forgiving || expected.endsWith('-or-end'))) {
          this.leave();
          return false;
        }
        if (forgiving && byte === COMMA && close !== undefined) return false;
        if (expected === 'value' || expected === 'value-or-end') return this.value(byte, piece, at);
        if (byte !== QUOTE) throw this.broken(at);
        return this.gather('name');
    }
  }

  private value(byte: number, piece: Buffer, at: number): boolean {
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === COMMA || byte === COLON)
      throw this.broken(at);
    const kind = byte === OPEN_OBJECT ? 'object' : byte === OPEN_LIST ? 'list' : 'scalar';
    const role = this.visitor.enter(kind, this.frames.at(-1)?.role, this.name);
    if (role === undefined) {
      this.countLines(piece, at);
      this.startLine = this.line;
      return this.gather('value');
    }
    this.frames.push({ role, close: kind === 'list' ? CLOSE_LIST : CLOSE_OBJECT });
    this.expected = kind === 'list' ? 'value-or-end' : 'name-or-end';
    return false;
  }

  private gather(what: 'name' | 'value'): boolean {
    this.gathering = what;
    this.inText = false;
    this.escaped = false;
    this.depth = 0;
    this.deepest = 0;
    return true;
  }

  private leave(): void {
    const frame = this.frames.pop();
    this.expected = this.frames.length === 0 ? 'nothing' : 'comma-or-end';
    if (frame !== undefined) this.visitor.left(frame.role);
  }

  /** Index after the last byte of the name or value; -1 while it is incomplete. */
  private endOfGathered(piece: Buffer, from: number): number {
    const upToComma = this.forgiving && this.gathering === 'value';
    let { inText, escaped, depth } = this;
    let end = -1;
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inText = false;
          if (depth === 0 && !upToComma) end = at + 1;
        }
      } else if (byte === QUOTE) {
        inText = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth += 1;
        if (depth > this.deepest) this.deepest = depth;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        // or the bracket of what stands around a number or a word
        if (depth === 0) end = at;
        else {
          depth -= 1;
          if (depth === 0 && !upToComma) end = at + 1;
        }
      } else if (depth === 0 && (byte === COMMA || (!upToComma && isBlank(byte)))) end = at;
      if (end >= 0) break;
    }
    this.inText = inText;
    this.escaped = escaped;
    this.depth = depth;
    return end;
  }

  private gathered(at: number): void {
    const { tooLong } = this.held;
    const bytes = this.held.take();
    const frame = this.frames.at(-1);
    const isName = this.gathering === 'name';
    this.gathering = undefined;
    if (isName && frame !== undefined) {
      this.name = tooLong ? '' : this.readName(bytes, at);
      this.visitor.named(frame.role, this.name);
      this.expected = 'colon';
      return;
    }
    this.expected = frame === undefined ? 'nothing' : 'comma-or-end';
    this.visitor.taken(frame?.role, {
      bytes: tooLong ? undefined : bytes,
      depth: this.deepest,
      line: this.startLine,
    });
  }

  private readName(bytes: Buffer, at: number): string {
    try {
      return JSON.parse(textOf(bytes) ?? '') as string;
    } catch {
      throw this.broken(at);
    }
  }

  private countLines(piece: Buffer, end: number): void {
    while (this.lineFeed < end) {
      this.line += 1;
      this.lineFeed = lineFeedFrom(piece, this.lineFeed + 1);
    }
  }

  private broken(at: number): Error {
    return unreadable(`the file is not valid JSON at byte ${this.bytesBefore + at + 1}`);
  }
}

function lineFeedFrom(piece: Buffer, from: number): number {
  const at = piece.indexOf(LINE_FEED, from);
  return at < 0 ? Infinity : at;
}

/** RFC 8259 §2 */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
