// SQL by hand: conditions and order of the statements that list users after a cursor
import type { OrgId } from '../../../domain/shared/ids.js';
import type { UserListQuery } from '../../../domain/users/user-list.js';
import { afterUser, ordered, orderOf } from './user-order.js';
import type { Parameter, UserWord } from './user-words.js';

/** Checking this many users one by one costs less than looking up all that an index finds. */
export const NEAR = 1000;
/** At most this many are checked one by one, where an index finds too many to sort; what is looked for may not be spread evenly. */
export const FAR = 20_000;

/** What is asked of one organization, with words that were read. */
export interface UserListSearch extends Omit<UserListQuery, 'words'> {
  readonly orgId: OrgId;
  readonly words: readonly UserWord[];
}

export interface ListStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export function statement(orgId: OrgId, write: (parameter: Parameter) => string): ListStatement {
  const values: unknown[] = [orgId];
  return { text: write((value) => `$${values.push(value)}`), values };
}

/** Of users `u` of the organization in the first parameter. */
export function isListed(
  { state, type }: Pick<UserListSearch, 'state' | 'type'>,
  parameter: Parameter,
): string {
  const conditions = ["u.org_id = $1 AND u.state <> 'deleted'"];
  if (state !== undefined) conditions.push(`u.state = ${parameter(state)}`);
  if (type !== undefined) conditions.push(`u.kind = ${parameter(type)}`);
  return conditions.join(' AND ');
}

/**
 * Users `u` in the order asked for, with the `key` of that order. Service users are few, and everybody may come before them.
 *
 * @param more another condition, after an AND
 */
export function walked(
  search: UserListSearch,
  parameter: Parameter,
  most: number | undefined,
  more = '',
): string {
  const { from, id, key, orgId } = orderOf(search);
  const after = search.after === undefined ? '' : `AND ${afterUser(search, { id, key }, parameter)}`;
  const limit = most === undefined ? '' : `LIMIT ${most}`;
  return `
    SELECT u.id, u.user_name, u.kind, ${key} AS key FROM ${from}
    WHERE ${isListed(search, parameter)} AND ${orgId} = $1 ${after} ${more} ORDER BY ${ordered(search, { id, key })} ${limit}`;
}
