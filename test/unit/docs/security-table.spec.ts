import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { numbersIn, rowsOf } from './support/numbered-rows.js';

// Each row of docs/security.md is an attack or a fault, and the tests that hold it are those that name its number.
// `npx vitest run -u --project unit security-table` writes them into its last column.

const ROOT = path.join(import.meta.dirname, '../../..');
const PAGE = path.join(ROOT, 'docs/security.md');
const page = readFileSync(PAGE, 'utf8');
const rows = rowsOf(page);

/** By number: the tests that name it. */
const tests = new Map<string, string[]>();
for (const file of readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).toSorted()) {
  if (!file.endsWith('.spec.ts') || file.startsWith(path.join('unit', 'docs'))) continue;
  for (const number of new Set(numbersIn(readFileSync(path.join(ROOT, 'test', file), 'utf8')))) {
    tests.set(number, [...(tests.get(number) ?? []), file]);
  }
}

function testsOf(number: string): string {
  return (tests.get(number) ?? [])
    .map((file) => `[${file.replace(/\.spec\.ts$/, '')}](../test/${file})`)
    .join(', ');
}

describe('docs/security.md', () => {
  it('numbers each attack, fault and invariant once, in order', () => {
    const numbers = rows.map(({ number }) => number);
    expect(numbers.length).toBeGreaterThan(270);
    for (const letter of ['S', 'F', 'I']) {
      const own = numbers.filter((number) => number.startsWith(letter));
      expect(own).toEqual([...new Set(own)].toSorted());
    }
  });

  it.each(rows.filter(({ number }) => !number.startsWith('I')))(
    '$number has an attack, an outcome and a test that names it',
    ({ number, cells }) => {
      expect(cells.filter((cell) => cell !== '').length).toBeGreaterThanOrEqual(2);
      expect(tests.get(number) ?? []).not.toEqual([]);
    },
  );

  it('names the tests of each row', async () => {
    const written = page.replaceAll(/^\| ([SF]\d{2,3}) \|.*$/gm, (_, number: string) => {
      const [attack = '', outcome = ''] = rows.find((row) => row.number === number)?.cells ?? [];
      return `| ${number} | ${attack} | ${outcome} | ${testsOf(number)} |`;
    });
    await expect(written).toMatchFileSnapshot(PAGE);
  });
});
