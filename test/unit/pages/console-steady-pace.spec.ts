import { expect, it } from 'vitest';
import { steadied } from '../../../console/src/imports/steady-pace.js';

// The chart of an import: records are done by the chunk, and the line goes up and down no more than the import does.

function pace(seconds: number, ...rates: readonly number[]) {
  return rates.map((rate, index) => ({
    at: new Date(Date.UTC(2026, 0, 1) + index * seconds * 1000).toISOString(),
    rate,
  }));
}

it('is that of the last ten seconds, in which several chunks end', () => {
  const rates = steadied(pace(2, 100, 0, 50, 0, 50, 0, 100)).map(({ rate }) => rate);
  expect(rates).toEqual([100, 50, 50, 37.5, 40, 20, 40]);
});

it('is each step where a step is longer than that', () => {
  const long = pace(60, 900, 0, 700);
  expect(steadied(long)).toEqual(long);
});
