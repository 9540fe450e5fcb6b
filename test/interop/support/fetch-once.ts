import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../../scripts/processes.mjs';

const CLIENTS = path.join(import.meta.dirname, '../clients');
const FETCHED = path.resolve('.data/interop');
const MOST_MS = 15 * 60_000;

export interface Pins {
  /** Files of the client's folder that name every version: its lock. A change of one fetches anew. */
  readonly files: readonly string[];
  /** Commands that fetch what the files name, run in the copy of the folder. */
  readonly install: readonly (readonly [string, ...string[]])[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Packages of npm, by the lock alone. Scripts of packages do not run. */
export const NPM: Pins = {
  files: ['package.json', 'package-lock.json'],
  install: [['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']],
};

/**
 * Copies `test/interop/clients/<name>` to `.data/interop/<name>` and fetches its dependencies there, unless that was
 * done for the same pins before. A machine that cannot fetch them fails the test: a client that was not run is not known
 * to work.
 */
export async function fetchOnce(name: string, pins: Pins = NPM): Promise<string> {
  const source = path.join(CLIENTS, name);
  const folder = path.join(FETCHED, name);
  const stamp = path.join(folder, '.fetched');
  const wanted = await digestOf(source, pins);
  const fetched = await readFile(stamp, 'utf8').catch(() => '');
  if (fetched !== wanted) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(source, folder, { recursive: true });
  if (fetched === wanted) return folder;
  for (const [command, ...args] of pins.install) {
    const { code, output } = await run(command, args, {
      cwd: folder,
      env: { ...process.env, ...pins.environment },
      timeoutMs: MOST_MS,
      group: true,
    });
    if (code !== 0) {
      const last = output.trim().split('\n').slice(-15).join('\n');
      throw new Error(
        `could not fetch the client ${name}: "${[command, ...args].join(' ')}" ended with ${code}\n${last}`,
      );
    }
  }
  await writeFile(stamp, wanted);
  return folder;
}

async function digestOf(source: string, { files, install }: Pins): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(install));
  for (const file of files) hash.update(await readFile(path.join(source, file)));
  return hash.digest('hex');
}
