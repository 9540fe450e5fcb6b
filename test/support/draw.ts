/** Draws for property-style tests: the same seed gives the same draws, and a failure names its seed. */
export interface Draw {
  /** A whole number from `lo` to `hi`, both included. */
  int(lo: number, hi: number): number;
  pick<T>(list: readonly T[]): T;
  /** True with probability `p`, one half if nothing is said. */
  bool(p?: number): boolean;
}

/** mulberry32: small, and good enough to look for counterexamples; nothing secret comes from it. */
export function draw(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (lo: number, hi: number): number => lo + Math.floor(next() * (hi - lo + 1));
  return {
    int,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('nothing to pick from');
      return list[int(0, list.length - 1)] as (typeof list)[number];
    },
    bool: (p = 0.5) => next() < p,
  };
}
