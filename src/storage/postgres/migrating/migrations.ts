import { readdirSync } from 'node:fs';
import type { MigrationInterface } from 'typeorm';

type MigrationClass = new () => MigrationInterface;

const FOLDER = new URL('../../../../migrations/', import.meta.url);
/** `1764000000000-create-foundations.ts`, or `.js` where it is built; declarations are none. */
const MIGRATION = /^\d+-[\w-]+\.[jt]s$/;
/** What is older is of version 0.1, left in dist/ by an earlier build. */
const FIRST = '1764000000000';

/**
 * Every migration, oldest first: each file with a timestamp, so that none can be forgotten.
 * @throws for a file that exports anything but one class
 */
async function readMigrations(): Promise<readonly MigrationClass[]> {
  const files = readdirSync(FOLDER)
    .filter((file) => MIGRATION.test(file) && file >= FIRST)
    .toSorted();
  return await Promise.all(
    files.map(async (file) => {
      const exported = Object.values((await import(new URL(file, FOLDER).href)) as Record<string, unknown>);
      const [migration] = exported;
      if (exported.length !== 1 || typeof migration !== 'function')
        throw new Error(`migrations/${file} must export one class`);
      return migration as MigrationClass;
    }),
  );
}

export const migrations = await readMigrations();
