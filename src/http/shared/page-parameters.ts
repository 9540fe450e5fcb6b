import { z } from 'zod';
import type { PageQuery } from '../../domain/shared/page.js';
import { cursorField, cursorOf, nameOfList } from './cursors.js';

/** So many entries at most in one answer, and so many where the caller does not say. */
const MOST_ENTRIES = 1000;
const USUAL_ENTRIES = 100;

function digits(most: number) {
  const rule = `must be a whole number from 0 to ${most}`;
  return z
    .string({ error: rule })
    .regex(/^[0-9]{1,10}$/, rule)
    .transform(Number)
    .refine((value) => value <= most, rule);
}

/** In a query everything is text. */
export function flagText() {
  return z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .transform((given) => given === 'true');
}

/** The parameters themselves, for the OpenAPI document. */
export const pageFields = {
  offset: digits(1_000_000_000).default(0),
  limit: digits(MOST_ENTRIES).default(USUAL_ENTRIES),
  asc: flagText(),
};
/** The query of a GET that lists: which part of it is asked for (protocol §4). */
export const listQuery = z
  .strictObject({ ...pageFields, cursor: cursorField })
  .transform((asked) => cursorPageOf(asked));

type CursorPage = z.output<z.ZodObject<typeof pageFields>> & { readonly cursor?: string | undefined };

/** @param filters what else was asked. @throws ApiError invalid-argument with a cursor of another list */
export function cursorPageOf({ cursor, ...asked }: CursorPage, filters: object = {}): PageQuery {
  const list = nameOfList({ ascending: asked.asc }, filters);
  const page = { ...pageOf(asked), list };
  return cursor === undefined ? page : { ...page, after: cursorOf(cursor, list, asked.offset) };
}
/** Of what has no cursors. */
export const offsetQuery = z.strictObject(pageFields).transform(pageOf);

export function pageOf({ offset, limit, asc }: z.output<z.ZodObject<typeof pageFields>>): PageQuery {
  return { offset, limit: limit || USUAL_ENTRIES, ascending: asc };
}
