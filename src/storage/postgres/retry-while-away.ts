import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseAway, isAway } from './sql.js';

const TRY_AGAIN_MS = 500;
/** Meanwhile the process does not answer probes; so this is shorter than their timeout. */
const LONGEST_MS = 30_000;

/**
 * Calls `open` again while PostgreSQL cannot be reached. For connections and the like that a process opens when it starts: PostgreSQL may
 * become unavailable again after `ops/wait-for-database.ts` has waited for it.
 *
 * @throws what `open` threw last
 */
export async function retryWhileAway<T>(open: () => Promise<T>): Promise<T> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const away = error instanceof DatabaseAway || isAway(error);
      if (!away || performance.now() > until) throw error;
    }
    await sleep(TRY_AGAIN_MS);
  }
}
