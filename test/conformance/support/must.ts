import { expect } from 'vitest';

/** Fails the test with all the faults at once. */
export function must(what: string, faults: readonly string[]): void {
  expect(faults, what).toEqual([]);
}

export function mustBe<T>(what: string, actual: T, expected: T): void {
  expect(actual, what).toEqual(expected);
}
