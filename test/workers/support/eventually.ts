import { setTimeout as sleep } from 'node:timers/promises';

/** On a machine with other things to do, what is waited for comes late, and nothing else is wrong. */
const AT_LEAST_MS = 60_000;

/** Polls until `look` gives something other than undefined or false; fails with `what` after `withinMs`, or a minute. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const patienceMs = Math.max(withinMs, AT_LEAST_MS);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await sleep(50);
  }
}
