import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApplicationJson } from './stage.js';

const CLIENTS = path.join(import.meta.dirname, '../clients');

/** The application that a page of docs/quickstart shows, its origin replaced by the one where the program really is. */
export async function applicationOf(client: string, origin: string): Promise<ApplicationJson> {
  const text = await readFile(path.join(CLIENTS, client, 'application.json'), 'utf8');
  return JSON.parse(text.replaceAll(/http:\/\/localhost:\d+/g, origin)) as ApplicationJson;
}
