import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ImportPace, type ImportPriority } from '../../../src/domain/imports/chunks/import-pace.js';
import { RequestDelaySignal } from '../../../src/domain/request-delay/request-delay-signal.js';
import { SetClock } from '../../support/set-clock.js';

class NotifiedByHand extends RequestDelaySignal {
  onDelay: ((delayMs: number) => void) | undefined;

  override probe(): Promise<void> {
    return Promise.resolve();
  }

  override notify(): Promise<void> {
    return Promise.resolve();
  }

  override listen(onDelay: (delayMs: number) => void): () => Promise<void> {
    this.onDelay = onDelay;
    return () => Promise.resolve();
  }
}

/** Only what the pace measures by: its waits are real, and short. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open(priority: ImportPriority = 'requests') {
  const signal = new NotifiedByHand();
  const clock = new SetClock(30_000);
  const pace = new ImportPace(signal, { priority }, clock);
  pace.onApplicationBootstrap();
  const hear = (...delays: number[]): void => {
    for (const delayMs of delays) {
      vi.advanceTimersByTime(1_000);
      signal.onDelay?.(delayMs);
    }
  };
  return { pace, clock, hear };
}

/** A chunk that is at work while something happens. */
async function during(pace: ImportPace, act: () => void): Promise<void> {
  await pace.run(async () => {
    act();
    await Promise.resolve();
  });
}

/** Two chunks that come at once, of which the first takes its time. */
async function orderOfTwo(pace: ImportPace): Promise<readonly string[]> {
  const order: string[] = [];
  const one = pace.run(async () => {
    order.push('one in');
    await sleep(20);
    order.push('one out');
  });
  await pace.run(async () => {
    order.push('two in');
    await Promise.resolve();
  });
  await one;
  return order;
}

describe('ImportPace', () => {
  it('lets chunks run at once and together while nobody says that there are requests', async () => {
    const { pace } = open();
    const order = await orderOfTwo(pace);
    expect(pace.shareOfTime).toBe(1);
    expect(order).toEqual(['one in', 'two in', 'one out']);
  });

  it('runs one chunk at a time while there are requests', async () => {
    const { pace, hear } = open();
    hear(2, 2);
    expect(pace.shareOfTime).toBeLessThan(1);
    expect(await orderOfTwo(pace)).toEqual(['one in', 'one out', 'two in']);
  });

  it('pauses after a chunk for as long as its share says', async () => {
    const { pace, hear } = open();
    hear(2, 2);
    await pace.run(async () => {
      vi.advanceTimersByTime(100);
      await Promise.resolve();
    });
    const since = Date.now();
    await pace.run(() => Promise.resolve());
    const owed = 100 * (1 / pace.shareOfTime - 1);
    expect(Date.now() - since).toBeGreaterThanOrEqual(owed - 5);
  });

  it('takes less of the time when requests wait longer than without an import, to a tenth at least', async () => {
    const { pace, hear } = open();
    hear(2, 2, 2);
    const before = pace.shareOfTime;
    await during(pace, () => hear(9, 8, 9));
    expect(pace.shareOfTime).toBeLessThan(before);
    await during(pace, () => hear(...Array.from({ length: 30 }, () => 9)));
    expect(pace.shareOfTime).toBeCloseTo(0.1);
  });

  it('takes more of the time when requests do not feel it', async () => {
    const { pace, hear } = open();
    hear(2, 2, 2);
    await during(pace, () => hear(...Array.from({ length: 30 }, () => 2.2)));
    expect(pace.shareOfTime).toBe(1);
  });

  it('goes by the middle one of what it hears, not by a single slow second', async () => {
    const { pace, hear } = open();
    hear(2, 2, 2);
    const before = pace.shareOfTime;
    await during(pace, () => hear(2, 90, 2));
    expect(pace.shareOfTime).toBeGreaterThan(before);
  });

  it('is not slowed down by what is slow without an import, too', async () => {
    const { pace, hear } = open();
    hear(50, 60, 55);
    const before = pace.shareOfTime;
    await during(pace, () => hear(60, 55, 65));
    expect(pace.shareOfTime).toBeGreaterThan(before);
  });

  it('begins no chunk in the first seconds of a minute, and measures there', async () => {
    const { pace, clock, hear } = open();
    hear(50, 50, 50);
    await during(pace, () => hear(50));
    clock.now = 62_000;
    const order: string[] = [];
    const run = pace.run(async () => {
      order.push('in');
      await Promise.resolve();
    });
    hear(2, 2, 2, 2, 2);
    await sleep(150);
    expect(order).toEqual([]);
    clock.now = 64_500;
    await run;
    const before = pace.shareOfTime;
    await during(pace, () => hear(20, 20, 20, 20));
    expect(pace.shareOfTime).toBeLessThan(before);
  });

  it('begins no chunk before it knows how long requests wait without one', async () => {
    const { pace, hear } = open();
    await during(pace, () => hear(9));
    let begun = false;
    const run = pace.run(async () => {
      begun = true;
      await Promise.resolve();
    });
    await sleep(150);
    expect(begun).toBe(false);
    hear(2, 2, 2, 2, 2);
    await run;
    expect(begun).toBe(true);
  });

  it('is at full speed again when there are no requests any more', async () => {
    const { pace, hear } = open();
    hear(2, 2, 2);
    await during(pace, () => hear(9, 9, 9));
    vi.advanceTimersByTime(4_000);
    expect(pace.shareOfTime).toBe(1);
  });

  it('hears nobody where imports matter more', () => {
    const { pace, hear } = open('imports');
    hear(2, 2, 200, 200);
    expect(pace.shareOfTime).toBe(1);
  });

  it('goes on after a chunk that failed', async () => {
    const { pace, hear } = open();
    hear(2, 2);
    await expect(pace.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await pace.run(() => Promise.resolve('yes'))).toBe('yes');
  });
});
