import { z } from 'zod';
import type { GroupCondition } from '../../domain/scim/provisioning.store.js';
import type { UserId } from '../../domain/shared/ids.js';
import type { AnyOf, UserCondition, UserFilter } from '../../domain/users/user-filter.js';
import { ScimError } from '../shared/scim-errors.js';
import { alternativesOf } from './alternatives.js';
import { isObject, withoutSchema } from './attributes.js';
import { invalid, parseFilter, type Comparison, type Filter } from './filter.js';
import { keyOfGroup } from './group-id.js';

export const MOST_RESULTS = 200;
const USUAL_RESULTS = 100;

/** RFC 7644 §3.4.2; numbers out of range are brought into it (§3.4.2.4), and sorting is not offered. */
const listSchema = z.looseObject({
  filter: z.string().optional(),
  startIndex: z.coerce.number().int().optional(),
  count: z.coerce.number().int().optional(),
});

/** More than all schemas have together. Each name is looked for in every resource of an answer. */
const MOST_NAMES = 100;
const LONGEST_NAME = 200;

interface ListQuery {
  readonly filter: Filter | undefined;
  readonly startIndex: number;
  readonly page: { readonly offset: number; readonly limit: number };
}

/** Names of attributes, in lower case and without the schema of the resource; the one or the other. Made once for a request. */
export interface Projection {
  /** Undefined for all. */
  readonly attributes: ReadonlySet<string> | undefined;
  /** Attributes of which a part is asked for: `name` for `name.givenName`. */
  readonly parts: ReadonlySet<string>;
  readonly excluded: ReadonlySet<string>;
}

/** Of a URL, or of the body of `.search`. @throws ScimError */
export function readListQuery(given: unknown): ListQuery {
  const read = listSchema.safeParse(given ?? {});
  if (!read.success)
    throw new ScimError('invalidValue', 'startIndex and count must be whole numbers, each there once');
  const { filter, startIndex: start = 1, count = USUAL_RESULTS } = read.data;
  const startIndex = Math.min(Math.max(start, 1), 1_000_000_000);
  const limit = Math.min(Math.max(count, 0), MOST_RESULTS);
  return {
    filter: filter === undefined ? undefined : parseFilter(filter),
    startIndex,
    page: { offset: startIndex - 1, limit },
  };
}

/** Read before anything is changed: what was done is not refused afterwards. @throws ScimError invalidValue */
export function readProjection(given: unknown, schema: string): Projection {
  const asked = isObject(given) ? given : {};
  const names = namesOf('attributes', asked['attributes'], schema);
  return {
    attributes: names.size === 0 ? undefined : names,
    parts: new Set(
      [...names].filter((name) => name.includes('.')).map((name) => name.split('.', 1)[0] ?? ''),
    ),
    excluded: namesOf('excludedAttributes', asked['excludedAttributes'], schema),
  };
}

function namesOf(field: string, given: unknown, schema: string): ReadonlySet<string> {
  if (given === undefined || given === null) return new Set();
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given];
  const names: string[] = [];
  for (const text of texts) {
    if (typeof text !== 'string') throw new ScimError('invalidValue', `${field} must be names of attributes`);
    // one more than there may be is enough to know, however many commas there are
    names.push(...text.split(',', MOST_NAMES + 1));
    if (names.length > MOST_NAMES)
      throw new ScimError('invalidValue', `${field} can have ${MOST_NAMES} names at most`);
  }
  if (names.some((name) => name.length > LONGEST_NAME)) {
    throw new ScimError('invalidValue', `a name in ${field} can have ${LONGEST_NAME} characters at most`);
  }
  return new Set(names.map((name) => bare(name.trim().toLowerCase(), schema)).filter((name) => name !== ''));
}

function bare(name: string, schema: string): string {
  const prefix = `${schema.toLowerCase()}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** @throws ScimError invalidFilter */
export function userFilters(filter: Filter | undefined, schema: string): readonly UserFilter[] {
  const alternatives = alternativesOf(filter, (path, comparison) => {
    const wanted = wantedOf(path, comparison, schema);
    return isOfEveryone(wanted) || userCondition(wanted);
  });
  const [only, ...others] = alternatives;
  // without alternatives the filters stand side by side, and need no search within the search
  if (only !== undefined && others.length === 0 && only.every(({ negated }) => !negated)) {
    return only.map(({ condition }) => condition);
  }
  return [{ field: 'anyOf', value: alternatives }];
}

/** @throws ScimError invalidFilter */
export function groupFilter(
  filter: Filter | undefined,
  schema: string,
  projectId: string | null,
): AnyOf<GroupCondition> {
  return alternativesOf(filter, (path, comparison) => {
    const { name, operator, value } = wantedOf(path, comparison, schema);
    if (operator !== 'eq' || typeof value !== 'string') throw unusable(name, operator);
    switch (name) {
      case 'id':
        return { field: 'key', value: keyOfGroup(value, projectId) ?? '' };
      case 'displayname':
        return { field: 'displayName', value };
      case 'externalid':
        return { field: 'externalId', value };
      case 'members':
      case 'members.value':
        return { field: 'member', value: value as UserId };
      default:
        throw unusable(name, operator);
    }
  });
}

interface Wanted extends Omit<Comparison, 'path'> {
  /** Lower case, with the attribute that a value path is of. */
  readonly name: string;
}

function wantedOf(path: string, comparison: Comparison, schema: string): Wanted {
  const name = withoutSchema(path, schema);
  if (name === undefined) throw unusable(comparison.path, comparison.operator);
  return { ...comparison, name: name.toLowerCase() };
}

const TEXTS = {
  displayname: 'displayName',
  nickname: 'nickName',
  'name.givenname': 'firstName',
  'name.familyname': 'lastName',
  emails: 'email',
  'emails.value': 'email',
} as const;

/** Every address that is kept is the primary one of type work. */
function isOfEveryone({ name, operator, value }: Wanted): boolean {
  if (operator !== 'eq') return false;
  if (name === 'emails.type') return String(value).toLowerCase() === 'work';
  return name === 'emails.primary' && value === true;
}

/** Found by an index, or true of most: other conditions would read every user of an organization. @throws ScimError */
function userCondition({ name, operator, value }: Wanted): UserCondition {
  if (name === 'active' && operator === 'eq') {
    const text = String(value).toLowerCase();
    if (text === 'true' || text === 'false') return { field: 'active', value: text === 'true' };
  }
  if (typeof value !== 'string') throw unusable(name, operator);
  if (operator === 'eq') {
    if (name === 'id') return { field: 'id', values: [value as UserId] };
    if (name === 'externalid') return { field: 'externalId', value };
    if (name === 'username') return { field: 'signInName', value };
  }
  const method = operator === 'eq' ? 'equals' : operator === 'sw' ? 'starts-with' : undefined;
  const field = name === 'username' ? 'userName' : TEXTS[name as keyof typeof TEXTS];
  if (method === undefined || (field as string | undefined) === undefined) throw unusable(name, operator);
  return { field, method, ignoreCase: true, value };
}

function unusable(name: string, operator: string): ScimError {
  return invalid(`${name.slice(0, 100)} cannot be looked for by ${operator}`);
}
