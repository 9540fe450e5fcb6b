// SQL by hand: set_config, for the statement timeout of a search
import pg from 'pg';
import { ApiError } from '../../domain/shared/errors.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import type { Sql } from './sql.js';

export const LONGEST_SEARCH_MS = 5_000;
/** PostgreSQL's query_canceled, which a statement's time-out is. */
const QUERY_CANCELED = '57014';

// the planner has to see the values, which our sessions' plans leave out (data-source.ts): searches are not prepared
const WITHIN_TIME = {
  name: 'search-within-time',
  text: `SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('statement_timeout', $1, true)`,
};

interface Bearable {
  readonly longestMs: number;
  /** What makes such a search shorter. */
  readonly advice: string;
  readonly errorId: string;
}

const BY_TIME: Bearable = {
  longestMs: LONGEST_SEARCH_MS,
  advice: 'ask for less time',
  errorId: 'QUERY-dL9w4',
};

/**
 * Searches by conditions that a caller puts together, some of which no index helps with.
 * @throws ApiError resource-exhausted when it takes longer than a search may
 */
export async function withinTime<T>(
  sql: Pick<Sql, 'transaction' | 'rows'>,
  work: (tx: Tx) => Promise<T>,
  { longestMs, advice, errorId }: Bearable = BY_TIME,
): Promise<T> {
  try {
    return await sql.transaction(async (tx) => {
      await sql.rows(WITHIN_TIME, [String(longestMs)], tx);
      return await work(tx);
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === QUERY_CANCELED)) throw error;
    throw new ApiError('resource-exhausted', `The search took too long: ${advice}`, errorId);
  }
}
