/** Where a record stands, for the report of what was rejected. */
export interface Place {
  /** Only of a source with several files. */
  readonly file?: string;
  /** Line on which the record begins, from 1. */
  readonly line: number;
}

/** A record of a source as its file has it, or what makes it unreadable. */
export type SourceRecord<Value = unknown> =
  { readonly place: Place; readonly value: Value } | { readonly place: Place; readonly fault: string };

/** A record may have so many bytes; what is larger is rejected without being held. */
export const LARGEST_RECORD = 1024 * 1024;

export const TOO_LARGE = `the record is larger than ${LARGEST_RECORD} bytes`;
