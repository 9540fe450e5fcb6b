// SQL by hand: reads pg_locks, pg_stat_activity and pg_class
import type { QueryRunner } from 'typeorm';

/** lock_not_available and deadlock_detected: of a change of tables that somebody else is using. */
export function isOccupied(error: unknown): boolean {
  const code = (error as { readonly driverError?: { readonly code?: unknown } }).driverError?.code;
  return code === '55P03' || code === '40P01';
}

/**
 * Who uses tables of this database at this moment, in words; empty if nobody does.
 *
 * @param tables of these, where they are known
 */
export async function usersOfTables(
  runner: QueryRunner,
  tables: readonly string[] | null = null,
): Promise<string> {
  const rows = (await runner.query(
    `SELECT DISTINCT pid, coalesce(nullif(application_name, ''), 'unnamed') AS name
     FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND relation = ANY (coalesce($1::regclass[]::oid[],
         ARRAY(SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace)))
       AND granted AND pid <> pg_backend_pid() ORDER BY pid`,
    [tables],
  )) as { pid: number; name: string }[];
  return rows.map(({ pid, name }) => `${name} (process ${pid})`).join(', ');
}
