// SQL by hand: reads schema_migrations, which has no entity
import type pg from 'pg';
import { Primary } from '../connections/primary.js';
import { migrations } from './migrations.js';

/**
 * Migrations of this version that the database does not have yet. A database that is ahead of this version is
 * fine: a release expands the schema before it runs, and the one before it keeps on working.
 *
 * @returns their names, oldest first
 */
export async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  const client = Primary.of(databaseUrl).client({ connectionTimeoutMillis: 5_000 });
  // a connection that breaks fails its query too, which is how it is noticed here
  client.on('error', () => undefined);
  await client.connect();
  try {
    const applied = new Set(await appliedMigrations(client));
    return migrations.map(({ name }) => name).filter((name) => !applied.has(name));
  } finally {
    await client.end();
  }
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const table = await client.query(`SELECT WHERE to_regclass('schema_migrations') IS NOT NULL`);
  if (table.rowCount === 0) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations');
  return rows.map(({ name }) => name);
}
