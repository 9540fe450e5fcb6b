import de from '../../../locales/console/de/credentials.json';
import en from '../../../locales/console/en/credentials.json';
import { words } from '../app/words.ts';
import { chosen, type ListSearch } from '../shared/search-body.ts';
import type { Orders } from '../shared/sorting.tsx';

const { states } = words({ en, de });

export interface Credential {
  readonly id: string;
  readonly expirationDate: string;
  readonly details: { readonly creationDate?: string | undefined };
}

export interface CredentialSearch<State extends string> extends ListSearch {
  readonly state: State | undefined;
}

/** Of a list of them: by what its order and its filter go in the address, and what the API calls them. */
export interface CredentialKind<State extends string> {
  readonly name: string;
  readonly orders: Orders;
  readonly states: Readonly<Record<State, string>>;
}

export const KEYS = {
  name: 'keys',
  orders: { created: undefined, expires: 'KEY_FIELD_NAME_EXPIRATION_DATE' },
  states: { KEY_STATE_ACTIVE: states.active, KEY_STATE_EXPIRED: states.expired },
} as const satisfies CredentialKind<string>;

export const TOKENS = {
  name: 'tokens',
  orders: { created: undefined, expires: 'PERSONAL_ACCESS_TOKEN_FIELD_NAME_EXPIRATION_DATE' },
  states: {
    PERSONAL_ACCESS_TOKEN_STATE_ACTIVE: states.active,
    PERSONAL_ACCESS_TOKEN_STATE_EXPIRED: states.expired,
  },
} as const satisfies CredentialKind<string>;

export type KeySearch = CredentialSearch<keyof typeof KEYS.states>;
export type TokenSearch = CredentialSearch<keyof typeof TOKENS.states>;

/** The state that the address asks for. */
export function stateIn<State extends string>(
  kind: CredentialKind<State>,
  filters: Readonly<Partial<Record<string, string>>>,
): State | undefined {
  return chosen(filters[kind.name], kind.states);
}

/** As it stands in the address of a call. */
export function inAddress({ sorted, limit = 50, cursor, state }: CredentialSearch<string>) {
  const asked = { ...sorted, asc: String(sorted?.asc ?? false), limit: String(limit), cursor, state };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}
