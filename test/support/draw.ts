/** Draws that a seed repeats, for tests that look for what nobody thought of (mulberry32). */
export interface Draw {
  /** From `lo` to `hi`, both included. */
  int(lo: number, hi: number): number;
  pick<Item>(list: readonly Item[]): Item;
  /** True with probability `p`, else every other time. */
  bool(p?: number): boolean;
}

export function draw(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    int: (lo, hi) => lo + Math.floor(next() * (hi - lo + 1)),
    pick: (list) => {
      const item = list[Math.floor(next() * list.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    bool: (p = 0.5) => next() < p,
  };
}
