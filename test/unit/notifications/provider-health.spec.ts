import { describe, expect, it } from 'vitest';
import { ChannelError } from '../../../src/domain/notifications/channels.js';
import {
  afterFailure,
  afterSuccess,
  afterTest,
  blamesProvider,
  FAILURES_TO_OPEN,
  hasOpened,
  HEALTHY,
  type ProviderHealth,
} from '../../../src/domain/notifications/health/provider-health.js';

const NOW = new Date('2027-01-01T00:00:00Z');
const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);
const down = new ChannelError('smtp_421', 'retryable');
const account = (retryAfterMs?: number) =>
  new ChannelError('twilio_20003', 'retryable', retryAfterMs, 'provider');
/** As late as chance allows. */
const latest = () => 1;

function failed(health: ProviderHealth, times: number, now = NOW): ProviderHealth {
  let after = health;
  for (let time = 0; time < times; time += 1) after = afterFailure(after, down, now, latest);
  return after;
}

describe('how a provider is doing', () => {
  it('is bad after failures in a row only', () => {
    const almost = failed(HEALTHY, FAILURES_TO_OPEN - 1);
    expect(almost).toMatchObject({ failures: FAILURES_TO_OPEN - 1, openUntil: undefined });
    expect(afterSuccess(almost, NOW)).toEqual(HEALTHY);
    const open = failed(almost, 1);
    expect(open).toMatchObject({ openings: 1, openUntil: at(5), reason: 'smtp_421' });
    expect(hasOpened(almost, open)).toBe(true);
  });

  it('does not get worse by what was on its way', () => {
    const open = failed(HEALTHY, FAILURES_TO_OPEN);
    const later = failed(open, 3, at(4));
    expect(later).toEqual({ ...open, failures: FAILURES_TO_OPEN + 3 });
    expect(hasOpened(open, later)).toBe(false);
  });

  it('is looked at again ever later while probes fail, but once a minute', () => {
    let health = failed(HEALTHY, FAILURES_TO_OPEN);
    const lengths: number[] = [];
    for (let probe = 0; probe < 12; probe += 1) {
      const now = health.openUntil ?? NOW;
      health = failed(health, 1, now);
      lengths.push(((health.openUntil ?? NOW).getTime() - now.getTime()) / 1_000);
    }
    expect(lengths).toEqual([10, 20, 40, ...Array<number>(9).fill(60)]);
    const earliest = afterFailure(failed(HEALTHY, FAILURES_TO_OPEN - 1), down, NOW, () => 0);
    expect(earliest.openUntil).toEqual(at(3.75));
  });

  it('is good when a test says so, unless something was found out while the test was under way', () => {
    const paused = afterFailure(HEALTHY, account(60_000), NOW);
    expect(afterTest(paused, paused)).toEqual(HEALTHY);
    const again = afterFailure(paused, account(90_000), NOW);
    expect(afterTest(again, paused)).toBe(again);
    const shorter = afterFailure(
      paused,
      new ChannelError('twilio_20005', 'retryable', 1_000, 'provider'),
      NOW,
    );
    expect(shorter.openUntil).toEqual(paused.openUntil);
    expect(afterTest(shorter, paused)).toBe(shorter);
    const open = failed(HEALTHY, FAILURES_TO_OPEN);
    expect(afterTest(open, failed(HEALTHY, 1))).toBe(open);
    const pausedMeanwhile = { ...open, paused: true };
    expect(afterTest(pausedMeanwhile, open)).toBe(pausedMeanwhile);
    expect(afterTest(failed(open, 3), open)).toEqual(HEALTHY);
  });

  it('is good at the first success, unless nothing can be sent at all', () => {
    const open = failed(HEALTHY, FAILURES_TO_OPEN);
    expect(afterSuccess(open, at(1))).toEqual(HEALTHY);
    const paused = afterFailure(HEALTHY, account(60_000), NOW);
    expect(afterSuccess(paused, at(59))).toBe(paused);
    expect(afterSuccess(paused, at(60))).toEqual(HEALTHY);
  });

  it('is paused for as long as the provider says, five minutes when it says nothing, and never for less', () => {
    expect(afterFailure(HEALTHY, account(), NOW)).toMatchObject({ paused: true, openUntil: at(300) });
    const long = afterFailure(HEALTHY, account(600_000), NOW);
    expect(long).toMatchObject({ paused: true, openUntil: at(600) });
    expect(afterFailure(long, account(1_000), NOW).openUntil).toEqual(at(600));
    const open = failed(HEALTHY, FAILURES_TO_OPEN);
    expect(hasOpened(open, afterFailure(open, account(), NOW))).toBe(true);
    expect(hasOpened(long, afterFailure(long, account(), NOW))).toBe(false);
  });

  it('hangs neither on a message that is refused for good nor on somebody’s mailbox', () => {
    expect(blamesProvider(new ChannelError('twilio_21211', 'terminal'))).toBe(false);
    expect(blamesProvider(new ChannelError('twilio_60410', 'terminal', undefined, 'prefix'))).toBe(false);
    expect(blamesProvider(new ChannelError('smtp_452', 'retryable'))).toBe(false);
    expect(blamesProvider(new ChannelError('smtp_421', 'retryable'))).toBe(true);
    expect(blamesProvider(new ChannelError('timeout', 'ambiguous'))).toBe(true);
    expect(blamesProvider(new ChannelError('twilio_20003', 'terminal', undefined, 'provider'))).toBe(true);
  });
});
