import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { words } from '../app/words.ts';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });

type Search = Answered<'/management/v1/users/_search', 'post'>;
export type User = NonNullable<Search['result']>[number];

export interface UserSearch {
  readonly search?: string | undefined;
  readonly state?: string | undefined;
  readonly type?: 'TYPE_HUMAN' | 'TYPE_MACHINE' | undefined;
  readonly limit?: number;
  readonly offset?: number;
}

/** Users whose names, addresses or ids have these words in them. */
export async function findUsers(
  orgId: string,
  { search, state, type, limit = 50, offset = 0 }: UserSearch,
): Promise<Search> {
  const queries = [
    ...(search === undefined || search === ''
      ? []
      : [{ displayNameQuery: { displayName: search, method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' } }]),
    ...(state === undefined || state === '' ? [] : [{ stateQuery: { state } }]),
    ...(type === undefined ? [] : [{ typeQuery: { type } }]),
  ];
  const body = { query: { limit, offset: String(offset), asc: false }, queries };
  return await answered(api.POST('/management/v1/users/_search', { params: inOrganization(orgId), body }));
}

export function nameOf(user: User): string {
  return user.human?.profile.displayName ?? user.machine?.name ?? user.userName;
}

export const USER_STATES: Readonly<Record<User['state'], { readonly label: string; readonly tone: Tone }>> = {
  USER_STATE_ACTIVE: { label: t.states.active, tone: 'good' },
  USER_STATE_INITIAL: { label: t.states.initial, tone: 'warning' },
  USER_STATE_INACTIVE: { label: t.states.inactive, tone: 'quiet' },
  USER_STATE_LOCKED: { label: t.states.locked, tone: 'bad' },
};
