import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PgUsedProofsStore } from '../../../src/storage/postgres/dpop/used-proofs.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

let database: TestDatabase;
let pool: pg.Pool;
let used: PgUsedProofsStore;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  used = new PgUsedProofsStore(new Sql(pool));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function count(): Promise<number> {
  return (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM used_proofs')).rows[0]?.n ?? 0;
}

it('is used once, and known from then on for as long as was said', async () => {
  const hash = randomBytes(32);
  expect(await used.isUsed(hash)).toBe(false);
  expect(await used.use(hash, 60)).toBe(true);
  expect(await used.isUsed(hash)).toBe(true);
  expect(await used.use(hash, 60)).toBe(false);
  await pool.query(`UPDATE used_proofs SET expires_at = now() - interval '1 second'`);
  expect(await used.isUsed(hash)).toBe(false);
  expect(await used.use(hash, 60)).toBe(true);
});

it('makes no pile: one use in many removes those that have just expired', async () => {
  await pool.query(`DELETE FROM used_proofs`);
  await pool.query(
    `INSERT INTO used_proofs SELECT int8send(n), now() - interval '10 seconds' FROM generate_series(1, 100) AS n`,
  );
  for (let n = 0; n < 64; n += 1) await used.use(randomBytes(32), 60);
  expect(await count()).toBe(64);
});
