/** Draws that a seed decides, so that whatever is found can be found again. */
export class Draw {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 up to, and without, `below` (mulberry32). */
  below(below: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  }

  one<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to draw from');
    return item;
  }

  /** True in so many of a hundred cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  some<Item>(items: readonly Item[], percent: number): readonly Item[] {
    return items.filter(() => this.chance(percent));
  }
}
