import { z } from 'zod';
import type { NameMatch, Page, PageQuery } from '../../domain/shared/page.js';
import { answerFrom } from './answers.js';
import { isStorable } from './api-fields.js';
import { wireEnum } from './wire-enum.js';

/** So many entries at most in one answer, and so many where the caller does not say. */
const MOST_ENTRIES = 1000;
const USUAL_ENTRIES = 100;

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

export const pageField = z
  .strictObject(
    {
      offset: wholeNumber(0, 1_000_000_000).default(0),
      limit: wholeNumber(0, MOST_ENTRIES).default(USUAL_ENTRIES),
      asc: z.boolean().default(false),
    },
    objectRule,
  )
  .default({ offset: 0, limit: USUAL_ENTRIES, asc: false });

const METHOD = wireEnum(
  Object.fromEntries(Object.keys(TEXT_METHODS).map((method) => [method, method as Method])),
);

const nameQuery = z.preprocess(
  withCamelCase,
  z.strictObject(
    {
      nameQuery: z.strictObject(
        {
          name: z
            .string({ error: 'must be a string' })
            .min(1, 'is required')
            .max(200, 'is too long')
            .refine(isStorable, 'must not contain control characters'),
          method: METHOD.default('TEXT_QUERY_METHOD_EQUALS'),
        },
        objectRule,
      ),
    },
    objectRule,
  ),
);

function withCamelCase(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'name_query')) return value;
  const { name_query: inner, ...others } = value as Record<string, unknown>;
  return { nameQuery: inner, ...others };
}

/** Body of every `_search` whose entries have a name (protocol §4); none is an empty one. */
export const namedSearchBody = z
  .strictObject({
    query: pageField,
    queries: z
      .array(nameQuery, { error: 'must be a list' })
      .max(1, 'must have at most one entry')
      .default([]),
  })
  .meta({
    examples: [
      {
        query: { offset: '0', limit: 20, asc: true },
        queries: [{ nameQuery: { name: 'acme', method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' } }],
      },
    ],
  })
  .prefault({});
/** Body of every other `_search`. */
export const searchBody = z
  .strictObject({ query: pageField })
  .meta({ examples: [{ query: { offset: '0', limit: 20, asc: true } }] })
  .prefault({});
/** Body of calls that need none: an empty object, or nothing. */
export const nothingBody = z.strictObject({}).prefault({});

export function pageQuery({
  query,
  queries = [],
}: z.output<z.ZodObject<{ query: typeof pageField }>> & {
  readonly queries?: readonly z.output<typeof nameQuery>[];
}): PageQuery {
  // protojson leaves zero out, so a limit of zero is one that was not given
  const page = { offset: query.offset, limit: query.limit || USUAL_ENTRIES, ascending: query.asc };
  const asked = queries[0]?.nameQuery;
  if (asked === undefined) return page;
  const [match, ignoreCase] = TEXT_METHODS[asked.method];
  return { ...page, name: { text: asked.name, match, ignoreCase } };
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
  };
}

/** A list as it travels, for those that have more to tell. */
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
  });
}
