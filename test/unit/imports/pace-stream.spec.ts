import { describe, expect, it } from 'vitest';
import { continued } from '../../../console/src/imports/continued-pace.js';
import type { ImportJob } from '../../../src/domain/imports/import-job.js';
import { PaceStream } from '../../../src/http/management-api/pace-stream.js';

// The chart of an import by its stream: what the service tells, put together by the console, is what it read.

const running = {} as ImportJob;
const ended = { finishedAt: new Date() } as ImportJob;

function steps(seconds: number, ...rates: readonly number[]) {
  return rates.map((rate, index) => ({ at: new Date((index + 1) * seconds * 1000), rate }));
}

describe('the points of a chart', () => {
  it.each([
    ['that are new', steps(2, 5, 6), steps(2, 5, 6, 7), 2],
    ['of which one was counted late', steps(2, 5, 0, 0), steps(2, 5, 4, 0, 6), 1],
    ['whose steps have become longer', steps(2, 5, 6, 7), steps(3, 8, 9), 0],
    ['of which there are fewer', steps(2, 5, 6), steps(2, 5), 1],
  ] as const)('%s are told, and no others', (_, before, now, from) => {
    const told = new PaceStream();
    const first = told.tell(before, running);
    expect(first).toEqual({ from: 0, steps: before });
    const second = told.tell(now, running);
    expect(second?.from).toBe(from);
    const shown = [first, second].map((news) => ({
      from: news?.from ?? 0,
      steps: (news?.steps ?? []).map(({ at, rate }) => ({ at: at.toISOString(), rate })),
    }));
    expect(shown.reduce(continued, [])).toEqual(now.map(({ at, rate }) => ({ at: at.toISOString(), rate })));
    expect(told.tell(now, running)).toBeUndefined();
  });

  it('are looked for every two seconds, and once more at the end', () => {
    const told = new PaceStream();
    expect(told.isDue(running, 0)).toBe(true);
    told.tell([], running, 0);
    expect([told.isDue(running, 1_999), told.isDue(running, 2_000)]).toEqual([false, true]);
    expect(told.isDue(ended, 1)).toBe(true);
    told.tell([], ended, 1);
    expect(told.isDue(ended, 60_000)).toBe(false);
  });
});
