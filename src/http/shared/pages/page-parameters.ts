import { z } from 'zod';
import type { PageQuery } from '../../../domain/shared/page.js';
import { cursorField, cursorOf, nameOfList } from '../cursors.js';
import { MOST_ENTRIES, USUAL_ENTRIES, type ListFilters } from '../lists.js';
import { storable } from '../schemas/api-fields.js';
import { sortingColumn } from '../schemas/sorting-column.js';

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
  return placedIn(nameOfList({ ascending: asked.asc }, filters), pageOf(asked), cursor);
}
interface ListParameters {
  /** As of `sortingColumn`. */
  readonly sortedBy: Readonly<Record<string, string | undefined>>;
  readonly filters: ListFilters;
  /** Its entries have names, which are searched. */
  readonly isNamed?: boolean;
}

const searched = storable(z.string({ error: 'must be a string' }).max(200, 'is too long'))
  .optional()
  .meta({ description: 'What has these letters in its name, whatever their case.' });

/** The same of a list with several orders, whose filters stand beside the page: `state` is what `stateQuery` is in a body. */
export function orderedListQuery({ sortedBy, filters, isNamed = false }: ListParameters) {
  const optional = Object.values(filters).flatMap((fields) =>
    Object.entries(fields).map(([name, field]) => [name, field.optional()] as const),
  );
  return z
    .strictObject({
      ...pageFields,
      cursor: cursorField,
      sortingColumn: sortingColumn(sortedBy),
      ...Object.fromEntries([...optional, ...(isNamed ? [['search', searched] as const] : [])]),
    })
    .transform(({ cursor, sortingColumn: by, offset, limit, asc, ...given }): PageQuery => {
      const asked = { ...pageOf({ offset, limit, asc }), ...(by !== undefined && { by }) };
      const { search = '', ...chosen } = givenFilters(given);
      if (search === '') return { ...placedIn(nameOfList(asked, chosen), asked, cursor), filters: chosen };
      const name = { text: search, match: 'contains' as const, ignoreCase: true };
      return { ...placedIn(nameOfList(asked, name, chosen), { ...asked, name }, cursor), filters: chosen };
    });
}

function givenFilters(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Readonly<Record<string, string>>;
}

function placedIn(list: string, page: PageQuery, cursor: string | undefined): PageQuery {
  return { ...page, list, ...(cursor !== undefined && { after: cursorOf(cursor, list, page.offset) }) };
}

/** Of what has no cursors. */
export const offsetQuery = z.strictObject(pageFields).transform(pageOf);

export function pageOf({ offset, limit, asc }: z.output<z.ZodObject<typeof pageFields>>): PageQuery {
  return { offset, limit: limit || USUAL_ENTRIES, ascending: asc };
}
