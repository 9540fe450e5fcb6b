import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ResponseTimePadding } from '../../../src/domain/sign-in/response-time-padding.js';

const sleep = vi.hoisted(() => vi.fn<(milliseconds: number) => Promise<void>>());
vi.mock('node:timers/promises', () => ({ setTimeout: sleep }));

beforeEach(() => {
  sleep.mockReset().mockResolvedValue();
});

/** Milliseconds after the start at which an answer that took `elapsed` leaves. */
async function leavesAt(step: number, elapsed: number): Promise<number> {
  vi.spyOn(performance, 'now').mockReturnValue(1000 + elapsed);
  await new ResponseTimePadding(step).settle(1000);
  return elapsed + (sleep.mock.calls[0]?.[0] ?? 0);
}

describe('response-time padding', () => {
  it.each([
    [250, 1, 250],
    [250, 120, 250],
    [250, 250, 250],
    [250, 251, 500],
    [250, 730, 750],
    [1000, 3001, 4000],
  ])('of %i ms lets what took %i ms leave after %i ms', async (step, elapsed, expected) => {
    expect(await leavesAt(step, elapsed)).toBe(expected);
  });

  it('of 0 does not wait', async () => {
    expect(await leavesAt(0, 123)).toBe(123);
    expect(sleep).not.toHaveBeenCalled();
  });
});
