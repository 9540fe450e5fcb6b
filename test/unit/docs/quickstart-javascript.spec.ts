import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// What a quick start shows is what the interop ring runs, letter for letter and version for version.

const ROOT = path.join(import.meta.dirname, '../../..');
const CLIENTS = path.join(ROOT, 'test/interop/clients');
const read = (...parts: string[]): string => readFileSync(path.join(ROOT, ...parts), 'utf8');

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function pinsOf(client: string): Record<string, string> {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(CLIENTS, client, 'package.json'), 'utf8'),
  ) as Manifest;
  return { ...dependencies, ...devDependencies };
}

describe.each([
  { page: 'express.md', client: 'express-openid-connect', files: 2 },
  { page: 'react-spa.md', client: 'react-spa', files: 5 },
  { page: 'nextjs-authjs.md', client: 'nextjs-authjs', files: 5 },
])('docs/quickstart/$page', ({ page, client, files }) => {
  const text = read('docs/quickstart', page);

  it('shows the files of a tested client', () => {
    const blocks = [...text.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)];
    expect(blocks).toHaveLength(files);
    for (const [, file = '', shown] of blocks) {
      expect(shown, file).toBe(readFileSync(path.join(CLIENTS, client, file), 'utf8'));
    }
  });

  it('installs the versions that the ring pins, and no other package', () => {
    const installed = [...text.matchAll(/^npm install (?:--save-dev )?(.+)$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    const pinned = Object.entries(pinsOf(client)).map(([name, version]) => `${name}@${version}`);
    expect(installed.sort()).toEqual(pinned.sort());
  });
});

describe('docs/clients.md', () => {
  const rows = [...read('docs/clients.md').matchAll(/^\| `([^`]+)`[^|]*\| *(\S+) *\|/gm)].map(
    ([, name = '', version = '']) => `${name} ${version}`,
  );
  const folders = readdirSync(CLIENTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => path.basename(file) === 'package.json' && !file.includes('node_modules'))
    .map((file) => path.dirname(file));

  const pinnedIn = (folder: string): Set<string> =>
    new Set(Object.entries(pinsOf(folder)).map(([name, version]) => `${name} ${version}`));

  it('lists what the ring pins, in the pinned version', () => {
    const pinned = new Set(folders.flatMap((folder) => [...pinnedIn(folder)]));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !pinned.has(row))).toEqual([]);
  });

  it.each(folders)('names the client in %s', (folder) => {
    const pinned = pinnedIn(folder);
    expect(rows.some((row) => pinned.has(row))).toBe(true);
  });
});

it('docs/agents.md shows the agent of a tested program', () => {
  const [, shown = ''] = /^```js part=app\.mjs\n([\s\S]*?)^```$/m.exec(read('docs/agents.md')) ?? [];
  expect(shown).toContain('StreamableHTTPClientTransport');
  expect(readFileSync(path.join(CLIENTS, 'mcp/app.mjs'), 'utf8')).toContain(shown);
});
