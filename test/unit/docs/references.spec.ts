import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { numbersIn, rowsOf } from './support/numbered-rows.js';

// What a comment or a test's name cites is there to be read: a numbered heading of docs/protocol.md or docs/architecture.md,
// a row of docs/security.md, a page. RFCs are cited by section, and are not ours to check.

const ROOT = path.join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

const files = ['src', 'workers', 'migrations', 'test', 'scripts', 'bench']
  .flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mts|mjs|sql)$/.test(file) && !/node_modules|interop.clients/.test(file))
      .map((file) => path.join(folder, file)),
  )
  .filter((file) => !file.startsWith(path.join('test', 'unit', 'docs')));

interface Place {
  readonly file: string;
  readonly cited: string;
}

/** A comment goes on in the next line. */
const textOf = (file: string): string => read(file).replaceAll(/\n *(?:\*|\/\/) ?/g, ' ');

/** What a pattern finds anywhere, as long as it is not good. */
function wrong(pattern: RegExp, isGood: (match: RegExpExecArray) => boolean): readonly Place[] {
  return files.flatMap((file) =>
    [...textOf(file).matchAll(pattern)]
      .filter((match) => !isGood(match))
      .map(([cited]) => ({ file, cited: cited.trim() })),
  );
}

const sections = new Map(
  ['protocol', 'architecture'].map((page) => [
    page,
    new Set(
      [...read(`docs/${page}.md`).matchAll(/^#{2,3} (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) => number),
    ),
  ]),
);
const rows = new Set(rowsOf(read('docs/security.md')).map(({ number }) => number));

describe('references in comments and names of tests', () => {
  it('name sections that exist', () => {
    // "protocol §0.1, §4" is two
    const cited = /\b(protocol|architecture)(?:\.md)? (§[\d.]*\d(?:(?:,| and|,? or) §[\d.]*\d)*)/gi;
    const missing = wrong(cited, ([, page = '', numbers = '']) =>
      [...numbers.matchAll(/[\d.]*\d/g)].every(([number]) => sections.get(page.toLowerCase())?.has(number)),
    );
    expect(missing).toEqual([]);
  });

  it('name attacks and faults that docs/security.md lists', () => {
    const missing = files.flatMap((file) =>
      numbersIn(textOf(file))
        .filter((number) => !rows.has(number))
        .map((cited) => ({ file, cited })),
    );
    expect(missing).toEqual([]);
  });

  it('name invariants that docs/security.md lists', () => {
    const cited = /(?:\bsecurity |\(|\/\*\* )(I\d)\b/g;
    expect(wrong(cited, ([, number = '']) => rows.has(number))).toEqual([]);
  });

  it('name pages that exist', () => {
    const cited = /\bdocs\/[\w/-]+\.md\b/g;
    expect(wrong(cited, ([page]) => existsSync(path.join(ROOT, page)))).toEqual([]);
  });

  it('name nothing that only its author had at hand', () => {
    const cited =
      /\b(?:contract|conformance|users-want|security|spec|stack|style|ui)(?:\.md)? §[\d.]+|\b(?:contract|conformance|users-want|spec|stack|style|ui)\.md\b|\busers-want\b/gi;
    expect(wrong(cited, () => false)).toEqual([]);
    // not code that passes or reads a `contract`
    expect(wrong(/\bissues? #?\d+|\(contract\b(?!, job\)|\.\w|\) =>)/gi, () => false)).toEqual([]);
  });
});
