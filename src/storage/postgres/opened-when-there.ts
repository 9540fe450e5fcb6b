import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseAway, isAway } from './sql.js';

const TRY_AGAIN_MS = 500;
/** Nobody answers the probes meanwhile: shorter than they are patient. */
const LONGEST_MS = 30_000;

/**
 * For what is opened while a process starts: PostgreSQL may go away once more between the wait for it
 * (`ops/wait-for-database.ts`) and that. `open` is called again, from its beginning.
 *
 * @throws what `open` threw last
 */
export async function openedWhenThere<T>(open: () => Promise<T>): Promise<T> {
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
