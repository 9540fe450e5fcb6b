import { describe, expect, it } from 'vitest';
import { LocalWindows } from '../../../src/storage/redis/local-windows.js';
import { DAY, decide, MINUTE, windowOf } from '../../../src/storage/redis/sliding-window.js';

describe('the sliding minute', () => {
  it('allows up to the limit and then says when to come back', () => {
    const start = 10 * MINUTE;
    expect(decide({ current: 5, previous: 0 }, 5, start, 0)).toEqual({ allowed: true, retryAfterSeconds: 0 });
    expect(decide({ current: 6, previous: 0 }, 5, start, 0).allowed).toBe(false);
    expect(decide({ current: 5, previous: 0 }, 5, start, 1).allowed).toBe(false);
  });

  it('has room for all that are under way, and says to come back at once where only they are in the way', () => {
    const start = 10 * MINUTE;
    expect(decide({ current: 2, previous: 0 }, 5, start, 3).allowed).toBe(true);
    expect(decide({ current: 2, previous: 0 }, 5, start, 4)).toEqual({
      allowed: false,
      retryAfterSeconds: 1,
    });
  });

  it('counts the minute before by the share that still lies within sixty seconds', () => {
    const quarter = 10 * MINUTE + MINUTE / 4;
    expect(decide({ current: 2, previous: 4 }, 5, quarter, 0).allowed).toBe(true);
    expect(decide({ current: 3, previous: 4 }, 5, quarter, 0).allowed).toBe(false);
  });

  it('never tells to come back too early, whatever was counted', () => {
    for (let perMinute = 1; perMinute <= 6; perMinute += 1) {
      for (let current = 0; current <= 9; current += 1) {
        for (let previous = 0; previous <= 9; previous += 1) {
          for (const into of [0, 1, 15_000, 30_000, 59_999]) {
            const now = 10 * MINUTE + into;
            const { allowed, retryAfterSeconds } = decide({ current, previous }, perMinute, now, 1);
            if (allowed) continue;
            const later = now + retryAfterSeconds * 1_000;
            const counts =
              windowOf(later) === windowOf(now)
                ? { current, previous }
                : { current: 0, previous: windowOf(later) === windowOf(now) + 1 ? current : 0 };
            expect(
              decide(counts, perMinute, later, 1),
              `${perMinute} ${current} ${previous} ${into}`,
            ).toEqual({
              allowed: true,
              retryAfterSeconds: 0,
            });
            expect(retryAfterSeconds).toBeLessThanOrEqual(120);
          }
        }
      }
    }
  });
});

describe('the sliding day', () => {
  it('counts by the same rule, and says to come back when there is room', () => {
    const noon = 10 * DAY + DAY / 2;
    expect(windowOf(noon, DAY)).toBe(10);
    expect(decide({ current: 100, previous: 200 }, 200, noon, 0, DAY).allowed).toBe(true);
    const refused = decide({ current: 101, previous: 200 }, 200, noon, 0, DAY);
    expect(refused.allowed).toBe(false);
    const later = noon + refused.retryAfterSeconds * 1_000;
    expect(decide({ current: 101, previous: 200 }, 200, later, 1, DAY).allowed).toBe(true);
    expect(refused.retryAfterSeconds).toBeGreaterThan(60);
  });
});

describe('counters in memory', () => {
  it('counts per source and remembers one minute back', () => {
    const windows = new LocalWindows();
    windows.count('a', 10, 1);
    expect(windows.count('a', 10, 1)).toEqual({ current: 2, previous: 0 });
    expect(windows.count('b', 10, 0)).toEqual({ current: 0, previous: 0 });
    expect(windows.count('a', 11, 1)).toEqual({ current: 1, previous: 2 });
    expect(windows.count('a', 13, 0)).toEqual({ current: 0, previous: 0 });
  });

  it('forgets the longest unused source rather than grow for ever', () => {
    const windows = new LocalWindows();
    windows.count('first', 10, 1);
    for (let index = 0; index < 50_000; index += 1) windows.count(`source ${index}`, 10, 1);
    expect(windows.count('first', 10, 0).current).toBe(0);
    expect(windows.count('source 49999', 10, 0).current).toBe(1);
  });
});
