const FIRST_MS = 1_000;
const CEILING_MS = 30 * 60_000;

/**
 * How long what failed waits: 1 s, doubled with each failure up to 30 min, of which a random half is taken off so
 * that what failed together does not come back together.
 *
 * @param failures 1 after the first
 */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(CEILING_MS, FIRST_MS * 2 ** Math.max(0, Math.min(failures - 1, 30)));
  return Math.round(full * (0.5 + random() / 2));
}
