import type { UserId } from '../shared/ids.js';
import type { UserState } from './user.js';

export type SearchedText =
  'userName' | 'loginName' | 'displayName' | 'nickName' | 'firstName' | 'lastName' | 'email';

/** A condition on one field; case-sensitive by default. */
export interface TextFilter {
  readonly field: SearchedText;
  readonly method: 'equals' | 'starts-with' | 'ends-with' | 'contains';
  readonly ignoreCase: boolean;
  readonly value: string;
}

/**
 * Alternatives, of which one must hold, and each of which is what must hold together. Without any, nothing meets it; an empty
 * one is met by everything.
 */
export type AnyOf<Condition> = readonly (readonly Term<Condition>[])[];

export interface Term<Condition> {
  readonly condition: Condition;
  /** Met by what does not meet the condition, also for want of a value. */
  readonly negated: boolean;
}

export type UserFilter = UserCondition | { readonly field: 'anyOf'; readonly value: AnyOf<UserCondition> };

/** What is asked of one field. */
export type UserCondition =
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
