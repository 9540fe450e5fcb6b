import { ApiError } from '../shared/errors.js';
import { userNotFound } from './find-user.js';
import type { User } from './user.js';

/** @throws ApiError not-found, failed-precondition */
export function requireActiveHuman<Found extends User>(
  user: Found | undefined,
): Found & { readonly type: 'human' } {
  if (user === undefined) throw userNotFound();
  if (user.type !== 'human') {
    throw new ApiError('failed-precondition', 'User is not a human', 'COMMAND-5N9ds');
  }
  if (user.state !== 'active') {
    throw new ApiError('failed-precondition', 'User is not active', 'COMMAND-Pk2s1');
  }
  return user as Found & { readonly type: 'human' };
}
