import { FieldError } from './record-errors.js';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** A time of what was done elsewhere; undefined for an empty value. @throws FieldError */
export function readPast(path: string, given: string | undefined, nowMs: number): Date | undefined {
  if (given === undefined || given === '') return undefined;
  const time = DATE_TIME.test(given) ? new Date(given) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) {
    throw new FieldError(path, `${path} must be a time as in RFC 3339`);
  }
  if (time.getTime() > nowMs) throw new FieldError(path, `${path} must not lie in the future`);
  return time;
}
