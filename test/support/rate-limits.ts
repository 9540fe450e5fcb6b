import type { Redis } from 'ioredis';
import { expect, onTestFinished, vi } from 'vitest';
import { Clock } from '../../src/domain/shared/clock.js';
import { RateLimiter } from '../../src/domain/shared/rate-limiter.js';
import type { TestApi } from './api.js';

/**
 * By the clock of the limits, all that follows comes at once: a minute that turns in between would make room for more. On a
 * busy machine it takes its seconds. Until the test ends.
 */
export function stopClockOfLimits(api: TestApi): void {
  const clock = api.app.get(Clock);
  const spy = vi.spyOn(clock, 'nowMs').mockReturnValue(clock.nowMs());
  onTestFinished(() => spy.mockRestore());
}

/**
 * Has the limits of these replicas wait for Redis as long as it takes. Otherwise each counts for itself for two seconds after
 * an answer that took more than 50 ms, which it does on a busy machine.
 */
export async function countTogether(...replicas: readonly TestApi[]): Promise<void> {
  for (const { app } of replicas) await waitForRedis(app.get(RateLimiter, { strict: false }));
}

export async function waitForRedis(limiter: RateLimiter): Promise<void> {
  const redis = Reflect.get(limiter, 'redis') as Redis;
  redis.options.commandTimeout = 60_000;
  await expect.poll(() => redis.status).toBe('ready');
}
