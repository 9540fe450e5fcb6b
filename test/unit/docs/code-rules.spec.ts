import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// What docs/development.md says of all code, and no other tool checks.

const ROOT = path.join(import.meta.dirname, '../../..');

function filesIn(folder: string, form = /\.ts$/): readonly (readonly [file: string, text: string])[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => form.test(file) && !file.includes('node_modules'))
    .map((file) => path.join(folder, file))
    .map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')] as const);
}

const namesOf = (files: readonly (readonly [file: string, text: string])[]): readonly string[] =>
  files.map(([file]) => file);

/** Exported though only their own file has them: to lose that with the next change of these files. */
const OF_ONE_FILE = new Set(['BulkFailure', 'MailToEnqueue', 'ProviderOfImport', 'IMPORTS_AT_ONCE']);

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

  // a name that only its own file uses looks as if others depended on it
  it('exports no name that no other file has', () => {
    const exported =
      /^export (?:abstract |async )*(?:const|let|function\*?|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;
    const code = /\.(?:ts|tsx|mjs)$/;
    const own = ['src', 'workers', 'console/src'].flatMap((folder) => filesIn(folder, code));
    const all = [
      ...own,
      ...['test', 'migrations', 'scripts', 'bench'].flatMap((folder) => filesIn(folder, code)),
    ];
    const names = new Map(
      own.flatMap(([file, text]) => [...text.matchAll(exported)].map(([, name = '']) => [name, file])),
    );
    const usedElsewhere = new Set<string>();
    for (const [file, text] of all) {
      for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g)) {
        if (names.has(word) && names.get(word) !== file) usedElsewhere.add(word);
      }
    }
    const alone = [...names].filter(([name]) => !usedElsewhere.has(name) && !OF_ONE_FILE.has(name));
    expect(alone.map(([name, file]) => `${file}: ${name}`)).toEqual([]);
  });
});
