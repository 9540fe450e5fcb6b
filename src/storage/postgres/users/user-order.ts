// SQL by hand: each order of users is that of one index, with its operators (text_pattern_ops)
import type { UserListQuery, UserOrder } from '../../../domain/users/user-list.js';
import type { Parameter } from './user-words.js';

// Orders by a text are those of the indexes that searches have (`text_pattern_ops`): letter by letter as they are numbered,
// whatever their case. `~<~` and its like compare so.

type Ordered = Pick<UserListQuery, 'by' | 'ascending' | 'type' | 'state'>;

/** Where users `u` are walked through in an order, which an index of the first table serves. */
interface Walk {
  readonly from: string;
  readonly id: string;
  readonly key: string;
  readonly orgId: string;
}

const SERVICE_USERS = 'service_users o JOIN users u ON u.id = o.user_id';
// OFFSET 0 keeps the planner from reading the tables as a whole, to join and sort them
const PEOPLE =
  'user_humans o CROSS JOIN LATERAL (SELECT n.* FROM users n WHERE n.id = o.user_id OFFSET 0) AS u';
// a state that few are in has an index of its own, and those few can be sorted
const PEOPLE_IN_A_STATE = 'user_humans o JOIN users u ON u.id = o.user_id';

const NAMES = {
  displayName: 'display_name',
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
} as const satisfies Partial<Record<UserOrder, string>>;

export function orderOf({ by = 'createdAt', type, state }: Ordered): Walk {
  const orgId = 'o.org_id';
  if (type === 'machine') {
    const key = { createdAt: 'o.user_id', userName: 'lower(u.user_name)', displayName: 'lower(o.name)' };
    if (!(by in key)) throw noOrder(by);
    return { from: SERVICE_USERS, id: 'o.user_id', key: key[by as keyof typeof key], orgId };
  }
  if (by === 'createdAt') return { from: 'users u', id: 'u.id', key: 'u.id', orgId: 'u.org_id' };
  if (by === 'userName') return { from: 'users u', id: 'u.id', key: 'lower(u.user_name)', orgId: 'u.org_id' };
  if (type !== 'human') throw noOrder(by);
  const from = state === undefined || state === 'active' ? PEOPLE : PEOPLE_IN_A_STATE;
  return { from, id: 'o.user_id', key: `lower(o.${NAMES[by]})`, orgId };
}

/** Whether people are walked through by their names, of whom many may have the same one, and few the state. */
export function walksPeople(search: Ordered): boolean {
  return orderOf(search).from === PEOPLE;
}

/** The same of users `u` with the rows `h` and `m` of their kind. */
export function keyOfUser({ by = 'createdAt', type }: Ordered): string {
  if (by === 'createdAt') return 'u.id';
  if (by === 'userName') return 'lower(u.user_name)';
  return type === 'machine' ? 'lower(m.name)' : `lower(h.${NAMES[by]})`;
}

interface Columns {
  readonly id?: string;
  readonly key?: string;
}

/** What stands after ORDER BY. */
export function ordered(
  { by, ascending = false }: Ordered,
  { id = 'id', key = 'key' }: Columns = {},
): string {
  const direction = ascending ? 'ASC' : 'DESC';
  return isById(by) ? `${id} ${direction}` : `${key} USING ${ascending ? '~<~' : '~>~'}, ${id} ${direction}`;
}

/** SQL: whether a user comes after the cursor. */
export function afterUser(
  { by, ascending = false, after }: Ordered & Pick<UserListQuery, 'after'>,
  { id = 'id', key = 'key' }: Columns,
  parameter: Parameter,
): string {
  if (after === undefined) return 'true';
  const [beyond, from, past] = ascending ? ['>', '~>=~', '~>~'] : ['<', '~<=~', '~<~'];
  const isPast = `${id} ${beyond} ${parameter(after.id)}::text`;
  if (isById(by)) return isPast;
  const value = `${parameter(after.key)}::text`;
  return `${key} ${from} ${value} AND (${key} ${past} ${value} OR ${isPast})`;
}

function isById(by: UserOrder | undefined): boolean {
  return by === undefined || by === 'createdAt';
}

function noOrder(by: UserOrder): Error {
  return new Error(`users of this kind have no order by ${by}`);
}
