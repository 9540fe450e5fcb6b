// SQL by hand: each combination of filters has a statement of its own, not prepared, so that the planner sees the values
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import { canonicalName } from '../../../domain/users/names/canonical-name.js';
import { domainInAscii, partsOfName } from '../../../domain/users/names/user-name.js';
import type {
  AnyOf,
  SearchedText,
  Term,
  TextFilter,
  UserCondition,
  UserFilter,
} from '../../../domain/users/user-filter.js';
import type { User } from '../../../domain/users/user.js';
import { pageFrom, shownOf, VIEW_COLUMNS, type ViewRow } from '../page-of-rows.js';
import { LONGEST_SEARCH_MS, withinTime } from '../search-time-limit.js';
import type { Sql } from '../sql.js';
import { loginName } from './login-name.js';
import { toUser, USER_COLUMNS, USER_JOINS, type UserRow } from './user-rows.js';

const COLUMNS: Readonly<Record<Exclude<SearchedText, 'loginName'>, string>> = {
  userName: 'u.user_name',
  displayName: 'h.display_name',
  nickName: 'h.nick_name',
  firstName: 'h.first_name',
  lastName: 'h.last_name',
  email: 'h.email',
};

/** Three letters or digits in a row: an index of trigrams can find that, and has to be read as a whole for less. */
export const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u;

/** Conditions as SQL, with the values they refer to. */
class Conditions {
  readonly texts: string[] = [];

  constructor(readonly values: unknown[]) {}

  add(text: (parameter: string) => string, value: unknown): void {
    this.values.push(value);
    this.texts.push(text(`$${this.values.length}`));
  }

