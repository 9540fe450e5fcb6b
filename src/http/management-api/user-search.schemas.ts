import { z } from 'zod';
import { camelCase } from '../../domain/imports/records/read-fields.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { UserId } from '../../domain/shared/ids.js';
import type { SearchedText, UserFilter } from '../../domain/users/user-filter.js';
import { cursorPageField, TEXT_METHODS } from '../shared/lists.js';
import { storable } from '../shared/schemas/api-fields.js';
import { wireEnum } from '../shared/schemas/wire-enum.js';

/** More conditions than anybody types, few enough to be answered. */
const MOST_QUERIES = 20;
/** As many as a page of something that names users. */
const MOST_IDS = 100;

const METHODS = {
  ...TEXT_METHODS,
  TEXT_QUERY_METHOD_ENDS_WITH: ['ends-with', false],
  TEXT_QUERY_METHOD_ENDS_WITH_IGNORE_CASE: ['ends-with', true],
} as const;
type Method = keyof typeof METHODS;

/** The names of states, some of which nobody is ever in. */
export const userStateField = wireEnum({
  USER_STATE_UNSPECIFIED: undefined,
  USER_STATE_ACTIVE: 'active',
  USER_STATE_INACTIVE: 'inactive',
  // deleted users are not found, and nobody is suspended
  USER_STATE_DELETED: undefined,
  USER_STATE_LOCKED: 'locked',
  USER_STATE_SUSPEND: undefined,
  USER_STATE_INITIAL: 'initial',
});

export const userTypeField = wireEnum({
  TYPE_UNSPECIFIED: undefined,
  TYPE_HUMAN: 'human',
  TYPE_MACHINE: 'machine',
});

const words = storable(
  z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
    .min(1, 'must not be empty')
    .max(200, 'is too long'),
);
const method = wireEnum(
  Object.fromEntries(Object.keys(METHODS).map((name) => [name, name])) as Record<Method, Method>,
).default('TEXT_QUERY_METHOD_EQUALS');

function textQuery(name: string, field: SearchedText) {
  const schema = z.strictObject({ [name]: words, method }).transform((query): UserFilter => {
    const [compared, ignoreCase] = METHODS[query['method'] as Method];
    return { field, method: compared, ignoreCase, value: query[name] as string };
  });
  return schema;
}

/** Names of the conditions are those of ZITADEL's v1 API: `{"emailQuery":{"emailAddress":"…","method":"…"}}`. */
const QUERIES: Readonly<Record<string, z.ZodType<UserFilter>>> = {
  userNameQuery: textQuery('userName', 'userName'),
  firstNameQuery: textQuery('firstName', 'firstName'),
  lastNameQuery: textQuery('lastName', 'lastName'),
  nickNameQuery: textQuery('nickName', 'nickName'),
  displayNameQuery: textQuery('displayName', 'displayName'),
  emailQuery: textQuery('emailAddress', 'email'),
  loginNameQuery: textQuery('loginName', 'loginName'),
  inUserIdsQuery: z
    .strictObject({
      userIds: z
        .array(words, { error: 'must be a list of ids' })
        .min(1, 'must not be empty')
        .max(MOST_IDS, `must have at most ${MOST_IDS} entries`),
    })
    .transform(({ userIds }): UserFilter => ({ field: 'id', values: userIds as UserId[] })),
  stateQuery: z
    .strictObject({ state: userStateField })
    .transform(({ state: value }): UserFilter => ({ field: 'state', value })),
  typeQuery: z
    .strictObject({ type: userTypeField })
    .transform(({ type: value }): UserFilter => ({ field: 'type', value })),
};

const condition = z.unknown().transform((given, context): UserFilter => {
  const refuse = (message: string): never => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const entry = typeof given === 'object' && given !== null ? Object.entries(camelCased(given)) : [];
  const [only] = entry;
  if (only === undefined || entry.length !== 1) return refuse('must be an object with one query');
  const [name, query] = only;
  const schema = Object.hasOwn(QUERIES, name) ? QUERIES[name] : undefined;
  if (schema === undefined) return refuse(`must be one of ${Object.keys(QUERIES).join(', ')}`);
  const read = schema.safeParse(typeof query === 'object' && query !== null ? camelCased(query) : query);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? `has an unknown field "${issue.keys[0]}"` : undefined;
  return refuse(`${name} ${[...(issue?.path ?? []), unknown ?? issue?.message ?? 'is invalid'].join(' ')}`);
});

function camelCased(fields: object): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => [camelCase(name), value as unknown] as const);
  const names = new Set<string>();
  for (const [name] of entries) {
    if (names.has(name)) {
      throw new ApiError('invalid-argument', `field "queries.${name}" is given twice, also in snake_case`);
    }
    names.add(name);
  }
  return Object.fromEntries(entries);
}

/** Body of `users/_search`; all conditions must hold. */
export const userSearchBody = z
  .strictObject({
    query: cursorPageField,
    queries: z.array(condition).max(MOST_QUERIES).default([]),
  })
  .meta({
    examples: [
      {
        query: { offset: '0', limit: 20, asc: true },
        queries: [
          { emailQuery: { emailAddress: '@example.com', method: 'TEXT_QUERY_METHOD_ENDS_WITH_IGNORE_CASE' } },
          { stateQuery: { state: 'USER_STATE_ACTIVE' } },
        ],
      },
    ],
  })
  .prefault({});
