import type { Cursor } from '../shared/page.js';
import type { User, UserState } from './user.js';

/**
 * What users can be put in order by. Ids are given in the order of time, and stand for it. The name that is shown is not kept
 * in one place for people and service users, so that its list is of one kind; an address and names apart only people have.
 */
export type UserOrder = 'createdAt' | 'userName' | 'displayName' | 'firstName' | 'lastName' | 'email';

/** Which users of an organization are wanted, and from where on. */
export interface UserListQuery {
  /** Each of these words must begin or, where it has three letters, be in a name, an address or a number; or be the id. */
  readonly words: readonly string[];
  readonly state?: UserState | undefined;
  readonly type?: 'human' | 'machine' | undefined;
  /** When they were made, unless it is said. */
  readonly by?: UserOrder | undefined;
  /** The first first, else the last. */
  readonly ascending?: boolean | undefined;
  /** What cursors of the answer are to hold as theirs. */
  readonly list?: string;
  /** Where the page before ended. */
  readonly after?: Cursor | undefined;
  readonly limit: number;
}

/** A page of them, in the order asked for. */
export interface UserList {
  readonly users: readonly User[];
  /** Where the next page begins; undefined at the end. */
  readonly next: Cursor | undefined;
  /** How many there are, up to `MOST_COUNTED` and one. */
  readonly counted: number;
}
