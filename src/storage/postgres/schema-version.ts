import type { DataSource } from 'typeorm';
import { migrations } from './migrations.js';

/**
 * Migrations of this version that the database does not have yet. One that is ahead of this version is fine: a
 * release expands the schema before it runs, and the one before it keeps on working.
 *
 * @returns their names, oldest first
 */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const [{ present }] = (await dataSource.query(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS present`,
  )) as [{ present: boolean }];
  const rows = present
    ? ((await dataSource.query('SELECT name FROM schema_migrations')) as { name: string }[])
    : [];
  const applied = new Set(rows.map(({ name }) => name));
  return migrations.map(({ name }) => name).filter((name) => !applied.has(name));
}
