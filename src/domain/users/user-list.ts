import type { UserId } from '../shared/ids.js';
import type { User, UserState } from './user.js';

/** Which users of an organization are wanted, and from where on. */
export interface UserListQuery {
  /** Each of these words must begin or, where it has three letters, be in a name, an address or a number; or be the id. */
  readonly words: readonly string[];
  readonly state?: UserState | undefined;
  readonly type?: 'human' | 'machine' | undefined;
  /** The last one of the page before. */
  readonly after?: UserId | undefined;
  readonly limit: number;
}

/** Newest first. */
export interface UserList {
  readonly users: readonly User[];
  /** Where the next page begins; undefined at the end. */
  readonly next: UserId | undefined;
  /** How many there are, up to `MOST_COUNTED` and one. */
  readonly counted: number;
}
