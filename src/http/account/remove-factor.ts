import { isLastFactor } from '../../domain/factors/require-factor-left.js';
import { isLastWayIn } from '../../domain/users/ways-in/require-way-in.js';
import type { Done } from './notices.js';

/** The message of the next page: `done`, or that nothing was removed since it is the last required factor, or the last credential. */
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
