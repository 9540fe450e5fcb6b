// SQL by hand: one UPDATE finds the rows that expire soon and marks them as announced
import type { Expiring, ExpiringRows } from '../../domain/identity-providers/warn-of-expiry.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import type { Sql } from './sql.js';
import type { Statement } from './statement.js';

interface ExpiringKind {
  readonly table: 'identity_providers' | 'user_migrations';
  /** The column of the primary key. */
  readonly key: 'id' | 'org_id';
  /** SQL: whether somebody uses the row `r`, whose `expires_at` it is. */
  readonly isUsed: string;
}

/** Rows with `expires_at`, and in `warned_of` the expiry that was announced. */
export class ExpiringTable implements ExpiringRows {
  private readonly mark: Statement;
  private readonly count: Statement;

  constructor(
    private readonly sql: Sql,
    { table, key, isUsed }: ExpiringKind,
  ) {
    const expires = `${isUsed} AND r.expires_at < app_now() + make_interval(days => $1)`;
    const name = table.replaceAll('_', '-');
    this.mark = {
      name: `${name}-mark-expiring`,
      text: `
        UPDATE ${table} t SET warned_of = t.expires_at
        WHERE t.${key} IN (
          SELECT r.${key} FROM ${table} r
          WHERE ${expires} AND r.warned_of IS DISTINCT FROM r.expires_at
          ORDER BY r.expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING t.${key} AS id, t.org_id AS "orgId", t.expires_at AS "expiresAt", t.sequence`,
    };
    this.count = {
      name: `${name}-count-expiring`,
      text: `SELECT count(*)::int AS count FROM ${table} r WHERE ${expires}`,
    };
  }

  async markExpiring(tx: Tx, withinDays: number, limit: number): Promise<readonly Expiring[]> {
    return await this.sql.rows<Expiring & Record<string, unknown>>(this.mark, [withinDays, limit], tx);
  }

  async countExpiring(withinDays: number): Promise<number> {
    return (await this.sql.row<{ count: number }>(this.count, [withinDays]))?.count ?? 0;
  }
}
