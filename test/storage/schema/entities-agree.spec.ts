// SQL by hand: the catalogue of the database
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrating/migrate.js';
import { emptyDatabase, type TestDatabase } from '../../support/databases.js';

/** TypeORM keeps it. */
const NO_ENTITIES = ['schema_migrations'];

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await emptyDatabase();
  await migrateDatabase(database.url);
  dataSource = await createDataSource({
    url: database.url,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    applicationName: 'entities-agree',
  }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

it('leaves the schema builder nothing to change after the migrations', async () => {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
});

// the schema builder asks for no table that no entity has
it('has an entity of every table', async () => {
  const tables = await dataSource.query<readonly { name: string }[]>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const known = new Set(dataSource.entityMetadatas.map(({ tableName }) => tableName));
  expect(tables.map(({ name }) => name).filter((name) => !known.has(name))).toEqual(NO_ENTITIES);
});

// of both the schema builder compares the names alone
it('names the checks of every table, and the conditions of its indexes, as the migrations made them', async () => {
  const differing: unknown[] = [];
  let compared = 0;
  await dataSource.transaction(async (manager) => {
    for (const { tableName, checks, ...metadata } of dataSource.entityMetadatas) {
      // of the others the entity says the name only
      const indices = metadata.indices.filter(({ synchronize }) => synchronize);
      const names = indices.map(({ name }) => name);
      const made = await conditionsOf(manager, tableName, names);
      await manager.query(`CREATE TEMPORARY TABLE meant (LIKE ${tableName}) ON COMMIT DROP`);
      for (const { name, expression } of checks) {
        await manager.query(`ALTER TABLE meant ADD CONSTRAINT ${name} CHECK (${expression})`);
      }
      for (const { name, where } of indices) {
        await manager.query(`CREATE INDEX ${name} ON meant ((true)) ${where ? `WHERE ${where}` : ''}`);
      }
      const meant = await conditionsOf(manager, 'meant', names);
      await manager.query('DROP TABLE meant');
      compared += made.length;
      if (JSON.stringify(made) !== JSON.stringify(meant)) differing.push({ tableName, made, meant });
    }
  });
  expect(differing).toEqual([]);
  expect(compared).toBeGreaterThan(200);
});

/** As PostgreSQL reads them; the values of a set have no order. */
async function conditionsOf(
  manager: EntityManager,
  table: string,
  indexes: readonly string[],
): Promise<readonly string[]> {
  const rows = await manager.query<readonly { name: string; condition: string }[]>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS condition FROM pg_constraint
     WHERE conrelid = $1::regclass AND contype = 'c'
     UNION ALL
     SELECT c.relname, coalesce(pg_get_expr(i.indpred, i.indrelid), '') FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = $1::regclass AND c.relname = ANY ($2)
     ORDER BY name`,
    [table, indexes],
  );
  return rows.map(({ name, condition }) => `${name}: ${condition.replace(/ARRAY\[([^\]]*)\]/g, inOrder)}`);
}

function inOrder(_set: string, values: string): string {
  return `ARRAY[${values.split(', ').toSorted().join(', ')}]`;
}
