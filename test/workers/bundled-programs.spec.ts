import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const DIST = process.env['TEST_DIST'] ?? path.resolve('dist');

const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js') && !name.startsWith('modules'))
  .map((name) => path.join(DIST, name));

it('bundled programs find what they start or read as files of their own', () => {
  const named = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/new URL\("([^"]*modules\/[^"]+)", import\.meta\.url\)/g)].map(
      ([, target = '']) => path.join(path.dirname(file), target),
    ),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

it('the command line can be run by its name, after each build', () => {
  const run = () => {
    accessSync(path.join(DIST, 'src/cli/identity.js'), constants.X_OK);
  };
  expect(run).not.toThrow();
});

it('the command line ends quietly when nobody reads what it says', async () => {
  const program = path.join(DIST, 'src/cli/identity.js');
  // `true` is gone long before the command line has loaded
  const line = `set -o pipefail; "${process.execPath}" "${program}" --help | true`;
  const { stderr } = await run('bash', ['-c', line]);
  expect(stderr).toBe('');
});

it('bundled programs leave no module of ours to be read one by one', () => {
  const imports = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^import .* from "(\.[^"]+)"/gm)].map(([, name = '']) => name),
  );
  expect(imports.filter((name) => name.includes('modules/'))).toEqual([]);
});
