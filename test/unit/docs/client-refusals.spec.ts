import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// docs/troubleshooting.md lists why a client was refused, in the words of the log.

const ROOT = path.join(import.meta.dirname, '../../..');
const FOLDER = path.join(ROOT, 'src/domain/client-auth');

const page = readFileSync(path.join(ROOT, 'docs/troubleshooting.md'), 'utf8');
const [, table = ''] = /^\| `reason`[^\n]*\n\|[ |-]+\n([\s\S]*?)\n\n/m.exec(page) ?? [];
const listed = table.split('\n').map(
  (row) =>
    row
      .split('|')[1]
      ?.trim()
      .replaceAll(/\b[XY]$|\bX(?=,)/g, '…') ?? '',
);

const code = readdirSync(FOLDER)
  .map((file) => readFileSync(path.join(FOLDER, file), 'utf8'))
  .join('\n');
const literal = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w$])(?:'([^'\n]{4,})'|`([^`]{4,})`)/g)].map(([, plain, template]) =>
    (plain ?? template ?? '').replaceAll(/\$\{[^}]+\}/g, '…'),
  );
const reasons = new Set([
  ...[...code.matchAll(/throw refusedClient\(([\s\S]*?)\);\n/g)].flatMap(([, given = '']) => literal(given)),
  ...literal(/export function assertionProblem[\s\S]*?\n\}/.exec(code)?.[0] ?? '').filter((text) =>
    text.includes(' '),
  ),
  ...[...code.matchAll(/ `(registered for \$\{[^`]*)`,\n {2}\)/g)].flatMap(([, text]) =>
    literal(`\`${text}\``),
  ),
]);

describe('the reasons of invalid_client in docs/troubleshooting.md', () => {
  it('are those that the log has', () => {
    expect(reasons.size).toBeGreaterThan(25);
    expect(listed.filter((reason) => !reasons.has(reason))).toEqual([]);
  });

  it('are all of them', () => {
    expect([...reasons].filter((reason) => !listed.includes(reason))).toEqual([]);
  });
});
