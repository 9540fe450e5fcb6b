import { z } from 'zod';
import { camelCase } from '../../domain/imports/records/read-fields.js';
import type { NameMatch, Page, PageQuery } from '../../domain/shared/page.js';
import { answerFrom } from './answers.js';
import { cursorField, cursorOf, nameOfList, nextCursorField, writeCursor } from './cursors.js';
import { storable } from './schemas/api-fields.js';
import { sortingColumn } from './schemas/sorting-column.js';
import { wireEnum } from './schemas/wire-enum.js';

/** So many entries at most in one answer, and so many where the caller does not say. */
export const MOST_ENTRIES = 1000;
export const USUAL_ENTRIES = 100;

/** How a text is compared, and whether its case counts for nothing. */
export const TEXT_METHODS = {
  TEXT_QUERY_METHOD_EQUALS: ['equals', false],
  TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE: ['equals', true],
  TEXT_QUERY_METHOD_STARTS_WITH: ['starts-with', false],
  TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE: ['starts-with', true],
  TEXT_QUERY_METHOD_CONTAINS: ['contains', false],
  TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE: ['contains', true],
} as const satisfies Readonly<Record<string, readonly [NameMatch, boolean]>>;
type Method = keyof typeof TEXT_METHODS;

function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  // 64-bit numbers travel as strings (protocol §0.1), and offset is one
  return z
    .union([z.number(), z.string().regex(/^[0-9]{1,10}$/)], { error: rule })
    .transform(Number)
    .refine((value) => Number.isSafeInteger(value) && value >= least && value <= most, rule);
}

const objectRule: { error: z.core.$ZodErrorMap } = {
  error: (issue) =>
    issue.code === 'unrecognized_keys' ? `has an unknown field "${issue.keys[0]}"` : 'must be an object',
};

const page = {
  offset: wholeNumber(0, 1_000_000_000).default(0),
  limit: wholeNumber(0, MOST_ENTRIES).default(USUAL_ENTRIES),
  asc: z.boolean().default(false),
};
/** Of a list that is asked for so many from the nth on, or from where the page before ended. */
export const cursorPageField = z
  .strictObject({ ...page, cursor: cursorField }, objectRule)
  .default({ offset: 0, limit: USUAL_ENTRIES, asc: false });

const METHOD = wireEnum(
  Object.fromEntries(Object.keys(TEXT_METHODS).map((method) => [method, method as Method])),
);

const nameFields = z.strictObject(
  {
    name: storable(z.string({ error: 'must be a string' }).min(1, 'is required').max(200, 'is too long')),
    method: METHOD.default('TEXT_QUERY_METHOD_EQUALS'),
  },
  objectRule,
);

/** What a list is filtered by beside its name: the fields of such a query, which are properties of the list's rows. */
type FilterFields = Readonly<Record<string, z.ZodType<string>>>;
/** By the names of the queries: `stateQuery` has a `state`. */
export type ListFilters = Readonly<Record<string, FilterFields>>;

const NAME_QUERY = { nameQuery: nameFields.optional() };

interface Condition {
  readonly nameQuery?: z.output<typeof nameFields> | undefined;
  readonly [filter: string]: Readonly<Record<string, unknown>> | undefined;
}

function conditions(filters: ListFilters, isNamed: boolean) {
  const others = Object.entries(filters).map(
    ([name, fields]) => [name, z.strictObject(fields, objectRule).optional()] as const,
  );
  const queries = z
    .strictObject({ ...(isNamed && NAME_QUERY), ...Object.fromEntries(others) }, objectRule)
    .refine((given) => asked(given).length === 1, 'must be an object with one query')
    .transform((given) => given as Condition);
  const most = others.length + (isNamed ? 1 : 0);
  return z
    .array(z.preprocess(withCamelCase, queries), { error: 'must be a list' })
    .max(most, most === 1 ? 'must have at most one entry' : `must have at most ${most} entries`)
    .refine((given) => isOfEachOnce(given.flatMap(asked)), 'must have one entry of each kind at most')
    .default([]);
}

function asked(condition: object): readonly string[] {
  return Object.entries(condition).flatMap(([name, given]) => (given === undefined ? [] : [name]));
}

