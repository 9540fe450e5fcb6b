import { ApiError } from '../../domain/shared/errors.js';
import type { UserId } from '../../domain/shared/ids.js';
import type { ApiCall } from '../shared/api-call.js';

/**
 * A manager's token of any age is good for the accounts of others. For the manager's own it must not be enough: what lets somebody in
 * is changed where a fresh sign-in is asked for, and where nobody vouches for their own address or number.
 *
 * @throws ApiError failed-precondition
 */
export function requireSomebodyElse({ acting }: ApiCall, userId: UserId): void {
  if (acting.actorId !== userId) return;
  throw new ApiError(
    'failed-precondition',
    'What lets you in yourself is changed on your account page, or at /auth/v1',
    'COMMAND-Ow7nA',
  );
}
