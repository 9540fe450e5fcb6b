import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import type { Log } from '../../../src/domain/shared/log.js';
import { EndWhenStuck } from '../../../src/ops/end-when-stuck.js';
import { Health } from '../../../src/ops/health.js';

const STUCK = { healthy: false, failing: { 'queue imports': 'silent for 25 s' } };

it('would have a process restarted for a fault of its own alone', async () => {
  const health = new Health();
  const app = readConfig({ QUEUE_BACKEND: 'postgres' });
  const endWhenStuck = new EndWhenStuck(health, { app }, {} as Log);
  // what others do, or work that takes long, makes it unhealthy and no more
  health.addLiveness('heartbeats', () => Promise.resolve('imports 70 s old'));
  expect(await endWhenStuck.mendable()).toEqual({ healthy: true, failing: {} });
  health.addStuckness('queue imports', () => Promise.resolve('silent for 25 s'));
  expect(await endWhenStuck.mendable()).toEqual(STUCK);
  let away = true;
  health.addReadiness('postgres', () => Promise.resolve(away ? 'unavailable' : undefined));
  expect(await endWhenStuck.mendable()).toEqual({ healthy: true, failing: {} });
  away = false;
  expect(await endWhenStuck.mendable()).toEqual(STUCK);
});