function isOfEachOnce(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

function withCamelCase(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => [camelCase(name), given as unknown]),
  );
}

interface ListSearch {
  /** As of `sortingColumn`; without it the list has one order. */
  readonly sortedBy?: Readonly<Record<string, string | undefined>>;
  readonly filters?: ListFilters;
  /** False where its entries have no name. */
  readonly isNamed?: boolean;
}

interface Sorted {
  /** Not there where the list has one order, and then refused. */
  readonly sortingColumn: ReturnType<typeof sortingColumn<Readonly<Record<string, string | undefined>>>>;
}

/** Body of a `_search` that has conditions (protocol §4); none is an empty one. */
export function listSearchBody({ sortedBy, filters = {}, isNamed = true }: ListSearch) {
  const query = { offset: '0', limit: 20, asc: true };
  const queries = isNamed && [
    { nameQuery: { name: 'acme', method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' } },
  ];
  const sorted = (sortedBy === undefined ? {} : { sortingColumn: sortingColumn(sortedBy) }) as Sorted;
  return z
    .strictObject({ query: cursorPageField, queries: conditions(filters, isNamed), ...sorted })
    .meta({ examples: [{ query, ...(queries && { queries }) }] })
    .prefault({});
}

export const namedSearchBody = listSearchBody({});
/** Body of every other `_search`. */
export const searchBody = z
  .strictObject({ query: cursorPageField })
  .meta({ examples: [{ query: { offset: '0', limit: 20, asc: true } }] })
  .prefault({});
/** Body of calls that need none: an empty object, or nothing. */
export const nothingBody = z.strictObject({}).prefault({});

interface SearchedPage {
  readonly query: z.output<typeof cursorPageField>;
  readonly queries?: readonly Condition[];
  readonly sortingColumn?: string | undefined;
}

/** @param more what else it is searched by. @throws ApiError invalid-argument with a cursor of another list */
export function pageQuery({ query, queries = [], sortingColumn: by }: SearchedPage, more = {}): PageQuery {
  const { offset, limit, asc: ascending, cursor } = query;
  const { nameQuery: name, ...others } = Object.assign({}, ...queries) as Condition;
  const filters = Object.assign({}, ...Object.values(others)) as Readonly<Record<string, string>>;
  const list = nameOfList({ by, ascending }, name, filters, more);
  return {
    offset,
    // protojson leaves zero out, so a limit of zero is one that was not given
    limit: limit || USUAL_ENTRIES,
    ascending,
    list,
    filters,
    ...(by !== undefined && { by }),
    ...(cursor !== undefined && { after: cursorOf(cursor, list, offset) }),
    ...(name !== undefined && { name: nameFilter(name) }),
  };
}

function nameFilter({ name: text, method }: z.output<typeof nameFields>) {
  const [match, ignoreCase] = TEXT_METHODS[method];
  return { text, match, ignoreCase };
}

/** The answer of a list (protocol §4), made of a page of records. */
export function listAnswer<Item extends z.ZodType>(item: Item) {
  return answerFrom(listWire(item), (page: Page<z.input<Item>>) => listed(page));
}

/** What a list's answer is made of. */
export function listed<Item>(page: Page<Item>) {
  return {
    details: {
      totalResult: String(page.total),
      ...(page.hasMoreThanTotal === true && { hasMoreThanTotal: true }),
      processedSequence: page.processedSequence,
      viewTimestamp: page.viewedAt.toISOString(),
    },
    result: page.items,
    nextCursor: page.next && writeCursor(page.next),
  };
}

/** A list in the answer, for lists with additional members. */
export function listWire<Item extends z.ZodType>(item: Item) {
  return z.object({
    details: z.object({
      totalResult: z.string().regex(/^\d+$/).optional(),
      hasMoreThanTotal: z
        .boolean()
        .optional()
        .meta({ description: 'There are more than `totalResult`, at which counting stopped.' }),
      processedSequence: z.string().regex(/^\d+$/).optional(),
      viewTimestamp: z.iso.datetime().optional(),
    }),
    // zero values are left out, an empty list among them
    result: z.array(item).readonly().optional(),
    nextCursor: nextCursorField,
  });
}
