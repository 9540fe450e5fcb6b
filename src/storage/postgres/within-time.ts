import pg from 'pg';
import { ApiError } from '../../domain/shared/errors.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import type { Sql } from './sql.js';

const LONGEST_SEARCH_MS = 5_000;
/** PostgreSQL's query_canceled, which a statement's time-out is. */
const QUERY_CANCELED = '57014';

// the planner has to see which conditions there are, so that searches are not prepared
const WITHIN_TIME = {
  name: 'search-within-time',
  text: `SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('statement_timeout', $1, true)`,
};

/**
 * Searches by conditions that a caller puts together, some of which no index helps with.
 * @throws ApiError resource-exhausted when it takes longer than a search may
 */
export async function withinTime<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await sql.transaction(async (tx) => {
      await sql.rows(WITHIN_TIME, [String(LONGEST_SEARCH_MS)], tx);
      return await work(tx);
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === QUERY_CANCELED)) throw error;
    throw new ApiError('resource-exhausted', 'The search took too long: ask for less time', 'QUERY-dL9w4');
  }
}
