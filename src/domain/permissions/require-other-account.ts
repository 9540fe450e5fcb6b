import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';

/**
 * A manager's token of any age is good for the accounts of others. For the manager's own it must not be enough: what lets somebody in
 * is changed where a fresh sign-in is asked for, and where nobody vouches for their own address or number.
 *
 * @throws ApiError failed-precondition
 */
export function requireOtherAccount({
  actorId,
  userId,
}: {
  readonly actorId: UserId;
  readonly userId: UserId;
}): void {
  if (actorId !== userId) return;
  throw new ApiError(
    'failed-precondition',
    'What lets you in yourself is changed on your account page, or at /auth/v1',
    'COMMAND-Ow7nA',
  );
}
