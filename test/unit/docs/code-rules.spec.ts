import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// What docs/development.md says of all code, and no other tool checks.

const ROOT = path.join(import.meta.dirname, '../../..');

function filesIn(folder: string): readonly (readonly [file: string, text: string])[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file))
    .map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')] as const);
}

const namesOf = (files: readonly (readonly [file: string, text: string])[]): readonly string[] =>
  files.map(([file]) => file);

describe('docs/development.md', () => {
  it('has a file with SQL say in its first line why it is by hand', () => {
    const sql = /`[^`]*\b(?:SELECT|INSERT INTO|UPDATE [\w$]+ SET|DELETE FROM)\b[^`]*`/;
    const silent = filesIn('src/storage').filter(
      ([file, text]) =>
        !file.includes('/tables/') && sql.test(text) && !/^(?:#!.*\n)?\/\/ SQL by hand\b/.test(text),
    );
    expect(namesOf(silent)).toEqual([]);
  });

  it('has every store contract say what belongs to it', () => {
    const silent = filesIn('src/domain').filter(([, text]) =>
      /(?<!\*\/\n)export abstract class \w+Store\b/.test(text),
    );
    expect(namesOf(silent)).toEqual([]);
  });

  it('keeps markup out of the domain', () => {
    const markup = filesIn('src/domain').filter(([, text]) => /[`'"]<(?:p|a|div|html|span|br)\b/.test(text));
    expect(namesOf(markup)).toEqual([]);
  });
});
