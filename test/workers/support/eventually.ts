import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until `look` gives something other than undefined or false; fails with `what` after `withinMs`. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(50);
  }
}
