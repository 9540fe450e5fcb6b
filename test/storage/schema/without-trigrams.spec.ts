import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrateDatabase } from '../../../src/storage/postgres/migrating/migrate.js';
import { migrations } from '../../../src/storage/postgres/migrating/migrations.js';
import { emptyDatabase, runAsAdmin, type TestDatabase } from '../../support/databases.js';

// A managed PostgreSQL gives a role that owns its tables and nothing else: pg_trgm may be out of its reach.

let database: TestDatabase;
/** The same database for a role that may make tables in it, but neither schemas nor extensions. */
let lowly: { readonly role: string; readonly url: string };

beforeEach(async () => {
  database = await emptyDatabase();
  const role = `r_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(
    database.url,
    `CREATE ROLE ${role} LOGIN PASSWORD 'lowly'`,
    `GRANT USAGE, CREATE ON SCHEMA public TO ${role}`,
  );
  const url = new URL(database.url);
  [url.username, url.password] = [role, 'lowly'];
  lowly = { role, url: url.href };
});

afterEach(async () => {
  await runAsAdmin(database.url, `DROP OWNED BY ${lowly.role} CASCADE`, `DROP ROLE ${lowly.role}`);
  await database.drop();
});

async function indexes(): Promise<readonly string[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE indexname LIKE '%\\_search\\_inside' ORDER BY indexname`,
    );
    return rows.map(({ indexdef }) => indexdef);
  } finally {
    await client.end();
  }
}

it('migrates without the indexes where the extension cannot be installed', async () => {
  expect(await migrateDatabase(lowly.url)).toHaveLength(migrations.length);
  expect(await indexes()).toEqual([]);
});

it('makes them where somebody has installed it, in whatever schema', async () => {
  await runAsAdmin(
    database.url,
    'CREATE SCHEMA "The Provider’s"',
    'CREATE EXTENSION pg_trgm WITH SCHEMA "The Provider’s"',
    `GRANT USAGE ON SCHEMA "The Provider’s" TO ${lowly.role}`,
  );
  await migrateDatabase(lowly.url);
  expect(await indexes()).toEqual([
    expect.stringContaining('"The Provider’s".gin_trgm_ops'),
    expect.stringContaining('"The Provider’s".gin_trgm_ops'),
  ]);
});

it('installs it where it may', async () => {
  await runAsAdmin(
    database.url,
    `GRANT CREATE ON DATABASE ${new URL(database.url).pathname.slice(1)} TO ${lowly.role}`,
  );
  await migrateDatabase(lowly.url);
  expect(await indexes()).toEqual([
    expect.stringContaining('trigrams.gin_trgm_ops'),
    expect.stringContaining('trigrams.gin_trgm_ops'),
  ]);
});
