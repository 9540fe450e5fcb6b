import { readFile } from 'node:fs/promises';
import path from 'node:path';

const CLIENTS = path.join(import.meta.dirname, '../clients');

/** The version of a package of npm that a client is pinned to. */
export async function versionOf(folder: string, name: string): Promise<string> {
  const text = await readFile(path.join(CLIENTS, folder, 'package.json'), 'utf8');
  const version = (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies[name];
  if (version === undefined) throw new Error(`${folder} has no dependency ${name}`);
  return version;
}
