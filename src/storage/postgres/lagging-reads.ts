import type { Tx } from '../../domain/shared/unit-of-work.js';
import type { ReadReplica } from './connections/read-replica.js';
import { DatabaseAway, isReadOnly, TransactionConflict, type Sql } from './sql.js';
import type { Row, Statement } from './statement.js';

/**
 * Reads that may be some seconds old: lists for people, the ledger of messages, events and exports. They go to the replica of
 * DATABASE_READ_URL while it is recent enough, else to the primary. No decision may depend on them, so this is not an `Sql`;
 * test/unit/storage/lagging-reads.spec.ts lists the classes that may use it.
 */
export class LaggingReads {
  constructor(
    private readonly primary: Sql,
    private readonly replica?: ReadReplica,
  ) {}

  async rows<T extends Row>(statement: Statement, values: readonly unknown[], tx?: Tx): Promise<T[]> {
    // a transaction stays on the server where it began
    if (tx !== undefined) return await this.primary.rows<T>(statement, values, tx);
    return await this.from((sql) => sql.rows<T>(statement, values));
  }

  async row<T extends Row>(
    statement: Statement,
    values: readonly unknown[],
    tx?: Tx,
  ): Promise<T | undefined> {
    return (await this.rows<T>(statement, values, tx))[0];
  }

  /** @param work reads and nothing else: where the replica fails in the middle it begins again at the primary */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return await this.from((sql) => sql.transaction(work));
  }

  async close(): Promise<void> {
    await this.replica?.close();
  }

  private async from<T>(read: (sql: Sql) => Promise<T>): Promise<T> {
    const { replica } = this;
    if (replica?.isRecent !== true) return await read(this.primary);
    try {
      return await read(replica.sql);
    } catch (error) {
      // 40001, "conflict with recovery": rows being read were removed by replay
      const isConflict = error instanceof TransactionConflict;
      // a statement that tried to write is a mistake, and must not be repeated on the primary
      const isAway = error instanceof DatabaseAway && !isReadOnly(error.cause);
      if (!isConflict && !isAway) throw error;
      if (isAway) replica.rest();
      return await read(this.primary);
    }
  }
}
