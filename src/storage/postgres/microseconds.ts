// SQL by hand: cursors of lists that are ordered by time hold microseconds, which a JavaScript Date cannot
import { ApiError } from '../../domain/shared/errors.js';
import type { Cursor, PageQuery } from '../../domain/shared/page.js';

/** SQL: a time as a cursor has it, in microseconds since 1970. */
export function microsecondsOf(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000000)::bigint::text`;
}

/** SQL: later than any time that can be given. */
export const LAST_MOMENT = "'9999-12-31 23:59:59.999999+00'::timestamptz";

/** The time of a cursor, given as a parameter. In two parts: one product of so many microseconds would be rounded. */
export function momentFrom(parameter: string): string {
  const [seconds, rest] = ['/', '%'].map((operator) => `(${parameter}::bigint ${operator} 1000000)`);
  return `('epoch'::timestamptz + ${seconds} * interval '1 second' + ${rest} * interval '1 microsecond')`;
}

/** Refuses a made-up cursor here, since the database could not convert it to a number. @throws ApiError invalid-argument */
export function requireMoment({ key }: Cursor): void {
  if (/^\d{1,18}$/.test(key)) return;
  throw new ApiError('invalid-argument', 'cursor is not one that this release gave');
}

interface AfterIn {
  readonly alias: string;
  readonly parameter: (value: unknown) => string;
}

/** What comes after the cursor in the order of `created_at` and `id`, as a condition. @throws ApiError invalid-argument */
export function comesAfter({ after, ascending }: PageQuery, { alias, parameter }: AfterIn): string {
  if (after === undefined) return 'true';
  requireMoment(after);
  const [moment, id] = [parameter(after.key), parameter(after.id)];
  return `(${alias}.created_at, ${alias}.id) ${ascending ? '>' : '<'} (${momentFrom(moment)}, ${id}::text)`;
}
