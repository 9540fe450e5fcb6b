import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ApplicationJson } from './stage.js';

/** The application that stands beside a client's program, as the quick start shows it, moved to where the program listens. */
export function applicationFile(
  folder: string,
  name = 'application.json',
): (origin: string) => ApplicationJson {
  const file = path.join(import.meta.dirname, '../clients', folder, name);
  const text = readFileSync(file, 'utf8');
  return (origin) => JSON.parse(text.replaceAll(/http:\/\/localhost:\d+/g, origin)) as ApplicationJson;
}
