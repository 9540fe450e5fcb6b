import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { words } from '../app/words.ts';
import type { Orders, Sorted } from '../shared/sorting.tsx';
import type { Tone } from '../shared/state.tsx';

// not those of the pages of users: the first page of all shows states, too, and would load them
const { userStates: states } = words({ en, de });

type UserList = Answered<'/management/v1/users', 'get'>;
export type User = UserList['result'][number];

export interface UserSearch {
  readonly search?: string | undefined;
  readonly state?: string | undefined;
  readonly type?: 'TYPE_HUMAN' | 'TYPE_MACHINE' | undefined;
  readonly limit?: number;
  readonly cursor?: string | undefined;
  readonly sorted?: Sorted;
}

/** What people, and service users, can be put in order by. */
export const USER_ORDERS = {
  name: 'USER_FIELD_NAME_DISPLAY_NAME',
  email: 'USER_FIELD_NAME_EMAIL',
  created: 'USER_FIELD_NAME_CREATION_DATE',
} as const satisfies Orders;
export const SERVICE_USER_ORDERS = {
  name: USER_ORDERS.name,
  created: USER_ORDERS.created,
} as const satisfies Orders;

/** Users who have these words in a name, an address or a number. */
export async function findUsers(
  orgId: string,
  { limit = 50, sorted, ...asked }: UserSearch,
): Promise<UserList> {
  const order = sorted && { ...sorted, asc: String(sorted.asc) };
  const query = Object.fromEntries(
    Object.entries({ ...asked, ...order, limit: String(limit) }).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  );
  return await answered(api.GET('/management/v1/users', { params: { ...inOrganization(orgId), query } }));
}

export function nameOf(user: User): string {
  return user.human?.profile.displayName ?? user.machine?.name ?? user.userName;
}

export const USER_STATES: Readonly<Record<User['state'], { readonly label: string; readonly tone: Tone }>> = {
  USER_STATE_ACTIVE: { label: states.active, tone: 'good' },
  USER_STATE_INITIAL: { label: states.initial, tone: 'warning' },
  USER_STATE_INACTIVE: { label: states.inactive, tone: 'quiet' },
  USER_STATE_LOCKED: { label: states.locked, tone: 'bad' },
};
