import type { WindowCounts } from './sliding-window.js';

/** How long what was counted here may wait before the other replicas learn of it. */
const SHARE_EVERY_MS = 200;
/** More sources than this at once are an attack from everywhere; each replica then counts them for itself. */
const MOST_SOURCES = 10_000;

interface Tally {
  readonly rule: string;
  readonly source: string;
  readonly window: number;
  /** What all replicas had counted when they were last asked. */
  everywhere: WindowCounts;
  /** Counted here since. */
  untold: number;
}

/**
 * Counts in memory and synchronizes with Redis at intervals, for requests that are cheaper than a Redis call each. All
 * replicas together may exceed the limit by the requests of one interval.
 */
export class SharedCounters {
  private readonly tallies = new Map<string, Tally>();
  private timer: NodeJS.Timeout | undefined;

  /** @param share adds to the counter of all replicas and reads it; undefined when it cannot be reached */
  constructor(private readonly share: (tally: Tally, add: number) => Promise<WindowCounts | undefined>) {}

  count(rule: string, source: string, window: number): WindowCounts {
    const name = `${rule} ${source}`;
    let tally = this.tallies.get(name);
    if (tally?.window !== window) {
      if (this.tallies.size >= MOST_SOURCES) this.tallies.clear();
      const previous = tally?.window === window - 1 ? tally.everywhere.current + tally.untold : 0;
      tally = { rule, source, window, everywhere: { current: 0, previous }, untold: 0 };
      this.tallies.set(name, tally);
    }
    tally.untold += 1;
    this.timer ??= setTimeout(() => void this.shareAll(window), SHARE_EVERY_MS).unref();
    return { current: tally.everywhere.current + tally.untold, previous: tally.everywhere.previous };
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private async shareAll(window: number): Promise<void> {
    this.timer = undefined;
    await Promise.all(
      [...this.tallies].map(async ([name, tally]) => {
        const { untold } = tally;
        if (untold === 0) {
          if (tally.window < window) this.tallies.delete(name);
          return;
        }
        const everywhere = await this.share(tally, untold);
        if (everywhere === undefined) return;
        tally.everywhere = everywhere;
        tally.untold -= untold;
      }),
    );
  }
}
