// SQL by hand: words are looked for in three tables by what index each has, and a page begins after an id
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { MOST_COUNTED, type UserList, type UserListQuery } from '../../../domain/users/user-list.js';
import type { Sql } from '../sql.js';
import { withinTime } from '../within-time.js';
import { toUser, USER_COLUMNS, USER_JOINS, type UserRow } from './user-rows.js';
import { containsPattern, HAS_TRIGRAM, INSIDE_HUMAN, startsPattern } from './user-search.js';

/** Beginnings that an index of each finds; `phone` is few rows of an organization and has none. */
const BEGINNINGS = ['h.display_name', 'h.first_name', 'h.last_name', 'h.email'] as const;

/**
 * The list that people look through: one page after an id, found by words that may be anywhere. Not prepared, as the planner
 * must see the words.
 */
export class UserLists {
  constructor(private readonly sql: Sql) {}

  /** @throws ApiError resource-exhausted when it takes longer than a search may */
  async list(orgId: OrgId, query: UserListQuery): Promise<UserList> {
    const { page, count } = listStatements(orgId, query);
    return await withinTime(
      this.sql,
      async (tx) => {
        const rows = await this.sql.rows<UserRow>({ name: '', text: page.text }, page.values, tx);
        const counted = await this.sql.row<{ counted: number }>(
          { name: '', text: count.text },
          count.values,
          tx,
        );
        const users = rows.slice(0, query.limit).map(toUser);
        const next = rows.length > query.limit ? users.at(-1)?.id : undefined;
        return { users, next, counted: counted?.counted ?? 0 };
      },
      { longestMs: 5000, advice: 'ask for more letters', errorId: 'QUERY-uL4s7' },
    );
  }

  /** Who is found, and nothing else of them. @throws ApiError as `list` */
  async listIds(orgId: OrgId, query: UserListQuery): Promise<readonly UserId[]> {
    const { text, values } = idsStatement(orgId, query);
    return await withinTime(
      this.sql,
      async (tx) => {
        const rows = await this.sql.rows<{ id: UserId }>({ name: '', text }, values, tx);
        return rows.map(({ id }) => id);
      },
      { longestMs: 5000, advice: 'ask for more letters', errorId: 'QUERY-uL4s7' },
    );
  }
}

interface ListStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A page, with one more that says whether there is another; and how many there are. */
export function listStatements(
  orgId: OrgId,
  { after, limit, ...search }: UserListQuery,
): { readonly page: ListStatement; readonly count: ListStatement } {
  const values: unknown[] = [orgId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const where = conditionsOf(search, parameter);
  const count = {
    text: `
      SELECT count(*)::integer AS counted
      FROM (SELECT FROM users u WHERE ${where} LIMIT ${MOST_COUNTED + 1}) AS counted`,
    values: [...values],
  };
  const from = after === undefined ? '' : `AND u.id < ${parameter(after)}`;
  const most = parameter(limit + 1);
  const page = {
    text: `
      SELECT ${USER_COLUMNS}
      FROM (SELECT u.id FROM users u WHERE ${where} ${from} ORDER BY u.id DESC LIMIT ${most}) page
      JOIN users u ON u.id = page.id ${USER_JOINS} ORDER BY u.id DESC`,
    values,
  };
  return { page, count };
}

function idsStatement(orgId: OrgId, { limit, ...search }: UserListQuery): ListStatement {
  const values: unknown[] = [orgId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const where = conditionsOf(search, parameter);
  return {
    text: `SELECT u.id FROM users u WHERE ${where} ORDER BY u.id DESC LIMIT ${parameter(limit)}`,
    values,
  };
}

/** Of users `u` of the organization in the first parameter. */
function conditionsOf(
  { words, state, type }: Omit<UserListQuery, 'after' | 'limit'>,
  parameter: (value: unknown) => string,
): string {
  const conditions = ["u.org_id = $1 AND u.state <> 'deleted'"];
  if (state !== undefined) conditions.push(`u.state = ${parameter(state)}`);
  if (type !== undefined) conditions.push(`u.kind = ${parameter(type)}`);
  for (const word of words) conditions.push(`u.id IN (${idsWith(word, parameter)})`);
  return conditions.join('\n AND ');
}

/** Ids of the users with a word, table by table. */
function idsWith(word: string, parameter: (value: unknown) => string): string {
  const human = 'SELECT h.user_id FROM user_humans h WHERE h.org_id = $1 AND';
  const starts = `lower(${parameter(startsPattern(word))}::text)`;
  const found = HAS_TRIGRAM.test(word)
    ? inside(word, human, parameter)
    : [
        ...BEGINNINGS.map((column) => `${human} lower(${column}) LIKE ${starts}`),
        `SELECT n.id FROM users n WHERE n.org_id = $1 AND lower(n.user_name) LIKE ${starts}`,
      ];
  return [
    ...found,
    `SELECT i.id FROM users i WHERE i.org_id = $1 AND i.id = ${parameter(word)}`,
    `SELECT m.user_id FROM service_users m WHERE m.org_id = $1 AND lower(m.name) LIKE ${starts}`,
  ].join('\n UNION ALL ');
}

function inside(word: string, human: string, parameter: (value: unknown) => string): readonly string[] {
  const contains = `lower(${parameter(containsPattern(word))}::text)`;
  // kept with the country's code: a zero in front stands for it
  const digits = word.replaceAll(/\D/g, '').replace(/^0+/, '');
  const phone =
    /^[\d+()./-]+$/.test(word) && digits.length >= 3
      ? [`${human} h.phone LIKE ${parameter(`%${digits}%`)}`]
      : [];
  return [
    `${human} lower(${INSIDE_HUMAN}) LIKE ${contains}`,
    `SELECT n.id FROM users n WHERE n.org_id = $1 AND lower(n.user_name) LIKE ${contains}`,
    ...phone,
  ];
}
