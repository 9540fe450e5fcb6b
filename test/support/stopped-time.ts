// SQL by hand: takes the place of the clock of a test's database
import type pg from 'pg';
import { onTestFinished } from 'vitest';

/**
 * Has the time of a database stand still but for what a test adds (`test_clock`): a slow machine must not wait anybody's wait
 * out, nor come to something a second late.
 */
export async function stopTime(sql: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await sql.query<{ now: string }>('SELECT app_now()::text AS now');
  await sql.query(
    `CREATE OR REPLACE FUNCTION app_now() RETURNS timestamptz LANGUAGE sql VOLATILE
     AS $$ SELECT timestamptz '${rows[0]?.now}' + (SELECT shift FROM test_clock) $$`,
  );
}

/** The same for the one test that asks for it: from its end on time goes on. */
export async function stopTimeForTest(sql: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await sql.query<{ definition: string }>(
    `SELECT pg_get_functiondef('app_now()'::regprocedure) AS definition`,
  );
  await stopTime(sql);
  onTestFinished(async () => void (await sql.query(rows[0]?.definition ?? '')));
}
