import { ApiError } from '../shared/errors.js';
import { userNotFound } from './find-user.js';
import type { User } from './user.js';

export function notHuman(): ApiError {
  return new ApiError('failed-precondition', 'User is not a human', 'COMMAND-5N9ds');
}

/** @param also another state that will do @throws ApiError not-found, failed-precondition */
export function requireActiveHuman<Found extends User>(
  user: Found | undefined,
  also?: 'initial',
): Found & { readonly type: 'human' } {
  if (user === undefined) throw userNotFound();
  if (user.type !== 'human') throw notHuman();
  if (user.state !== 'active' && user.state !== also) {
    throw new ApiError('failed-precondition', 'User is not active', 'COMMAND-Pk2s1');
  }
  return user as Found & { readonly type: 'human' };
}
