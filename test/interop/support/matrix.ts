import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApplicationJson } from './stage.js';
import { tweakedFields } from './tweak.js';
import type { Step } from './walk.js';

const FOLDER = path.resolve('.data/interop-matrix');

/** One client of the ring: a line of docs/clients.md and of the table printed at the end. */
export interface Row {
  readonly client: string;
  readonly version: string;
  readonly did: readonly (Step | (string & {}))[];
  /** What had to be set at the client that its own documentation does not ask for; the aim is none. */
  readonly tweak?: string;
  /** As it was registered: what it has beyond a default one is a tweak, too. */
  readonly application?: ApplicationJson;
}

/** Remembers that a client went all the way in this run. */
export async function record({ application, ...row }: Row): Promise<void> {
  const fields = application === undefined ? [] : tweakedFields(application);
  const tweaks = [
    ...(fields.length === 0 ? [] : [`application: ${fields.join(' ')}`]),
    row.tweak ?? [],
  ].flat();
  const noted: Row = { ...row, ...(tweaks.length > 0 && { tweak: tweaks.join('; ') }) };
  await mkdir(FOLDER, { recursive: true });
  await writeFile(path.join(FOLDER, `${encodeURIComponent(row.client)}.json`), JSON.stringify(noted));
}

/** Global setup of the ring: files run one by one, each with its clients; the table of all is printed after the last. */
export default async function setup(): Promise<() => Promise<void>> {
  await rm(FOLDER, { recursive: true, force: true });
  return async () => {
    const files = await readdir(FOLDER).catch(() => []);
    const texts = await Promise.all(files.sort().map((file) => readFile(path.join(FOLDER, file), 'utf8')));
    if (texts.length > 0) console.log(`\n${tableOf(texts.map((text) => JSON.parse(text) as Row))}\n`);
  };
}

function tableOf(rows: readonly Row[]): string {
  const cells = [
    ['client', 'version', 'tweak', 'did'],
    ...rows.map(({ client, version, did, tweak }) => [client, version, tweak ?? 'none', did.join(', ')]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
