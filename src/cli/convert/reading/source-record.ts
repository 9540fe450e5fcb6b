import { LONGEST_RECORD } from '../../../domain/imports/formats/source-record.js';

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

/** As large as a record of the import may be; what is larger is rejected without being held. */
export const TOO_LARGE = `the record is larger than ${LONGEST_RECORD} bytes`;
