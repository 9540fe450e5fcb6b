import pg from 'pg';
import { DataSource, QueryFailedError, type EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { tracedStatement } from '../../tracing/trace.js';
import { PreparedQuery } from './prepared-query.js';
import type { Row, Statement } from './statement.js';
import { CopyQuery, submitCopy, type CopyTable } from './throughput/copy-rows.js';
import type { PipelinedConnections } from './throughput/pipelined-connections.js';

/** PostgreSQL is down, starting, stopping or full. It recovers, so the error asks the caller to try again. */
export class DatabaseAway extends ApiError {
  constructor(override readonly cause: unknown) {
    super('unavailable', 'The database cannot be reached', 'STORAGE-w7Kq2', 5);
    this.name = 'DatabaseAway';
  }
}

/**
 * A deadlock or a serialization failure, by which PostgreSQL ended this transaction in favour of another one: imports and
 * calls take the lock of ids and rows of users in either order. Nothing of it happened, and another time it goes well.
 */
export class TransactionConflict extends ApiError {
  constructor(override readonly cause: unknown) {
    super('unavailable', 'Somebody else changes the same things, try again', 'STORAGE-w7Kq3', 1);
    this.name = 'TransactionConflict';
  }
}

// class 08 is "connection exception", class 57P "operator intervention", 53300 "too many connections", 53100 "disk
// full"; 25006 is a write where only reading is possible, as on a replica that is not in charge yet (security F13)
const AWAY_STATES = /^(08[0-9A-Z]{3}|57P0[1-4]|53[13]00|25006)$/;
const AWAY_ERRNOS =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)$/;
// what pg and its pool throw without any code
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Client was closed and is not queryable)/;

/** What PostgreSQL says of a write on a server that only repeats another's. */
const READ_ONLY = '25006';

/**
 * An unlogged table has nothing there that could be read either, which is 0A000 "feature not supported" of the planner. Its text
 * is translated, the name of the function is not.
 */
function isUnloggedInRecovery({ code, routine }: pg.DatabaseError): boolean {
  return code === '0A000' && routine === 'get_relation_info';
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === READ_ONLY || isUnloggedInRecovery(error));
}

export function isAway(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (isReadOnly(error)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return AWAY_STATES.test(code) || AWAY_ERRNOS.test(code) || AWAY_MESSAGES.test(error.message);
}

/**
 * Throws what leaves storage when a statement failed: `DatabaseAway`, `TransactionConflict`, or the error itself. Its `detail`
 * and `where` quote whole rows, and errors are logged: they go, the names of table, column and constraint stay.
 */
function rethrow(thrown: unknown): never {
  // what a repository throws wraps what the driver threw, with the values of the statement
  const error: unknown = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  if (isAway(error)) throw new DatabaseAway(error);
  if (error instanceof pg.DatabaseError) {
    error.detail = undefined;
    error.where = undefined;
    // created where the answer was read, so its stack does not show the caller
    Error.captureStackTrace(error, rethrow);
    // 40P01 deadlock_detected, 40001 serialization_failure
    if (error.code === '40P01' || error.code === '40001') throw new TransactionConflict(error);
  }
  throw error;
}

// 55P03 lock_not_available; 26000 when it was the preparing that waited, and what follows finds no statement
function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '26000');
}

