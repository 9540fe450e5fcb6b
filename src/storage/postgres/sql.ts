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
 * A deadlock or a serialization failure, for which PostgreSQL rolled this transaction back: imports and API calls may lock ids and rows of
 * users in different orders. Nothing has changed, and a retry succeeds.
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
// errors of pg and its pool that have no code
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Client was closed and is not queryable)/;

/** read_only_sql_transaction: a write on a standby. */
const READ_ONLY = '25006';

/**
 * On a standby, an unlogged table cannot even be read: the planner throws 0A000 "feature not supported". The message is translated, the
 * name of the function is not.
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
 * Throws the error of a failed statement as it leaves storage: `DatabaseAway`, `TransactionConflict`, or the error itself. `detail` and
 * `where` are removed, since they quote whole rows and errors are logged; the names of table, column and constraint stay.
 */
function rethrow(thrown: unknown): never {
  // a repository wraps the driver's error, with the values of the statement
  const error: unknown = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  if (isAway(error)) throw new DatabaseAway(error);
  if (error instanceof pg.DatabaseError) {
    error.detail = undefined;
    error.where = undefined;
    // the error was created where the answer was read: its stack would not show the caller
    Error.captureStackTrace(error, rethrow);
    // 40P01 deadlock_detected, 40001 serialization_failure
    if (error.code === '40P01' || error.code === '40001') throw new TransactionConflict(error);
  }
  throw error;
}

// 55P03 lock_not_available; 26000 if preparing the statement waited for the lock, so that it does not exist
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
 * A connection taken from the pool. TypeORM's query runner for it is created only when a repository is used: most leases only send
 * prepared statements.
 */
class Lease {
  /** Called after the commit. */
  readonly afterCommit: (() => void)[] = [];
  #manager: EntityManager | undefined;
  #broken: Error | undefined;

  private constructor(
    readonly client: pg.PoolClient,
    private readonly source: DataSource | pg.Pool,
  ) {
    // a connection that breaks between two statements emits an event, which the pool does not handle while it is leased
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

  /** @throws Error if the connections come from a pool without TypeORM */
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

/** A read-only connection is closed: after a fail-over, the address may lead to another server. */
function brokenBy(error: unknown): Error | undefined {
  const cause = error instanceof DatabaseAway ? error.cause : error;
  return cause instanceof Error && isReadOnly(cause) ? cause : undefined;
}

/**
 * Sends all statements: prepared ones, and those of repositories (`Table`), which get their entity manager here. Both use TypeORM's pool.
 * Without `tx`, a statement is a transaction of its own.
 */
export class Sql {
  constructor(
    private readonly source: DataSource | pg.Pool,
    private readonly connections?: PipelinedConnections,
  ) {}

  /** To build queries, not to send them. */
  get builder(): EntityManager {
    if (!(this.source instanceof DataSource)) throw new Error('these connections know no entities');
    return this.source.manager;
  }

  /** Runs repository calls, in a transaction or without one. */
  async entities<T>(work: (manager: EntityManager) => Promise<T>, tx?: Tx): Promise<T> {
    return await tracedStatement('entities', () => this.on(tx, async (held) => await work(held.manager)));
  }

  /**
   * One row, on a pipelined connection. For SELECTs that never wait for a lock, and for changes of one row that may be repeated: if the
   * connection is lost, it is unknown whether the statement ran, and it is sent again.
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

  /** Runs a change and returns the number of rows, which tells whether a conditional statement matched. */
  async change(statement: Statement, values: readonly unknown[], tx?: Tx): Promise<number> {
    return (await this.send(statement, values, tx)).rowCount ?? 0;
  }

  /** Copies rows into tables, in their order, in one round trip. */
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
