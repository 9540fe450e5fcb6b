import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive } from '../../../src/domain/maintenance/maintenance.store.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { PgMaintenanceStore } from '../../../src/storage/postgres/maintenance/maintenance.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

let database: TestDatabase;
let pool: pg.Pool;
let service: DataSource;
let maintenance: PgMaintenanceStore;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
  // as workers sign in
  service = await createDataSource({
    url: database.serviceUrl,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    applicationName: 'workers',
  }).initialize();
  maintenance = new PgMaintenanceStore(new Sql(service));
});

afterAll(async () => {
  await service.destroy();
  await pool.end();
  await database.drop();
});

const worker = (id: string) => ({ id, host: `host-${id}`, version: '1.2.3', queues: ['imports', 'keys'] });
const pass = async (seconds: number) =>
  await pool.query('UPDATE test_clock SET shift = shift + make_interval(secs => $1)', [seconds]);
const alive = async () => (await maintenance.listWorkers()).map((one) => `${one.id} ${isAlive(one)}`);

it('knows workers while they announce themselves, and for an hour those that went without a word', async () => {
  await maintenance.announceWorker(worker('a'));
  await pass(10);
  await maintenance.announceWorker(worker('b'));
  expect(await maintenance.listWorkers()).toMatchObject([worker('a'), worker('b')]);
  await pass(55);
  await maintenance.announceWorker(worker('b'));
  expect(await alive()).toEqual(['a false', 'b true']);
  await pass(3_600);
  await maintenance.announceWorker(worker('b'));
  expect(await alive()).toEqual(['b true']);
  const [b] = await maintenance.listWorkers();
  expect((b?.seenAt.getTime() ?? 0) - (b?.startedAt.getTime() ?? 0)).toBeGreaterThan(3_600_000);
  await maintenance.forgetWorker('b');
  expect(await alive()).toEqual([]);
});
