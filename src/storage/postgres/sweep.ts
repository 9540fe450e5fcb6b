// SQL by hand: a request now and then deletes expired rows of a table of short-lived rows, in between the maintenance job
import type { Statement } from './statement.js';

/** Of so many writes, one removes what others left; seldom, for what it looks at costs more the longer a snapshot is held open. */
export const SWEPT_EVERY = 64;

/**
 * Removes twice as many as are written meanwhile, of those that expired within the last minute: below that, an index may begin
 * with the entries of a million rows that are gone and that a long transaction keeps. The rest is left to the maintenance.
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
