import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrating/migrate.js';
import { emptyDatabase, type TestDatabase } from '../../support/databases.js';

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
