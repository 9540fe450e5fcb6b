import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';

/** The error for a caller who tries it on their own account. Clients may know either code. */
const REFUSALS = {
  'way-in': ['What lets you in yourself is changed on your account page, or at /auth/v1', 'COMMAND-Ow7nA'],
  factors: ['Somebody else must reset your factors', 'COMMAND-Fr3s1'],
} as const;

/**
 * A manager's token of any age is enough for the accounts of others. For the manager's own it must not be: credentials
 * are changed where a fresh sign-in is required, and nobody may mark their own address or number as verified; and a
 * second factor is reset by somebody else, or a stolen token would be enough.
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
