import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// Somebody who copies a command of a quick start must find out first what its variables are.

const DOCS = path.join(import.meta.dirname, '../../../docs');
const NEEDED = '](../examples.md#a-token-and-a-project)';

const read = (file: string): string => readFileSync(path.join(DOCS, file), 'utf8');
const pages = readdirSync(path.join(DOCS, 'quickstart')).filter((file) => file.endsWith('.md'));

/** From its heading to the next one, and the block above it, which it refers to. */
const section = (/^## What the page needs$([\s\S]*?)^## /m.exec(read('examples.md')) ?? [])[1] ?? '';

const assigns = (text: string, name: string): boolean =>
  new RegExp(String.raw`(?:^|[\s;])(?:export )?${name}=`, 'm').test(text);

describe.each(pages)('docs/quickstart/%s', (page) => {
  const text = read(path.join('quickstart', page));
  const shell = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, lines]) => lines).join('\n');
  const used = new Set([...shell.matchAll(/\$\{?([A-Z][A-Z_]*)/g)].map(([, name = '']) => name));

  it('names no shell variable that nothing sets', () => {
    const unknown = [...used].filter(
      (name) =>
        !assigns(shell, name) &&
        !(text.includes(NEEDED) && assigns(section, name)) &&
        // a member of an answer: "the `appId` (`APP`)"
        !new RegExp(`\`\\w+\` \\(\`${name}\`\\)`).test(text),
    );
    expect(used).toContain('TOKEN');
    expect(unknown).toEqual([]);
  });
});

it('makes a project that has a new name each time: a second one of the same is refused', () => {
  const [name = ''] = /"name": "My project[^}]*/.exec(section) ?? [];
  expect(name).toContain('$(date +%s)');
  expect(section).toContain('curl -sSf ');
});
