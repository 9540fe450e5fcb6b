import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../shared/errors.js';
import type { ImportPass } from '../passes.js';

/**
 * The formats room reads files of users: bytes in, records out, with no more in memory than a piece of the file and
 * one record. Readers are fed piece by piece and hold no stream, so that any cut between pieces can be tried.
 */
export interface SourceReader<Out = SourceRecord> {
  /** @throws SourceError when what follows cannot be told apart any more */
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
const NOT_TEXT: SourceFault = { code: 'malformed', message: 'the record is not UTF-8' };

/** Undefined for bytes that are not UTF-8: replacing them would change a name in silence. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

export function recordOf(line: number, bytes: Buffer): SourceRecord {
  const json = textOf(bytes);
  return json === undefined ? { line, fault: NOT_TEXT } : { line, json };
}

/** Bytes of one record, gathered over the pieces of a file; what is too long is counted and not kept. */
export class Gathered {
  private parts: Buffer[] = [];
  private bytes = 0;

  get length(): number {
    return this.bytes;
  }

  get tooLong(): boolean {
    return this.bytes > LONGEST_RECORD;
  }

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.bytes += part.length;
    if (this.tooLong) this.parts = [];
    else this.parts.push(part);
  }

  take(): Buffer {
    const [first = Buffer.alloc(0)] = this.parts;
    const whole = this.parts.length > 1 ? Buffer.concat(this.parts) : first;
    this.clear();
    return whole;
  }

  clear(): void {
    this.parts = [];
    this.bytes = 0;
  }
}
