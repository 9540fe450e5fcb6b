// SQL by hand: advisory lock, search path and the catalogue, before there are tables
import type { QueryRunner } from 'typeorm';
import { adoptSchemaOfV01 } from './adopt-schema-v0.1.js';
import { createDataSource } from './data-source.js';

/** Any number works as long as it never changes: every migrator of every version must queue behind the same lock. */
const MIGRATION_LOCK = 4_811_736_201;

/**
 * Brings the schema up to date. Safe to run twice at once: the second waits on an advisory lock and finds nothing
 * to do. Each migration is one transaction, so a killed run leaves either all of a migration or none of it.
 *
 * @param print takes what there is to say to whoever runs it, line by line
 * @returns names of the migrations that ran now, oldest first
 */
export async function migrateDatabase(
  databaseUrl: string,
  print: (line: string) => void = () => undefined,
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
      const ran = await dataSource.runMigrations({ transaction: 'each' });
      return ran.map((migration) => migration.name);
    } finally {
      // a lost connection has given the lock back already; its error must not hide the one that matters
      await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
      await lock.release();
    }
  } finally {
    await dataSource.destroy();
  }
}

async function takeTurn(lock: QueryRunner, print: (line: string) => void): Promise<void> {
  const [free] = (await lock.query('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK])) as {
    taken: boolean;
  }[];
  if (free?.taken === true) return;
  print('Another migration is under way: waiting for its end.');
  await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
}
