import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';

/** What somebody is told who tries it on themselves. Clients may know either code. */
const REFUSALS = {
  'way-in': ['What lets you in yourself is changed on your account page, or at /auth/v1', 'COMMAND-Ow7nA'],
  factors: ['Somebody else must reset your factors', 'COMMAND-Fr3s1'],
} as const;

/**
 * A manager's token of any age is good for the accounts of others. For the manager's own it must not be enough: what lets somebody in
 * is changed where a fresh sign-in is asked for, and where nobody vouches for their own address or number; and who is rid of their
 * second factor is so by somebody else, or a stolen token would do.
 *
 * @throws ApiError failed-precondition
 */
export function requireOtherAccount(
  { actorId, userId }: { readonly actorId: UserId; readonly userId: UserId },
  changed: keyof typeof REFUSALS = 'way-in',
): void {
  if (actorId !== userId) return;
  const [message, code] = REFUSALS[changed];
  throw new ApiError('failed-precondition', message, code);
}
