// SQL by hand: a row that waits, and rows that are dead
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grown, sampleOfQueues, sampleOfTables, type Sample } from '../../faults/support/growth.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { Seed } from '../../workers/support/seed.js';

// What the soak (F48) looks at. It goes on when a look fails, as PostgreSQL is away at times, so a look that always failed
// would judge nothing.

let database: TestDatabase;
let pool: pg.Pool;

beforeEach(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

describe('F48: a look of the soak', () => {
  it('sees how long jobs wait', async () => {
    const seed = await Seed.plant(pool);
    await seed.queueMail({});
    await pool.query(`UPDATE outbox SET available_at = app_now() - interval '90 seconds'`);
    expect((await sampleOfQueues(pool))['age of the oldest unpublished job']).toBeGreaterThanOrEqual(90);
    await pool.query(
      `UPDATE outbox SET state = 'published', published_at = app_now() - interval '40 seconds'`,
    );
    expect((await sampleOfQueues(pool))['age of the oldest published job']).toBeGreaterThanOrEqual(40);
  });

  it('sees the room of tables whose rows stay, by the row, and dead rows', async () => {
    const seed = await Seed.plant(pool);
    await seed.queueMail({});
    const before = await sampleOfTables(pool);
    expect(before['bytes a row of notifications']).toBeGreaterThan(0);
    expect(before['size of notifications']).toBeUndefined();
    for (const table of ['refresh_tokens', 'sessions', 'notifications', 'outbox'])
      expect(before).toHaveProperty([`dead rows of ${table}`]);
    await pool.query(`UPDATE notifications SET changed_at = app_now()`);
    // told to the statistics when the session has been idle for a moment
    await expect
      .poll(async () => (await sampleOfTables(pool))['dead rows of notifications'])
      .toBeGreaterThan(before['dead rows of notifications'] ?? 0);
  });
});

describe('F48: what has grown', () => {
  const samples = (name: string, of: (turn: number) => number): Sample[] =>
    Array.from({ length: 30 }, (_, turn) => ({ [name]: of(turn) }));

  it.each<[string, (turn: number) => number]>([
    ['age of the oldest unpublished job', (turn) => turn * 5],
    ['dead rows of sessions', (turn) => turn * 500],
    ['bytes a row of refresh_tokens', (turn) => 400 + turn * 100],
  ])('is %s where it only rises', (name, of) => {
    expect(grown(samples(name, of))).toEqual([expect.stringContaining(name)]);
  });

  it.each<[string, (turn: number) => number]>([
    ['age of the oldest published job', (turn) => (turn % 7) * 60],
    ['dead rows of sessions', (turn) => (turn % 5) * 5_000],
    ['bytes a row of notifications', (turn) => 90_000 / (turn + 1)],
  ])('is not %s where it comes and goes', (name, of) => {
    expect(grown(samples(name, of))).toEqual([]);
  });
});
