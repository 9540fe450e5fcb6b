import pg from 'pg';
import { ApiError } from '../../domain/shared/errors.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';

export type Row = Record<string, unknown>;

/** A prepared statement: `name` is unique in the program, so that every connection parses the text once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const transactions = new WeakMap<Tx, pg.PoolClient>();

/** Makes the opaque token that the domain carries from store to store. */
export function openTx(client: pg.PoolClient): Tx {
  const tx = Object.freeze({}) as Tx;
  transactions.set(tx, client);
  return tx;
}

function clientOf(tx: Tx): pg.PoolClient {
  const client = transactions.get(tx);
  if (client === undefined) throw new Error('a transaction token of another process or of no process');
  return client;
}

/**
 * The one way SQL leaves this process: named, prepared, through the pool that TypeORM owns. Without `tx` a
 * statement is its own transaction.
 */
export class Sql {
  constructor(private readonly pool: pg.Pool) {}

  async rows<T extends Row>(statement: Statement, values: readonly unknown[], tx?: Tx): Promise<T[]> {
    const runner = tx === undefined ? this.pool : clientOf(tx);
    const result = await runner.query<T>({ ...statement, values: values as unknown[] });
    return result.rows;
  }

  async row<T extends Row>(statement: Statement, values: readonly unknown[], tx?: Tx): Promise<T | undefined> {
    return (await this.rows<T>(statement, values, tx))[0];
  }

  /** Runs a change and gives the number of rows it touched: for conditional statements that number decides. */
  async change(statement: Statement, values: readonly unknown[], tx?: Tx): Promise<number> {
    const runner = tx === undefined ? this.pool : clientOf(tx);
    const result = await runner.query({ ...statement, values: values as unknown[] });
    return result.rowCount ?? 0;
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(openTx(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // a connection that cannot even roll back must not go back into the pool
      await client.query('ROLLBACK').catch((rollbackError: unknown) => {
        broken = rollbackError instanceof Error ? rollbackError : new Error('rollback failed');
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** Name of the violated constraint when `error` is a unique violation (SQLSTATE 23505), else undefined. */
export function uniqueViolation(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError && error.code === '23505') return error.constraint ?? '';
  return undefined;
}

/** Runs a statement and turns violations of the named unique constraints into the API errors given for them. */
export async function mapUniqueViolations<T>(
  work: Promise<T>,
  errors: Readonly<Record<string, () => ApiError>>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const constraint = uniqueViolation(error);
    const make = constraint === undefined ? undefined : errors[constraint];
    throw make === undefined ? error : make();
  }
}
