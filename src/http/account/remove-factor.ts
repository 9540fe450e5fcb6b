import { isLastFactor } from '../../domain/factors/require-factor-left.js';
import { isLastWayIn } from '../../domain/users/sign-in-methods/require-sign-in-method.js';
import type { Done } from './notices.js';

/**
 * The message of the next page: `done`, or why nothing was removed: it is the last factor of a user who must have one, or the last
 * way to sign in.
 */
export async function removeFactor(done: Done, remove: () => Promise<unknown>): Promise<Done> {
  try {
    await remove();
    return done;
  } catch (error) {
    if (isLastFactor(error)) return 'lastFactor';
    if (isLastWayIn(error)) return 'lastWayIn';
    throw error;
  }
}
