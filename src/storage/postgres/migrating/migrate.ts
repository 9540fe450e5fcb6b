// SQL by hand: the advisory lock and the session settings of the migration
import { setTimeout as sleep } from 'node:timers/promises';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { createDataSource } from '../data-source.js';
import { adoptSchemaOfV01 } from './adopt-schema-v0.1.js';
import { isOccupied, usersOfTables } from './occupied-tables.js';

/** Any number works as long as it never changes: every migrator of every version must queue behind the same lock. */
const MIGRATION_LOCK = 4_811_736_201;

interface LockWaits {
  /** Of one lock. Whoever waits for a table makes everybody wait who comes after, so it is less than what their statements may take. */
  readonly tryMs: number;
  /** After the first try; each is twice as long as the one before, up to `longestPauseMs`. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Of all tries together. */
  readonly giveUpMs: number;
}

const LOCK_WAITS: LockWaits = {
  tryMs: 3_000,
  pauseMs: 1_000,
  longestPauseMs: 30_000,
  giveUpMs: 10 * 60_000,
};

/**
 * Brings the schema up to date. Safe to run twice at once: the second waits on an advisory lock and finds nothing
 * to do. Each migration is one transaction, so a killed run leaves either all of a migration or none of it. One that meets
 * somebody who uses its tables lets others through and tries again.
 *
 * @param print takes what there is to say to whoever runs it, line by line
 * @throws when they are used all the time; what ran before that stays
 * @returns names of the migrations that ran now, oldest first
 */
export async function migrateDatabase(
  databaseUrl: string,
  print: (line: string) => void = () => undefined,
  waits: LockWaits = LOCK_WAITS,
): Promise<string[]> {
  const dataSource = createDataSource({
    url: databaseUrl,
    poolSize: 2,
    statementTimeoutMs: 0,
    applicationName: 'identity-migrate',
  });
  await dataSource.initialize();
  try {
    const lock = dataSource.createQueryRunner();
    await lock.connect();
    await lock.query('SET idle_in_transaction_session_timeout = 0');
    // whoever waits for a lock does not notice by itself that its client has died
    await lock.query(`SET client_connection_check_interval = '2s'`);
    await takeTurn(lock, print);
    try {
      if (await adoptSchemaOfV01(lock)) print('Took over the tables of version 0.1 under their new names.');
      return await runMigrations(dataSource, print, waits);
    } finally {
      // a lost connection has given the lock back already; its error must not hide the one that matters
      await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
      await lock.release();
    }
  } finally {
    await dataSource.destroy();
  }
}

async function runMigrations(
  dataSource: DataSource,
  print: (line: string) => void,
  waits: LockWaits,
): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query(`SET lock_timeout = ${waits.tryMs}`);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const pending = (await executor.getPendingMigrations()).map(({ name }) => name);
    const since = performance.now();
    for (let pauseMs = waits.pauseMs; ; pauseMs = Math.min(2 * pauseMs, waits.longestPauseMs)) {
      try {
        await executor.executePendingMigrations();
        return pending;
      } catch (error) {
        if (!isOccupied(error)) throw error;
        const users = (await usersOfTables(runner)) || 'somebody who has gone since';
        if (performance.now() - since + pauseMs > waits.giveUpMs) throw occupied(users);
        print(`Tables are in use by ${users}: trying again in ${pauseMs / 1_000} s.`);
        await sleep(pauseMs);
      }
    }
  } finally {
    await runner.release();
  }
}

function occupied(users: string): Error {
  return new Error(
    `tables are in use by ${users}; migrations that ran stay: end what uses them, such as a backup or a transaction that ` +
      'was left open, or wait for its end, then migrate again',
  );
}

async function takeTurn(lock: QueryRunner, print: (line: string) => void): Promise<void> {
  const [free] = (await lock.query('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK])) as {
    taken: boolean;
  }[];
  if (free?.taken === true) return;
  print('Another migration is under way: waiting for its end.');
  await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
}
