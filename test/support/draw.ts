/** Chances that a seed decides: the same seed draws the same. */
export interface Draw {
  /** A whole number from `lo` to `hi`, both included. */
  int(lo: number, hi: number): number;
  pick<T>(list: readonly T[]): T;
  /** True with this probability, one half unless told otherwise. */
  bool(p?: number): boolean;
}

/** Mulberry32: 32 bits of state, good enough to wander through cases. */
export function draw(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (lo: number, hi: number): number => lo + Math.floor(next() * (hi - lo + 1));
  return {
    int,
    pick: (list) => {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[int(0, list.length - 1)] as (typeof list)[number];
    },
    bool: (p = 0.5) => next() < p,
  };
}
