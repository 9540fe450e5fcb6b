import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { PgRestoreStore } from '../../../src/storage/postgres/maintenance/restore.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { PgUnitOfWork } from '../../../src/storage/postgres/unit-of-work.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { Seed } from '../../workers/support/seed.js';

let database: TestDatabase;
let pool: pg.Pool;
let dataSource: DataSource;

beforeEach(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  dataSource = await createDataSource({
    url: database.url,
    poolSize: 4,
    statementTimeoutMs: 0,
    applicationName: 'restore',
  }).initialize();
});

afterEach(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});

it('is known of until it is released, wherever it waits, and nothing else counts as held', async () => {
  const sql = new Sql(dataSource);
  const restore = new PgRestoreStore(sql);
  const unitOfWork = new PgUnitOfWork(sql);
  const seed = await Seed.plant(pool);
  await seed.queueMail({});
  await pool.query(
    `INSERT INTO outbox (queue, job_name, payload, lane, available_at)
     VALUES ('maintenance', 'bulk-action', '{}', 'bulk', app_now() + interval '1 year')`,
  );
  expect(await restore.isHolding()).toBe(false);
  await unitOfWork.run(async (tx) => await restore.holdWork(tx));
  expect(await restore.isHolding()).toBe(true);
  await pool.query(`DELETE FROM outbox WHERE queue = 'notifications'`);
  expect(await restore.isHolding()).toBe(true);
  await unitOfWork.run(async (tx) => await restore.discardMessages(tx));
  expect(await restore.isHolding()).toBe(false);
});
