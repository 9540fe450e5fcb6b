import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// Each row of docs/security.md names an attack and the test that holds it: a row without its test is a promise.

const ROOT = path.join(import.meta.dirname, '../../..');
const rows = readFileSync(path.join(ROOT, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| S\d{3}/.test(line))
  .map((line) => {
    // `\|` is a bar within a cell
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return {
      id: cells[1] ?? '',
      cells: cells.length - 2,
      files: [...(cells[4] ?? '').matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
    };
  });

describe('docs/security.md', () => {
  it('numbers each attack once, in order', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(20);
    expect(ids).toEqual([...new Set(ids)].toSorted());
  });

  it.each(rows)('$id has an attack, an outcome and tests that carry its number', ({ id, cells, files }) => {
    expect(cells).toBe(4);
    expect(files).not.toEqual([]);
    const missing = files.filter((file) => !existsSync(path.join(ROOT, file)));
    expect(missing).toEqual([]);
    const silent = files.filter((file) => !readFileSync(path.join(ROOT, file), 'utf8').includes(id));
    expect(silent).toEqual([]);
  });
});
