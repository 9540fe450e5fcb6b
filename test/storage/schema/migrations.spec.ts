import { Pool, type PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrating/migrate.js';
import { migrations } from '../../../src/storage/postgres/migrating/migrations.js';
import { emptyDatabase, type TestDatabase } from '../../support/databases.js';
import { describeSchema } from './catalogue.js';
import { spawnMigrator, type Migrator } from './migrator.js';

const STALE =
  'migrations/schema.sql is not what the migrations make. To write it anew: npx vitest run -u --project storage schema';

const HEADER =
  '-- What the migrations make, told by the catalogue of a migrated database. For reading in review; never edited by\n' +
  '-- hand and never run. Write it anew with: npx vitest run -u --project storage schema\n\n';

let database: TestDatabase;
let pool: Pool;

beforeEach(async () => {
  database = await emptyDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  // drop() may end a connection that the pool is only just closing
  pool.on('error', () => undefined);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

it('makes the schema that was committed, and has nothing to do the second time', async () => {
  expect(await migrateDatabase(database.url)).toEqual(migrations.map((migration) => migration.name));
  await expectCommittedSchema();
  expect(await migrateDatabase(database.url)).toEqual([]);
});

it('undoes everything, and makes the same schema again', async () => {
  await migrateDatabase(database.url);
  const before = await describeSchema(pool);

  await undo(migrations.length);
  expect(await whatIsLeft()).toEqual([]);

  await migrateDatabase(database.url);
  expect(await describeSchema(pool)).toBe(before);
});

it('lets one of two migrators do the work while the other waits', async () => {
  const ran = await Promise.all([migrateDatabase(database.url), migrateDatabase(database.url)]);
  expect(ran.map((names) => names.length).toSorted((a, b) => a - b)).toEqual([0, migrations.length]);
  await expectCommittedSchema();
});

/** Migrations that alter tables of a database that is at work, and one that reads them for hours, as a dump does. */
describe('while somebody uses a table', () => {
  const FIRST_UNDONE = 'AddTokenOfPostImports1796797000000';
  const UNDONE = migrations
    .map(({ name }) => name)
    .slice(migrations.findIndex(({ name }) => name === FIRST_UNDONE));
  let dump: PoolClient;

  beforeEach(async () => {
    await migrateDatabase(database.url);
    await undo(UNDONE.length);
    dump = await pool.connect();
    await dump.query(`SET application_name = 'nightly dump'; BEGIN; LOCK TABLE imports IN ACCESS SHARE MODE`);
  });
  afterEach(async () => {
    await dump.query('ROLLBACK; RESET application_name');
    dump.release();
  });

  it('S476: waits in short tries, between which others get through, and succeeds once it is free', async () => {
    const told: string[] = [];
    const waits = { tryMs: 500, pauseMs: 100, longestPauseMs: 400, giveUpMs: 60_000 };
    const migrating = migrateDatabase(database.url, (line) => told.push(line), waits);
    for (let round = 0; round < 3; round += 1) {
      await expect.poll(migratorsInLine, POLL).toBe(1);
      // stands behind the migrator, which stands behind the dump
      await count('imports');
    }
    expect(told.length).toBeGreaterThanOrEqual(2);
    // other sessions of the test may be named beside it
    expect(told[0]).toMatch(
      /^Tables are in use by (.*, )?nightly dump \(process \d+\).*: trying again in 0\.1 s\.$/,
    );
    await dump.query('COMMIT');
    expect(await migrating).toEqual(UNDONE);
    await expectCommittedSchema();
  });

  it('gives up in the end, says what to look for, and has changed nothing', async () => {
    const before = await describeSchema(pool);
    const waits = { tryMs: 50, pauseMs: 10, longestPauseMs: 20, giveUpMs: 200 };
    await expect(migrateDatabase(database.url, undefined, waits)).rejects.toThrow(
      /^tables are in use by nightly dump \(process \d+\); migrations that ran stay: end what uses them/,
    );
    expect(await describeSchema(pool)).toBe(before);
  });
});

/** Fault F39 of docs/security.md. */
describe('a migrator that dies half-way', () => {
  const halfWay: readonly {
    blockedAt: string;
    done: number;
    unfinished: string;
    die: keyof typeof deaths;
  }[] = [
    { blockedAt: 'memberships', done: 2, unfinished: 'users', die: 'is killed' },
    { blockedAt: 'revoked_tokens', done: 8, unfinished: 'authorizations', die: 'loses its connections' },
    { blockedAt: 'idempotency_keys', done: 10, unfinished: 'events', die: 'is killed' },
  ];

  it('leaves whole migrations only, and the next one completes', async () => {
    for (const { blockedAt, done, unfinished, die } of halfWay) {
      await whileTableIsTaken(blockedAt, async () => {
        const migrator = spawnMigrator(database.url);
        await expect.poll(migratorsWaiting, POLL).toBe(1);
        await deaths[die](migrator);
        expect(await migrator.exit, 'exit of a migrator that died').not.toBe(0);
      });
      await expect.poll(migratorsConnected, POLL).toBe(0);
      expect(await migrationsDone()).toBe(done);
      expect(await whatIsLeft()).not.toContain(unfinished);
    }
    expect(await migrateDatabase(database.url)).toHaveLength(migrations.length - (halfWay.at(-1)?.done ?? 0));
    await expectCommittedSchema();
  });

  it('may die at any moment', async () => {
    for (let round = 0; round < 3; round++) {
      const migrator = spawnMigrator(database.url);
      await expect.poll(migratorsConnected, POLL).toBeGreaterThan(0);
      // a moment that nobody chose is the point here; a whole run takes about 150 ms
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
      migrator.kill();
      await migrator.exit;
    }
    await migrateDatabase(database.url);
    await expectCommittedSchema();
  });

  const deaths = {
    'is killed': (migrator: Migrator) => {
      migrator.kill();
      return Promise.resolve();
    },
    'loses its connections': async () => {
      await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${MIGRATOR}`);
    },
  };
});

const POLL = { interval: 5 };
const MIGRATOR = `datname = current_database() AND application_name = 'identity-migrate'`;

async function count(sql: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`);
  return rows[0]?.count ?? 0;
}

const migratorsConnected = (): Promise<number> => count(`pg_stat_activity WHERE ${MIGRATOR}`);
const migrationsDone = (): Promise<number> => count('schema_migrations');
/** Migrators that wait for whoever has made a table and not committed: an insert into the catalogue waits for that transaction. */
const migratorsWaiting = (): Promise<number> =>
  count(`pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE ${MIGRATOR} AND NOT l.granted AND l.locktype = 'transactionid'`);

/** Migrators that wait for a table. */
const migratorsInLine = (): Promise<number> =>
  count(`pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE ${MIGRATOR} AND NOT l.granted AND l.locktype = 'relation'`);

async function expectCommittedSchema(): Promise<void> {
  const schema = HEADER + (await describeSchema(pool));
  await expect(schema).toMatchFileSnapshot('../../../migrations/schema.sql', STALE);
}

/** Creates a table without committing: a migration that wants to create it, too, has to wait at that point. */
async function whileTableIsTaken(name: string, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`CREATE TABLE ${name} ()`);
    await work();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

async function undo(howMany: number): Promise<void> {
  const dataSource = createDataSource({
    url: database.url,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    applicationName: 'undo',
  });
  await dataSource.initialize();
  for (let undone = 0; undone < howMany; undone += 1)
    await dataSource.undoLastMigration({ transaction: 'each' });
  await dataSource.destroy();
}

/** Names of all relations, functions and types in `public`, the migrator's own table aside. */
async function whatIsLeft(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typrelid = 0 AND typelem = 0
  `);
  return rows.map((row) => row.name).filter((name) => !/^(PK_|schema_migrations)/.test(name));
}
