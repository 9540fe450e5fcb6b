import { describe, expect, it } from 'vitest';
import { ChannelError } from '../../../src/domain/notifications/channels.js';
import { AttemptFailed, retryDelay } from '../../../src/queues/retry-delay.js';

describe('how long a failed job waits', () => {
  const longest = () => 1;
  const shortest = () => 0;

  it('doubles from one second up to half an hour', () => {
    const delays = [1, 2, 3, 10, 11, 12, 30, 1_000].map((attempt) => retryDelay(attempt, undefined, longest));
    expect(delays).toEqual([1_000, 2_000, 4_000, 512_000, 1_024_000, 1_800_000, 1_800_000, 1_800_000]);
  });

  it('takes up to a half off at random, so that what failed together does not come back together', () => {
    expect(retryDelay(3, undefined, shortest)).toBe(2_000);
    expect(new Set(Array.from({ length: 20 }, () => retryDelay(8))).size).toBeGreaterThan(10);
  });

  it('waits at least as long as the error says', () => {
    const error = new ChannelError('smtp_535', 'retryable', 300_000);
    expect(retryDelay(1, error, longest)).toBe(300_000);
    expect(retryDelay(12, error, longest)).toBe(1_800_000);
    expect(retryDelay(1, new ChannelError('smtp_451', 'retryable'), longest)).toBe(1_000);
    expect(retryDelay(1, { retryAfterMs: 'soon' }, longest)).toBe(1_000);
  });

  it('is in whole milliseconds, since the queues in Postgres refuse a time with a fraction', () => {
    expect(retryDelay(1, new AttemptFailed('smtp_451', 741.277), longest)).toBe(742);
    expect(retryDelay(1, new AttemptFailed('smtp_451', -3), longest)).toBe(0);
    expect(retryDelay(1, { retryAfterMs: 1_500.5 }, longest)).toBe(1_501);
  });
});
