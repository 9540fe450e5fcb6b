import { ApiError } from '../../shared/errors.js';
import { DuplicateMember, parseJson } from '../../shared/unique-members.js';
import type { ReceivedRecord } from '../receive/received-record.js';
import { readImportRecord, type ImportRecord } from '../records/import-record.js';
import { FieldError } from '../records/record-errors.js';
import type { OutcomeCode, RecordFault } from './record-outcome.js';

/** A record that is read, or the fault that ends it. */
export interface ReadRecord {
  readonly received: ReceivedRecord;
  readonly record?: ImportRecord;
  readonly fault?: RecordFault;
  /** The id in the record, as far as it can be read from an invalid one. */
  readonly givenId?: string | undefined;
}

export function readRecords(received: readonly ReceivedRecord[], nowMs: number): ReadRecord[] {
  return received.map((one) => readOne(one, nowMs));
}

function readOne(received: ReceivedRecord, nowMs: number): ReadRecord {
  if (received.fault !== undefined) return { received, fault: received.fault };
  let value: unknown;
  try {
    value = parseJson(received.json ?? '');
  } catch (error) {
    if (error instanceof DuplicateMember) {
      const { path } = error;
      return { received, fault: { code: 'malformed', path, message: `field ${error.message}` } };
    }
    return { received, fault: { code: 'malformed', message: 'the line is no JSON' } };
  }
  try {
    const record = readImportRecord(value, nowMs);
    return { received, record, givenId: record.userId };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { received, fault: faultOf(error, 'invalid'), givenId: givenIdOf(value) };
  }
}

export function faultOf(error: ApiError, code: OutcomeCode): RecordFault {
  const path = error instanceof FieldError ? error.path : undefined;
  return { code, path, message: error.message };
}

const ID = /^[!-~]{1,200}$/;

function givenIdOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('userId' in value)
    return typeof value.userId === 'string' && ID.test(value.userId) ? value.userId : undefined;
  if ('humanUser' in value) return givenIdOf(value.humanUser);
  return 'machineUser' in value ? givenIdOf(value.machineUser) : undefined;
}