function ask<T extends Row>(
  client: pg.PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<pg.QueryResult<T>> {
  return new Promise((resolve, reject) => {
    const query = new PreparedQuery<T>(statement, values, (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
    client.query(query);
  });
}

/** TypeORM's runner on a connection that is leased already, and that the lease returns to the pool. */
class LeasedRunner extends PostgresQueryRunner {
  constructor(source: DataSource, client: pg.PoolClient) {
    super(source.driver as PostgresDriver, 'master');
    this.databaseConnection = client;
    // TypeORM locks rows in a transaction only
    this.isTransactionActive = client.getTransactionStatus() !== 'I';
    Object.assign(this, { manager: source.createEntityManager(this) });
  }
}

/**
 * A connection of the pool that somebody has for a while. TypeORM's runner of it is made when a repository is asked for:
 * most leases send prepared statements alone and need none.
 */
class Lease {
  /** What waits for the commit. */
  readonly afterCommit: (() => void)[] = [];
  #manager: EntityManager | undefined;
  #broken: Error | undefined;

  private constructor(
    readonly client: pg.PoolClient,
    private readonly source: DataSource | pg.Pool,
  ) {
    // a connection that ends between two statements emits an event, which only we can handle while it is ours
    client.on('error', this.#remember);
  }

  readonly #remember = (error: Error): void => {
    this.#broken = error;
  };

  static async from(source: DataSource | pg.Pool): Promise<Lease> {
    const pool =
      source instanceof DataSource ? ((source.driver as PostgresDriver).master as pg.Pool) : source;
    return new Lease(await pool.connect(), source);
  }

  /** @throws Error on a pool that knows no entities */
  get manager(): EntityManager {
    if (!(this.source instanceof DataSource)) throw new Error('these connections know no entities');
    this.#manager ??= new LeasedRunner(this.source, this.client).manager;
    return this.#manager;
  }

  async begin(): Promise<void> {
    await this.client.query('BEGIN');
  }

  async commit(): Promise<void> {
    await this.client.query('COMMIT');
  }

  async rollback(): Promise<void> {
    // a connection that cannot even roll back must not go back into the pool
    await this.client.query('ROLLBACK').catch(this.#remember);
  }

  /** @param broken why the pool must not hand the connection out again */
  release(broken?: Error): void {
    this.client.removeListener('error', this.#remember);
    this.client.release(broken ?? this.#broken);
  }
}

const transactions = new WeakMap<Tx, Lease>();

function leaseOf(tx: Tx): Lease {
  const found = transactions.get(tx);
  if (found === undefined) throw new Error('a transaction token of another process or of no process');
  return found;
}

/** A connection on which nothing can be written is given up: behind the address there may be another server by now. */
function brokenBy(error: unknown): Error | undefined {
  const cause = error instanceof DatabaseAway ? error.cause : error;
  return cause instanceof Error && isReadOnly(cause) ? cause : undefined;
}

/**
 * How statements leave this process: named and prepared here, or by the repository of an entity (`Table`), which gets its
 * manager here; both by the connections that TypeORM pools. Without `tx` a statement is its own transaction.
 */
export class Sql {
  constructor(
    private readonly source: DataSource | pg.Pool,
    private readonly connections?: PipelinedConnections,
  ) {}

  /** Queries are made with it, not sent. */
  get builder(): EntityManager {
    if (!(this.source instanceof DataSource)) throw new Error('these connections know no entities');
    return this.source.manager;
  }

  /** Does what the repositories of entities do, in the transaction or in none. */
  async entities<T>(work: (manager: EntityManager) => Promise<T>, tx?: Tx): Promise<T> {
    return await tracedStatement('entities', () => this.on(tx, async (held) => await work(held.manager)));
  }

  /**
   * One row by key, on a pipelined connection. For SELECTs that never wait for a lock, and for changes of one row that
   * may be repeated: a connection that is lost in the middle leaves open whether the statement ran, and it is then sent
   * again.
   */
  async pipelined<T extends Row>(statement: Statement, values: readonly unknown[]): Promise<T | undefined> {
    return (await this.pipelinedRows<T>(statement, values))[0];
  }

  /** The same for more than one row. */
  async pipelinedRows<T extends Row>(statement: Statement, values: readonly unknown[]): Promise<T[]> {
    return await tracedStatement(statement.name, () => this.askPipelined<T>(statement, values));
  }

  private async askPipelined<T extends Row>(statement: Statement, values: readonly unknown[]): Promise<T[]> {
    const connection = this.connections?.pick();
    if (connection === undefined) return await this.rows<T>(statement, values);
    try {
      return (await connection.ask(statement, values)) as T[];
    } catch (error) {
      if (!isAway(error) && !isLockTimeout(error)) return rethrow(error);
      if (isReadOnly(error)) connection.leave();
      return await this.rows<T>(statement, values);
    }
  }

  async rows<T extends Row>(statement: Statement, values: readonly unknown[], tx?: Tx): Promise<T[]> {
    return (await this.send<T>(statement, values, tx)).rows;
  }

  async row<T extends Row>(
    statement: Statement,
    values: readonly unknown[],
    tx?: Tx,
  ): Promise<T | undefined> {
    return (await this.rows<T>(statement, values, tx))[0];
  }

  /** Runs a change and gives the number of rows it touched: for conditional statements that number decides. */
  async change(statement: Statement, values: readonly unknown[], tx?: Tx): Promise<number> {
    return (await this.send(statement, values, tx)).rowCount ?? 0;
  }

  /** Puts rows into tables, in their order, with one round trip for all. */
  async copy(tx: Tx, tables: readonly CopyTable[]): Promise<void> {
    const query = new CopyQuery(tables);
    if (query.isEmpty) return;
    submitCopy(leaseOf(tx).client, query);
    await tracedStatement('copy', () => query.done.catch(rethrow));
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return await tracedStatement('transaction', () => this.inTransaction(work));
  }

  private async inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const held = await Lease.from(this.source).catch(rethrow);
    const tx = Object.freeze({}) as Tx;
    transactions.set(tx, held);
    let committed: readonly (() => void)[] = [];
    let refused: unknown;
    try {
      await held.begin().catch(rethrow);
      const result = await work(tx);
      // PostgreSQL would answer the COMMIT with ROLLBACK if a failed statement was ignored
      if (held.client.getTransactionStatus() === 'E') {
        throw new Error('a failed transaction was about to be taken for a good one');
      }
      await held.commit().catch(rethrow);
      committed = held.afterCommit;
      return result;
    } catch (error) {
      await held.rollback();
      refused = error;
      throw error;
    } finally {
      held.release(brokenBy(refused));
      for (const act of committed) act();
    }
  }

  afterCommit(tx: Tx, act: () => void): void {
    leaseOf(tx).afterCommit.push(act);
  }

  private async send<T extends Row>(
    statement: Statement,
    values: readonly unknown[],
    tx?: Tx,
  ): Promise<pg.QueryResult<T>> {
    return await tracedStatement(statement.name, () =>
      this.on(tx, async ({ client }) => await ask<T>(client, statement, values)),
    );
  }

  private async on<T>(tx: Tx | undefined, work: (held: Lease) => Promise<T>): Promise<T> {
    if (tx !== undefined) return await work(leaseOf(tx)).catch(rethrow);
    const held = await Lease.from(this.source).catch(rethrow);
    try {
      const result = await work(held);
      held.release();
      return result;
    } catch (error) {
      const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
      // after a refusal the connection can be reused; one without an answer may still be running the statement
      const gaveNoAnswer = cause instanceof Error && !(cause instanceof pg.DatabaseError);
      held.release(gaveNoAnswer ? cause : brokenBy(cause));
      return rethrow(error);
    }
  }
}

/**
 * Whether the database refused what a statement would have written, rather than being in trouble itself: classes 21
 * "cardinality violation", 22 "data exception", 23 "integrity constraint violation" and 54 "program limit exceeded".
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(21|22|23|54)/.test(error.code ?? '');
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

/** The same for foreign keys (SQLSTATE 23503): what was named is not there, or belongs to somebody else. */
export async function mapMissingReferences<T>(
  work: Promise<T>,
  errors: Readonly<Record<string, () => ApiError>>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isMissing = error instanceof pg.DatabaseError && error.code === '23503';
    const make = isMissing ? errors[error.constraint ?? ''] : undefined;
    throw make === undefined ? error : make();
  }
}