  /** A parameter of its own for each value. */
  parameter(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** Of the migration 1764000300000: what is searched of a human, as one. */
export const INSIDE_HUMAN = ['first_name', 'last_name', 'nick_name', 'display_name', 'email']
  .map((column) => `coalesce(h.${column}, '')`)
  .join(` || ' ' || `);

/**
 * Searches by statements of their own shape, so they are not prepared: the planner sees the values, and picks the
 * index on lower(…) for equality and for beginnings, and that of trigrams for what is inside, where the database has
 * it. What no index helps with is looked for among the organization's users one by one, for as long as is bearable.
 */
export class UserSearch {
  protected readonly longestMs: number = LONGEST_SEARCH_MS;

  constructor(private readonly sql: Pick<Sql, 'transaction' | 'rows' | 'row'>) {}

  async search(orgId: OrgId, filters: readonly UserFilter[], page: PageQuery): Promise<Page<User>> {
    const { found, count } = searchStatements(orgId, filters, page);
    return await withinTime(
      this.sql,
      async (tx) => {
        const rows = await this.sql.rows<UserRow>({ name: '', text: found.text }, found.values, tx);
        const view = await this.sql.row<ViewRow>({ name: '', text: count.text }, count.values, tx);
        const { shown, ...next } = shownOf(rows, page, ({ id }) => ({ key: id, id }));
        return { ...pageFrom(shown.map(toUser), view), ...next };
      },
      {
        longestMs: this.longestMs,
        advice: 'ask for beginnings, or for more that is known',
        errorId: 'QUERY-t6Rw3',
      },
    );
  }
}

/** What of a user is asked for without looking through texts. */
const BY_ITSELF: ReadonlySet<UserFilter['field']> = new Set([
  'state',
  'type',
  'id',
  'active',
  'externalId',
  'signInName',
]);

interface SearchStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The page of a search, and how many there are. */
export function searchStatements(
  orgId: OrgId,
  filters: readonly UserFilter[],
  { offset, limit, ascending, after }: PageQuery,
): { readonly found: SearchStatement; readonly count: SearchStatement } {
  const conditions = new Conditions([orgId]);
  for (const filter of filters) addFilter(conditions, filter);
  const where = ["u.org_id = $1 AND u.state <> 'deleted'", ...conditions.texts].join('\n AND ');
  const joins = filters.length === 0 ? '' : USER_JOINS;
  const { values } = conditions;
  const direction = ascending ? 'ASC' : 'DESC';
  const [from, most, place] = [1, 2, 3].map((n) => `$${values.length + n}`);
  const isPast = after === undefined ? 'true' : `u.id ${ascending ? '>' : '<'} ${place}::text`;
  // those that a text is looked for in are found first: in the order of ids, a whole organization may come before them
  const all = filters.some(({ field }) => !BY_ITSELF.has(field))
    ? `WITH named AS MATERIALIZED (SELECT u.id FROM users u ${joins} WHERE ${where}) SELECT u.id FROM named u WHERE ${isPast}`
    : `SELECT u.id FROM users u ${joins} WHERE ${where} AND ${isPast}`;
  const found = `
      SELECT ${USER_COLUMNS}
      FROM (${all} ORDER BY u.id ${direction} OFFSET ${from} LIMIT ${most}) page JOIN users u ON u.id = page.id
      ${USER_JOINS} ORDER BY u.id ${direction}`;
  const count = `SELECT count(*)::integer AS total, ${VIEW_COLUMNS} FROM users u ${joins} WHERE ${where}`;
  return {
    found: {
      text: found,
      // one more than is shown, where there is another
      values: [...values, offset, limit + 1, ...(after === undefined ? [] : [after.id])],
    },
    count: { text: count, values },
  };
}

function addFilter(conditions: Conditions, filter: UserFilter): void {
  if (filter.field === 'anyOf') conditions.texts.push(anyOf(conditions, filter.value));
  else if (filter.field === 'state') conditions.add((value) => `u.state = ${value}`, filter.value);
  else if (filter.field === 'id') conditions.add((value) => `u.id = ANY(${value})`, filter.values);
  else if (filter.field === 'type') conditions.add((value) => `u.kind = ${value}`, filter.value);
  else if (filter.field === 'active')
    conditions.texts.push(filter.value ? `u.state <> 'inactive'` : `u.state = 'inactive'`);
  else if (filter.field === 'externalId') {
    conditions.add(
      (value) =>
        `u.id = (SELECT p.user_id FROM provisioned_users p WHERE p.org_id = $1 AND p.external_id = ${value})`,
      filter.value,
    );
  } else if (filter.field === 'signInName') addSignInName(conditions, filter.value);
  else if (filter.field === 'loginName') addLoginName(conditions, filter);
  else {
    // said of both tables, so that the index of either can begin
    if (filter.field !== 'userName') conditions.texts.push('h.org_id = $1');
    conditions.texts.push(matches(conditions, COLUMNS[filter.field], filter));
  }
}

/**
 * Each alternative that an index can begin with is a search of its own, since an OR of columns of several tables begins with
 * none. All others are asked in one search together, so that the organization is walked through once at most, as for one
 * filter that no index helps with.
 */
function anyOf(conditions: Conditions, alternatives: AnyOf<UserCondition>): string {
  const isFound = ({ condition: { field }, negated }: Term<UserCondition>): boolean =>
    !negated && !WALKED.has(field);
  const indexed = alternatives.filter((terms) => terms.some(isFound));
  const walked = alternatives.filter((terms) => !terms.some(isFound));
  const searches = indexed.map((terms) => together(conditions, terms));
  if (walked.length > 0) {
    const each = walked.map((terms) => together(conditions, terms));
    searches.push(`(${each.join('\n OR ')})`);
  }
  if (searches.length === 0) return 'false';
  const selects = searches.map(
    (where) =>
      `SELECT u.id FROM users u ${USER_JOINS} WHERE u.org_id = $1 AND u.state <> 'deleted' AND ${where}`,
  );
  return `u.id IN (${selects.join('\n UNION ')})`;
}

/** What no index is begun with. */
const WALKED: ReadonlySet<UserCondition['field']> = new Set(['state', 'type', 'active', 'nickName']);

function together(conditions: Conditions, terms: readonly Term<UserCondition>[]): string {
  const texts = terms.map(({ condition, negated }) => {
    const one = new Conditions(conditions.values);
    addFilter(one, condition);
    const text = one.texts.join(' AND ');
    return negated ? `(${text}) IS NOT TRUE` : text;
  });
  return `(${['true', ...texts].join('\n AND ')})`;
}

/** By the names that people sign in with, of which there is one; `ada@acme.test` is `ada` where that domain is the primary one. */
function addSignInName(conditions: Conditions, name: string): void {
  const canonical = canonicalName(name);
  const parts = partsOfName(canonical);
  const names = [`i.canonical = ${conditions.parameter(canonical)}`];
  if (parts !== undefined) {
    const local = conditions.parameter(parts.local);
    const domain = conditions.parameter(domainInAscii(parts.domain));
    names.push(
      `(i.canonical = ${local} AND EXISTS (SELECT FROM organization_domains o
         WHERE o.org_id = $1 AND o.is_primary AND o.domain = ${domain}))`,
    );
  }
  conditions.texts.push(
    `u.id IN (SELECT i.user_id FROM login_identifiers i
       WHERE i.org_id = $1 AND i.kind = 'user_name' AND (${names.join(' OR ')}))`,
  );
}

/** The part before an `@` is looked for as a user name, which there is an index for. */
function addLoginName(conditions: Conditions, filter: TextFilter): void {
  const whole = matches(conditions, `(${loginName()})`, filter);
  if (filter.method !== 'equals' && filter.method !== 'starts-with') {
    conditions.texts.push(whole);
    return;
  }
  const ats = [...filter.value.matchAll(/@/g)].map((at) => at.index);
  const names = ats.map((at) =>
    matches(conditions, 'u.user_name', { ...filter, method: 'equals', value: filter.value.slice(0, at) }),
  );
  names.push(matches(conditions, 'u.user_name', filter));
  conditions.texts.push(`(${names.join(' OR ')})`, whole);
}

function matches(conditions: Conditions, column: string, filter: TextFilter): string {
  const { method, value, ignoreCase } = filter;
  const parameter = `${conditions.parameter(value)}::text`;
  const exact = (of: (text: string, wanted: string) => string): string =>
    ignoreCase ? of(`lower(${column})`, `lower(${parameter})`) : of(column, parameter);
  switch (method) {
    case 'equals': {
      const folded = `lower(${column}) = lower(${parameter})`;
      return ignoreCase ? folded : `(${folded} AND ${column} = ${parameter})`;
    }
    case 'starts-with': {
      // the pattern is for the index; a wildcard in it is escaped
      const pattern = `lower(${conditions.parameter(startsPattern(value))}::text)`;
      return `(lower(${column}) LIKE ${pattern} AND ${exact((text, wanted) => `starts_with(${text}, ${wanted})`)})`;
    }
    case 'ends-with':
      return exact((text, wanted) => `right(${text}, length(${wanted})) = ${wanted}`);
    case 'contains': {
      const inside = exact((text, wanted) => `strpos(${text}, ${wanted}) > 0`);
      const indexed =
        column === COLUMNS.userName ? column : column.startsWith('h.') ? INSIDE_HUMAN : undefined;
      if (indexed === undefined || !HAS_TRIGRAM.test(value)) return inside;
      const pattern = `lower(${conditions.parameter(containsPattern(value))}::text)`;
      return `(lower(${indexed}) LIKE ${pattern} AND ${inside})`;
    }
  }
}

/** For LIKE: a wildcard in the text stands for itself. */
export function startsPattern(text: string): string {
  return `${escapeLike(text)}%`;
}

export function containsPattern(text: string): string {
  return `%${escapeLike(text)}%`;
}

export function endsPattern(text: string): string {
  return `%${escapeLike(text)}`;
}

export function escapeLike(value: string): string {
  return value.replace(/[\\%_]/g, '\\$&');
}
