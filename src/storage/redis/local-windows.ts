import type { WindowCounts } from './sliding-window.js';

/** More sources than this within two minutes are an attack from everywhere; the oldest make room. */
const MOST_SOURCES = 50_000;

/** The same counters in this process's memory, for the time without Redis. */
export class LocalWindows {
  private readonly counts = new Map<string, { window: number; current: number; previous: number }>();

  /** @param add 1 counts a request, 0 only looks */
  count(source: string, window: number, add: 0 | 1): WindowCounts {
    const known = this.counts.get(source);
    let current = add as number;
    let previous = 0;
    if (known?.window === window) {
      current += known.current;
      previous = known.previous;
    } else if (known?.window === window - 1) previous = known.current;
    if (add === 1) this.remember(source, { window, current, previous });
    return { current, previous };
  }

  private remember(source: string, entry: { window: number; current: number; previous: number }): void {
    // re-inserted, so that the map stays ordered by last use
    this.counts.delete(source);
    this.counts.set(source, entry);
    if (this.counts.size <= MOST_SOURCES) return;
    const [oldest] = this.counts.keys();
    if (oldest !== undefined) this.counts.delete(oldest);
  }
}
