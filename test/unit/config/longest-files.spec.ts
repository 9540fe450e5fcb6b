import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LONGEST } from '../../support/longest-first.js';

it.each(LONGEST)('%s is a file of tests still', (file) => {
  expect(existsSync(file.slice(1))).toBe(true);
});
