import { expect, it } from 'vitest';
import { oncePer } from '../../../src/domain/shared/once-per.js';

it('passes one call per window on, with its arguments', () => {
  const calls: string[] = [];
  let now = 0;
  const tell = oncePer(
    1_000,
    (text: string) => calls.push(text),
    () => now,
  );
  tell('first');
  now = 999;
  tell('second');
  now = 1_000;
  tell('third');
  expect(calls).toEqual(['first', 'third']);
});
