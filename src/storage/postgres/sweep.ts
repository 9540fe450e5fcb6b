// SQL by hand: a request now and then deletes expired rows of a table of short-lived rows, in between the maintenance job
import type { Statement } from './statement.js';

/** One write in this many also deletes expired rows. Not more often, since it costs more the longer a snapshot is held open elsewhere. */
export const SWEPT_EVERY = 64;

/**
 * Deletes twice as many rows as are written meanwhile, of those that expired within the last minute: entries of older, deleted rows may
 * still be in the index by the million, if a long transaction keeps them. Remaining rows are left to the maintenance job.
 */
export function sweepOf(table: 'used_proofs' | 'pushed_requests'): Statement {
  return {
    name: `${table.replaceAll('_', '-')}-sweep`,
    text: `
    DELETE FROM ${table} WHERE hash IN (
      SELECT o.hash FROM ${table} o
      WHERE o.expires_at <= (SELECT app_now()) AND o.expires_at > (SELECT app_now() - interval '1 minute')
      LIMIT ${2 * SWEPT_EVERY} FOR UPDATE SKIP LOCKED)`,
  };
}
