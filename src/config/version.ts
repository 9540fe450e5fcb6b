import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The release, from the package.json above this folder: beside `dist` where it is built, beside `src` where it is not. */
export function versionOf(folder: string): string {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  const above = path.dirname(folder);
  return above === folder ? 'unknown' : versionOf(above);
}
