import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RemoveOldEvents } from '../../../src/domain/maintenance/remove-old-events.js';
import type { Log } from '../../../src/domain/shared/log.js';
import { PgMaintenanceStore } from '../../../src/storage/postgres/maintenance/maintenance.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

const YEAR = 365 * 86_400;
const silentLog = { info: () => undefined } as unknown as Log;

let database: TestDatabase;
let pool: pg.Pool;
let service: pg.Pool;
let maintenance: PgMaintenanceStore;

beforeEach(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  // what API and workers sign in as may drop no table by itself
  service = new pg.Pool({ connectionString: database.serviceUrl, max: 4 });
  service.on('error', () => undefined);
  maintenance = new PgMaintenanceStore(new Sql(service));
  await pool.query(`
    CREATE TABLE events_2020_01 PARTITION OF events FOR VALUES FROM ('2020-01-01Z') TO ('2020-02-01Z');
    CREATE TABLE events_2020_02 PARTITION OF events FOR VALUES FROM ('2020-02-01Z') TO ('2020-03-01Z');
    INSERT INTO events (created_at, aggregate_type, aggregate_id, sequence, type)
      SELECT at, 't', 'a', 1, 'x' FROM (VALUES ('2020-01-31 12:00Z'::timestamptz), ('2020-02-01 00:00Z'), (now()),
        ('2019-06-01 00:00Z'), ('2019-06-02 00:00Z'), ('2019-06-03 00:00Z')) AS e (at);
  `);
});

afterEach(async () => {
  await service.end();
  await pool.end();
  await database.drop();
});

async function count(): Promise<number> {
  return (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM events')).rows[0]?.n ?? -1;
}

const removal = (eventSeconds: number | undefined) =>
  new RemoveOldEvents(
    maintenance,
    { eventSeconds, sessionSeconds: 0, noticeSeconds: 0, importSeconds: 0 },
    silentLog,
  );

it('keeps the audit log where no policy says otherwise', async () => {
  expect(await removal(undefined).run()).toEqual({});
  expect(await count()).toBe(6);
});

it('drops whole months, those alone whose last day is over by policy, and strays one by one', async () => {
  await pool.query(`UPDATE test_clock SET shift = '2021-02-10Z'::timestamptz - clock_timestamp()`);
  // all of January 2020 is more than a year ago, February is not
  expect(await removal(YEAR).run()).toEqual({ event_months: 1, events: 3 });
  expect(await count()).toBe(2);
  expect(await removal(YEAR).run()).toEqual({ event_months: 0, events: 0 });
});

it('deletes strays a bounded number at a time', async () => {
  expect(await maintenance.removeOldEvents(2, YEAR)).toEqual({ event_months: 2, events: 2 });
  expect(await maintenance.removeOldEvents(2, YEAR)).toEqual({ event_months: 0, events: 1 });
});

it('does it once when two do it at once', async () => {
  const both = await Promise.all([removal(YEAR).run(), removal(YEAR).run()]);
  expect(both.map((counts) => counts['event_months'] ?? 0).reduce((a, b) => a + b)).toBe(2);
  expect(await count()).toBe(1);
});

it('waits two seconds for whoever reads a month, then leaves it to the next run', async () => {
  const reader = await pool.connect();
  await reader.query('BEGIN; SELECT FROM events_2020_01');
  await expect(maintenance.removeOldEvents(10, YEAR)).rejects.toThrow('lock timeout');
  await reader.query('ROLLBACK');
  reader.release();
  expect(await maintenance.removeOldEvents(10, YEAR)).toMatchObject({ event_months: 2 });
});
