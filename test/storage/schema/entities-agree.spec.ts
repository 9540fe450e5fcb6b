import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource, poolOf } from '../../../src/storage/postgres/data-source.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrate.js';
import { emptyDatabase, type TestDatabase } from '../../support/databases.js';
import { describeSchema } from './catalogue.js';

let database: TestDatabase;
let pool: Pool;
let dataSource: DataSource;

beforeAll(async () => {
  database = await emptyDatabase();
  await migrateDatabase(database.url);
  dataSource = createDataSource({
    url: database.url,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    applicationName: 'entities-agree',
  });
  queueQueries(dataSource);
  await dataSource.initialize();
  pool = poolOf(dataSource);
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** TypeORM's schema builder asks many things at once of one connection, which pg warns of: one after the other here. */
function queueQueries(source: DataSource): void {
  const create = source.createQueryRunner.bind(source);
  source.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    let last: Promise<unknown> = Promise.resolve();
    runner.query = ((...args: unknown[]) => {
      const answer = last.then(() => query(...args));
      last = answer.catch(() => undefined);
      return answer;
    }) as typeof runner.query;
    return runner;
  };
}

async function schemaBuilderQueries(): Promise<string[]> {
  const changes = await dataSource.driver.createSchemaBuilder().log();
  return changes.upQueries.map((change) => change.query);
}

it('leaves the schema builder nothing to change', async () => {
  const warnings: string[] = [];
  const hear = ({ message }: Error) => warnings.push(message);
  process.on('warning', hear);
  expect(await schemaBuilderQueries()).toEqual([]);
  await new Promise(setImmediate);
  process.off('warning', hear);
  expect(warnings).toEqual([]);
});

it('has an entity for every table', async () => {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'schema_migrations'
  `);
  const tables = dataSource.entityMetadatas.map((entity) => entity.tableName);
  expect(tables.sort()).toEqual(rows.map((row) => row.name).sort());
});

it('agrees about events too, but for the type xid8, which TypeORM does not know', async () => {
  const events = dataSource.getMetadata('events');
  events.synchronize = true;
  const queries = await schemaBuilderQueries();
  events.synchronize = false;
  expect(queries.filter((query) => !/"tx"|"events_in_order"/.test(query))).toEqual([]);
});

// The builder compares checks, foreign keys and conditions of indexes by name only. So this makes the tables anew
// from the entities, and lets PostgreSQL say what both are.
it('declares the same columns, keys, checks and indexes as the migrations', async () => {
  const migrated = await tablesAndIndexes();
  const { rows } = await pool.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
  `);
  await pool.query(`DROP TABLE ${rows.map((row) => row.name).join(', ')}`);
  for (const query of await schemaBuilderQueries()) await pool.query(query);
  expect(await tablesAndIndexes()).toEqual(migrated);
});

/** Without `events` (see its entity), and without three differences of spelling that TypeORM cannot avoid. */
async function tablesAndIndexes(): Promise<string[]> {
  const statements = (await describeSchema(pool)).split(/\n+(?=CREATE )/);
  return (
    statements
      .filter((statement) => /^CREATE (TABLE|INDEX|UNIQUE INDEX) (?!events)/.test(statement))
      // nor can an entity name an index on an expression
      .filter((statement) => !/ ON public\.\S+ USING btree \(org_id, lower\(/.test(statement))
      .map((statement) => statement.replace('UNIQUE NULLS NOT DISTINCT', 'UNIQUE'))
      .map((statement) => statement.replace('ON DELETE SET NULL (session_id)', 'ON DELETE SET NULL'))
      .map((statement) => statement.trimEnd().replaceAll(/DEFAULT '(\d+)'::bigint/g, 'DEFAULT $1'))
  );
}
