import { ApiError } from '../shared/errors.js';
import { type ImportRecord, readImportRecord } from './import-record.js';
import { FieldError } from './record-errors.js';

/**
 * What an upload found wrong with a record before anybody read it: such a record is carried along as one that says so,
 * and ends as a failed one with its line, so that a single bad line neither stops a file nor goes missing.
 */
const FAULTS = {
  'too-long': 'the record is longer than 1 MiB',
  'not-text': 'the record is not UTF-8',
  'wrong-column-count': 'the record has another number of columns than the header',
  'stray-quote': 'a quote stands inside a field that is not quoted, or text follows a closing quote',
  'not-an-object': 'the record must be a JSON object',
  'org-unknown': 'the organization of the record is not given',
  'not-imported': 'this is not imported here',
  'given-twice': 'a column and its alias are both filled in',
  'not-a-flag': 'must be true or false',
} as const;
export type RecordFault = keyof typeof FAULTS;

/** @param path where it stands, for what is no field of a user */
export function faultLine(fault: RecordFault, path?: string): string {
  return JSON.stringify({ $fault: fault, ...(path !== undefined && { path }) });
}

/**
 * One line of an import's payload: a record as JSON, or a fault.
 * @throws FieldError, ApiError invalid-argument
 */
export function readImportLine(line: string, nowMs: number): ImportRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ApiError('invalid-argument', 'the record is not valid JSON');
  }
  if (typeof value === 'object' && value !== null && '$fault' in value) throw faultOf(value);
  return readImportRecord(value, nowMs);
}

/** Faults come by name only: a file that holds such a line itself can make us say nothing of its own choice. */
function faultOf(value: { readonly $fault: unknown; readonly path?: unknown }): ApiError {
  const fault = Object.keys(FAULTS).find((name) => name === value.$fault) as RecordFault | undefined;
  if (fault === undefined) return new FieldError('$fault', 'unknown field "$fault"');
  const path =
    typeof value.path === 'string' && /^[\w.[\]?-]{1,200}$/.test(value.path) ? value.path : undefined;
  if (path === undefined) return new ApiError('invalid-argument', FAULTS[fault]);
  return new FieldError(path, `${path}: ${FAULTS[fault]}`);
}
