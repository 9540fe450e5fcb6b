import { describe, expect, it, vi } from 'vitest';
import type { Log } from '../../../src/domain/shared/log.js';
import { Health } from '../../../src/ops/health.js';

describe('health', () => {
  it('is well without checks, and names those that fail', async () => {
    const health = new Health();
    expect(await health.live()).toEqual({ healthy: true, failing: {} });
    health.addLiveness('good', () => Promise.resolve(undefined));
    health.addLiveness('bad', () => Promise.resolve('stale'));
    expect(await health.live()).toEqual({ healthy: false, failing: { bad: 'stale' } });
    expect(await health.ready()).toEqual({ healthy: true, failing: {} });
  });

  it('does not repeat what an error says', async () => {
    const health = new Health();
    health.addReadiness('postgres', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')));
    expect(await health.ready()).toEqual({ healthy: false, failing: { postgres: 'unavailable' } });
  });

  it('waits for no check longer than two seconds', async () => {
    vi.useFakeTimers();
    const health = new Health();
    health.addReadiness('postgres', () => new Promise(() => undefined));
    const report = health.ready();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await report).toEqual({ healthy: false, failing: { postgres: 'no answer' } });
    vi.useRealTimers();
  });

  it('says at the start what is to be known, however long the answer takes, and goes on after a failure', async () => {
    vi.useFakeTimers();
    const health = new Health();
    const warn = vi.fn<Log['warn']>();
    health.addNotice('broken', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')));
    health.addNotice('mail', () => new Promise((resolve) => setTimeout(() => resolve('mails wait'), 9_000)));
    health.addNotice('quiet', () => Promise.resolve(undefined));
    const said = health.sayNoticed({ warn });
    await vi.advanceTimersByTimeAsync(9_000);
    await said;
    expect(warn.mock.calls).toEqual([
      ['unavailable', { about: 'broken' }],
      ['mails wait', { about: 'mail' }],
    ]);
    vi.useRealTimers();
  });

  it('is not ready while it drains, and still alive', async () => {
    const health = new Health();
    health.startDraining();
    expect((await health.ready()).healthy).toBe(false);
    expect((await health.live()).healthy).toBe(true);
  });
});
