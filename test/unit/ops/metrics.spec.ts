import { describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../../src/ops/metrics.js';

describe('metrics', () => {
  it('reads gauges when asked', async () => {
    const metrics = new Metrics();
    const depth = metrics.gauge('depth', 'Jobs', ['queue']);
    metrics.addReading(async () => {
      depth.set({ queue: 'keys' }, 3);
      return await Promise.resolve();
    });
    expect(await metrics.render()).toContain('depth{queue="keys"} 3');
  });

  it('answers although a reading fails and another hangs', async () => {
    vi.useFakeTimers();
    const metrics = new Metrics();
    metrics.addReading(() => Promise.reject(new Error('Redis is away')));
    metrics.addReading(() => new Promise(() => undefined));
    const text = metrics.render();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await text).toContain('process_cpu_seconds_total');
    vi.useRealTimers();
  });

  it('names no version', async () => {
    expect(await new Metrics().render()).not.toContain(process.version);
  });
});
