import type { UserId } from '../shared/ids.js';
import type { UserState } from './user.js';

export type SearchedText =
  'userName' | 'loginName' | 'displayName' | 'nickName' | 'firstName' | 'lastName' | 'email';

/** A condition on one field; case counts unless told otherwise. */
export interface TextFilter {
  readonly field: SearchedText;
  readonly method: 'equals' | 'starts-with' | 'ends-with' | 'contains';
  readonly ignoreCase: boolean;
  readonly value: string;
}

export type UserFilter =
  | TextFilter
  | { readonly field: 'id'; readonly values: readonly UserId[] }
  | { readonly field: 'state'; readonly value: UserState }
  /** Anything but inactive. */
  | { readonly field: 'active'; readonly value: boolean }
  /** The id that a directory gave. */
  | { readonly field: 'externalId'; readonly value: string }
  /** The user name, with the organization's primary domain behind it or without, whatever its case. */
  | { readonly field: 'signInName'; readonly value: string }
  | { readonly field: 'type'; readonly value: 'human' | 'machine' };
