import type { AccountChange } from '../../domain/accounts/account-changes.js';
import { inPerson } from '../../domain/permissions/acting.js';
import type { AccountVisit } from './account-visits.js';

/** The account that a page changes: the reader's, by themselves. */
export function ownChange({ session: { orgId, userId } }: AccountVisit): AccountChange {
  return { orgId, userId, ...inPerson(userId) };
}
