import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../../src/ops/metrics.js';

describe('metrics', () => {
  it('reads gauges when asked', async () => {
    const metrics = new Metrics();
    const depth = metrics.gauge('depth', 'Jobs', ['queue']);
    metrics.addReading([depth], async () => {
      return await Promise.resolve(() => depth.set({ queue: 'keys' }, 3));
    });
    expect(await metrics.render()).toContain('depth{queue="keys"} 3');
  });

  it('answers although a reading fails and another hangs', async () => {
    vi.useFakeTimers();
    const metrics = new Metrics();
    metrics.addReading([], () => Promise.reject(new Error('Redis is away')));
    metrics.addReading([], () => new Promise(() => undefined));
    const text = metrics.render();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await text).toContain('process_cpu_seconds_total');
    vi.useRealTimers();
  });

  it('says nothing where it could not look, instead of what it saw before', async () => {
    const metrics = new Metrics();
    const depth = metrics.gauge('depth', 'Jobs', ['queue']);
    const dead = metrics.gauge('dead', 'Dead letters', []);
    let reachable = true;
    metrics.addReading([depth, dead], async () => {
      if (!reachable) throw new Error('Redis is away');
      return await Promise.resolve(() => {
        depth.set({ queue: 'keys' }, 3);
        dead.set(2);
      });
    });
    expect(await metrics.render()).toMatch(/^depth\{queue="keys"\} 3\n[^]*^dead 2$/m);
    reachable = false;
    expect(await metrics.render()).not.toMatch(/^(depth|dead)\W/m);
    reachable = true;
    expect(await metrics.render()).toMatch(/^dead 2$/m);
  });

  it('tells everything to two who ask at once', async () => {
    const metrics = new Metrics();
    const depth = metrics.gauge('depth', 'Jobs', ['queue']);
    metrics.addReading([depth], async () => {
      await sleep(5);
      return () => depth.set({ queue: 'keys' }, 3);
    });
    const asked = [metrics.render()];
    await sleep(2);
    asked.push(metrics.render());
    for (const text of await Promise.all(asked)) expect(text).toContain('depth{queue="keys"} 3');
  });

  it('names no version', async () => {
    expect(await new Metrics().render()).not.toContain(process.version);
  });
});
