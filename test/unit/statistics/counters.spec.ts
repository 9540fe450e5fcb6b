import { describe, expect, it } from 'vitest';
import type { OrgId } from '../../../src/domain/shared/ids.js';
import type { Log } from '../../../src/domain/shared/log.js';
import { UnitOfWork, type Tx } from '../../../src/domain/shared/unit-of-work.js';
import { Counters, type Count } from '../../../src/domain/statistics/counters.js';
import { FlushCounters } from '../../../src/domain/statistics/flush-counters.js';
import { StatisticsStore } from '../../../src/domain/statistics/statistics.store.js';
import { SetClock } from '../../support/set-clock.js';

const ONE = 'one' as OrgId;
const OTHER = 'other' as OrgId;

class Commits extends UnitOfWork {
  private acts: (() => void)[] = [];

  override async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.acts = [];
    const result = await work({} as Tx);
    for (const act of this.acts) act();
    return result;
  }

  override afterCommit(_tx: Tx, act: () => void): void {
    this.acts.push(act);
  }
}

class Kept extends StatisticsStore {
  readonly added: Count[] = [];
  isAway = false;
  /** How long an addition takes. */
  waits: Promise<void> = Promise.resolve();

  override async add(counts: readonly Count[]): Promise<void> {
    await this.waits;
    if (this.isAway) throw new Error('the database cannot be reached');
    this.added.push(...counts);
  }

  override list(): Promise<never> {
    throw new Error('not asked for');
  }

  override smsByOrganization(): Promise<never> {
    throw new Error('not asked for');
  }
}

function make() {
  const clock = new SetClock(Date.parse('2026-11-26T20:59:59Z'));
  const unitOfWork = new Commits();
  const counters = new Counters(clock, unitOfWork);
  const store = new Kept();
  const warnings: string[] = [];
  const log = { warn: (message: string) => warnings.push(message) } as unknown as Log;
  return { clock, unitOfWork, counters, store, warnings, flush: new FlushCounters(counters, store, log) };
}

const told = (counts: readonly Count[]) =>
  counts
    .map(({ orgId, hour, counted, count }) => `${orgId} ${hour.getUTCHours()} ${counted} ${count}`)
    .sort();

describe('counters', () => {
  it('count by organization, hour and kind', () => {
    const { clock, counters } = make();
    counters.add(ONE, 'tokensIssued');
    counters.add(ONE, 'tokensIssued');
    counters.add(OTHER, 'newUsers', 1_000);
    counters.add(null, 'signInsRefused');
    clock.now += 1_000;
    counters.add(ONE, 'tokensIssued');
    expect(told(counters.take())).toEqual([
      'null 20 signInsRefused 1',
      'one 20 tokensIssued 2',
      'one 21 tokensIssued 1',
      'other 20 newUsers 1000',
    ]);
    expect(counters.take()).toEqual([]);
  });

  it('count what a transaction wrote when it has committed, and not otherwise', async () => {
    const { counters, unitOfWork } = make();
    const write = async (tx: Tx) => {
      counters.addAfterCommit(tx, ONE, 'newUsers', 3);
      expect(counters.take()).toEqual([]);
    };
    const fail = async (tx: Tx) => {
      await write(tx);
      throw new Error('undone');
    };
    await expect(unitOfWork.run(fail)).rejects.toThrow('undone');
    expect(counters.take()).toEqual([]);
    await unitOfWork.run(write);
    expect(told(counters.take())).toEqual(['one 20 newUsers 3']);
  });

  it('keep a bounded number of organizations; of further ones the instance alone', () => {
    const { counters } = make();
    for (let number = 0; number < 100_010; number += 1)
      counters.add(`org-${number}` as OrgId, 'tokensIssued');
    const counts = counters.take();
    expect(counts.length).toBeLessThanOrEqual(100_001);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(100_010);
    expect(counts.find(({ orgId }) => orgId === null)).toMatchObject({ count: 10 });
  });
});

describe('flushing counters', () => {
  it('writes nothing where nothing was counted', async () => {
    const { flush, store } = make();
    await flush.flush();
    expect(store.added).toEqual([]);
  });

  it('keeps what could not be written, and adds it once', async () => {
    const { counters, flush, store, warnings } = make();
    counters.add(ONE, 'tokensIssued', 2);
    store.isAway = true;
    await flush.flush();
    counters.add(ONE, 'tokensIssued', 3);
    await flush.flush();
    expect(store.added).toEqual([]);
    expect(warnings).toEqual(['counts wait to be written']);
    store.isAway = false;
    await flush.flush();
    await flush.flush();
    expect(told(store.added)).toEqual(['one 20 tokensIssued 5']);
  });

  it('flushes one after the other, and what was counted meanwhile with the next', async () => {
    const { counters, flush, store } = make();
    let go: () => void = () => undefined;
    store.waits = new Promise((resolve) => (go = resolve));
    counters.add(ONE, 'tokensIssued');
    const first = flush.flush();
    const second = flush.flush();
    await Promise.resolve();
    counters.add(ONE, 'tokensIssued');
    go();
    await Promise.all([first, second]);
    expect(store.added.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  });

  it('flushes when the process ends', async () => {
    const { counters, flush, store } = make();
    flush.onApplicationBootstrap();
    counters.add(ONE, 'tokensIssued');
    await flush.onApplicationShutdown();
    expect(told(store.added)).toEqual(['one 20 tokensIssued 1']);
  });
});
