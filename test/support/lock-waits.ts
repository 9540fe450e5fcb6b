import type pg from 'pg';
import { expect } from 'vitest';

/** Until one statement in the database waits for a lock that another transaction holds. */
export async function untilSomebodyWaits(sql: pg.Pool): Promise<void> {
  await expect
    .poll(async () => {
      const { rowCount } = await sql.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount;
    })
    .toBe(1);
}
