import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../shared/errors.js';
import type { ImportPass } from '../records/passes.js';

/**
 * This folder reads files of users: bytes in, records out, with no more in memory than a piece of the file and
 * one record. Readers are fed piece by piece and hold no stream, so that any cut between pieces can be tried.
 */
export interface SourceReader<Out = SourceRecord> {
  /** @throws SourceError when the rest can no longer be split into records */
  write(piece: Buffer): readonly Out[];
  /** The file is over. @throws SourceError when it ends before it should */
  end(): readonly Out[];
}

/** The text of a record, or what is wrong with it: a bad record costs itself and nothing else. */
export interface SourceRecord {
  /** Where it begins in the file, from 1; the position of the record where the format has no lines. */
  readonly line: number;
  /** One JSON value, for `readImportRecord`. */
  readonly json?: string;
  readonly fault?: SourceFault;
  /** Of what is no user. */
  readonly pass?: ImportPass;
}

export interface SourceFault {
  readonly code: 'malformed' | 'invalid';
  readonly path?: string;
  /** For people; holds no value of the record. */
  readonly message: string;
  /** Of what is no human: `project`. */
  readonly type?: string;
}

/** A file that is not taken: none of its records counts. */
export class SourceError extends ApiError {
  constructor(
    readonly reason: 'source_incomplete' | 'source_unreadable',
    text: string,
  ) {
    super('invalid-argument', text, reason === 'source_incomplete' ? 'IMPORT-7nE2d' : 'IMPORT-2uR6x');
  }
}

export function incomplete(what: string): SourceError {
  return new SourceError('source_incomplete', `the file is incomplete: ${what}`);
}

export function unreadable(what: string): SourceError {
  return new SourceError('source_unreadable', what);
}

/** Of one record, in bytes: a hundred times what a full one takes. */
export const LONGEST_RECORD = 1024 * 1024;

export const TOO_LONG: SourceFault = { code: 'malformed', message: 'the record is longer than 1 MiB' };
export const NOT_TEXT: SourceFault = { code: 'malformed', message: 'the record is not UTF-8' };

/** Undefined for bytes that are not UTF-8: replacing them would change a name in silence. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

export function recordOf(line: number, bytes: Buffer): SourceRecord {
  const json = textOf(bytes);
  return json === undefined ? { line, fault: NOT_TEXT } : { line, json };
}

const NOTHING = Buffer.alloc(0);

/**
 * Bytes of one record, gathered over the pieces of a file; what is too long is counted and not kept. The second part
 * and all after it are copied into one buffer, because whoever sends a byte at a time would have us keep an object for
 * each.
 */
export class Gathered {
  private whole: Buffer = NOTHING;
  private bytes = 0;

  get length(): number {
    return this.bytes;
  }

  get tooLong(): boolean {
    return this.bytes > LONGEST_RECORD;
  }

  add(part: Buffer): void {
    if (part.length === 0) return;
    const before = this.bytes;
    this.bytes += part.length;
    if (this.tooLong) this.whole = NOTHING;
    else if (before === 0) this.whole = part;
    else {
      if (this.bytes > this.whole.length || before === this.whole.length) this.grow(before);
      part.copy(this.whole, before);
    }
  }

  take(): Buffer {
    const whole = this.whole.subarray(0, this.bytes);
    this.clear();
    return whole;
  }

  clear(): void {
    this.whole = NOTHING;
    this.bytes = 0;
  }

  private grow(filled: number): void {
    const larger = Buffer.allocUnsafe(2 * this.bytes);
    this.whole.copy(larger, 0, 0, filled);
    this.whole = larger;
  }
}
