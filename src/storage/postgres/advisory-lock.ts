// SQL by hand: advisory locks, for things that have no row to lock
import type { Tx } from '../../domain/shared/unit-of-work.js';
import type { Sql } from './sql.js';

const LOCK = {
  name: 'advisory-lock',
  text: `SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))`,
};
const LOCK_SHARED = {
  name: 'advisory-lock-shared',
  text: `SELECT pg_advisory_xact_lock_shared(hashtext($1), hashtext($2))`,
};

/**
 * Nobody else has it until the transaction ends.
 *
 * @param which of several such things
 */
export async function advisoryLock(sql: Sql, tx: Tx, what: string, which = ''): Promise<void> {
  await sql.rows(LOCK, [what, which], tx);
}

/** Nobody has it alone until the transaction ends; others who take it like this do not wait. */
export async function sharedAdvisoryLock(sql: Sql, tx: Tx, what: string, which = ''): Promise<void> {
  await sql.rows(LOCK_SHARED, [what, which], tx);
}
