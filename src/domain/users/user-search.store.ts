import type { OrgId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { User, UserState } from './user.js';

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
  | { readonly field: 'state'; readonly value: UserState }
  | { readonly field: 'type'; readonly value: 'human' | 'machine' };

export abstract class UserSearchStore {
  /** Users of an organization that meet every condition, ordered by id. */
  abstract search(orgId: OrgId, filters: readonly UserFilter[], page: PageQuery): Promise<Page<User>>;
}
