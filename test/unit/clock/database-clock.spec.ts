import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SharedClock } from '../../../src/domain/shared/clock.js';
import { DatabaseClock } from '../../../src/storage/postgres/database-clock.js';
import { SetClock } from '../../support/set-clock.js';

const HOUR_MS = 3_600_000;
const ASK_EVERY_MS = 5_000;
/** What the host believes at the beginning. */
const HOST = Date.parse('2026-03-29T00:59:00Z');

/** What the process counts by itself, whatever its host's clock is set to. */
let steadyMs: number;

async function pass(ms: number): Promise<void> {
  steadyMs += ms;
  await vi.advanceTimersByTimeAsync(ms);
}

/** A database whose clock is wrong by the host's view, and that answers when it likes. */
class FakeDatabase {
  away = false;
  /** From the asking to the answer, and from that to its arrival. */
  takesMs: readonly [number, number] = [0, 0];
  asked = 0;

  constructor(public aheadMs: number) {}

  pipelined = async <T>(): Promise<T> => {
    this.asked += 1;
    if (this.away) throw new Error('away');
    steadyMs += this.takesMs[0];
    const now_ms = String(this.now());
    steadyMs += this.takesMs[1];
    await Promise.resolve();
    return { now_ms } as T;
  };

  now(): number {
    return HOST + steadyMs + this.aheadMs;
  }
}

beforeEach(() => {
  steadyMs = 7_000;
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: HOST });
  vi.spyOn(performance, 'now').mockImplementation(() => steadyMs);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function follow(database: FakeDatabase): Promise<SharedClock> {
  const clock = new SharedClock();
  await DatabaseClock.follow(database, clock);
  return clock;
}

describe("a process's clock (F29, F30)", () => {
  it.each([-600_000, -45_000, 45_000, 600_000])(
    "is the database's from the start, which the host's differs from by %i ms",
    async (aheadMs) => {
      const database = new FakeDatabase(aheadMs);
      const clock = await follow(database);
      expect(clock.nowMs()).toBe(database.now());
      await pass(3_000);
      expect(clock.nowMs()).toBe(database.now());
      expect(database.asked).toBe(1);
    },
  );

  it.each([HOUR_MS, -HOUR_MS])("goes on when the host's is set by %i ms", async (stepMs) => {
    const database = new FakeDatabase(0);
    const clock = await follow(database);
    vi.setSystemTime(HOST + stepMs);
    expect(clock.nowMs()).toBe(database.now());
  });

  it("follows when the database's own is set", async () => {
    const database = new FakeDatabase(0);
    const clock = await follow(database);
    database.aheadMs = 60_000;
    await pass(ASK_EVERY_MS);
    expect(clock.nowMs()).toBe(database.now());
  });

  it.each([
    { takesMs: [400, 0] as const, behindMs: 0 },
    { takesMs: [0, 400] as const, behindMs: 400 },
    { takesMs: [5, 5] as const, behindMs: 5 },
  ])(
    'is never ahead of it, and comes nearer by the quickest answer: $takesMs',
    async ({ takesMs, behindMs }) => {
      const database = new FakeDatabase(0);
      database.takesMs = takesMs;
      const clock = await follow(database);
      const behind = () => database.now() - clock.nowMs();
      expect(behind()).toBe(behindMs);
      database.takesMs = [0, 0];
      await pass(ASK_EVERY_MS);
      expect(behind()).toBe(0);
      // and keeps to that while answers are slow, but for what clocks part from each other
      database.takesMs = [0, 3_000];
      await pass(ASK_EVERY_MS);
      expect(behind()).toBeGreaterThanOrEqual(0);
      expect(behind()).toBeLessThanOrEqual(2);
    },
  );

  it('follows what is set by more than an answer takes, either way', async () => {
    const database = new FakeDatabase(0);
    database.takesMs = [0, 100];
    const clock = await follow(database);
    for (const stepMs of [-90_000, 180_000]) {
      database.aheadMs += stepMs;
      await pass(ASK_EVERY_MS);
      expect(database.now() - clock.nowMs()).toBe(100);
    }
  });

  it('goes on counting while the database is away', async () => {
    const database = new FakeDatabase(30_000);
    const clock = await follow(database);
    database.away = true;
    await pass(10 * ASK_EVERY_MS);
    expect(database.asked).toBe(11);
    expect(clock.nowMs()).toBe(database.now());
  });

  it('is not there without the database', async () => {
    const database = new FakeDatabase(0);
    database.away = true;
    await expect(DatabaseClock.follow(database, new SharedClock())).rejects.toThrow('away');
    await pass(10 * ASK_EVERY_MS);
    expect(database.asked).toBe(1);
  });

  it('is left alone when it is not a shared one, and asked for no more after a shutdown', async () => {
    const database = new FakeDatabase(0);
    expect(await DatabaseClock.follow(database, new SetClock(HOST))).toBeUndefined();
    expect(database.asked).toBe(0);
    const following = await DatabaseClock.follow(database, new SharedClock());
    following?.beforeApplicationShutdown();
    await pass(10 * ASK_EVERY_MS);
    expect(database.asked).toBe(1);
  });
});
