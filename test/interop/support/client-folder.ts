import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApplicationJson } from './stage.js';

const CLIENTS = path.join(import.meta.dirname, '../clients');

/** The application that a page of docs/quickstart shows, its origin replaced by the one where the program really is. */
export async function applicationOf(folder: string, origin: string): Promise<ApplicationJson> {
  const text = await readFile(path.join(CLIENTS, folder, 'application.json'), 'utf8');
  return JSON.parse(text.replaceAll(/http:\/\/localhost:\d+/g, origin)) as ApplicationJson;
}

/** The version of a package of npm that a client is pinned to. */
export async function versionOf(folder: string, name: string): Promise<string> {
  const text = await readFile(path.join(CLIENTS, folder, 'package.json'), 'utf8');
  const version = (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies[name];
  if (version === undefined) throw new Error(`${folder} has no dependency ${name}`);
  return version;
}
