// SQL by hand: a server that crashes, and what the tables are left with
import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type PrivatePostgres } from '../../../scripts/services.mjs';
import { makeTestFolder } from '../../../scripts/test-folder.mjs';
import type { ProofToUse } from '../../../src/domain/dpop/used-proofs.store.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { PgUsedProofsStore } from '../../../src/storage/postgres/dpop/used-proofs.store.js';
import { PgRestoreStore } from '../../../src/storage/postgres/maintenance/restore.store.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrating/migrate.js';
import { DatabaseAway, Sql } from '../../../src/storage/postgres/sql.js';
import { PgUnitOfWork } from '../../../src/storage/postgres/unit-of-work.js';
import { cloneDatabase, runAsAdmin, selectAsAdmin, type TestDatabase } from '../../support/databases.js';
import { PostgresPair } from '../../support/postgres-pair.js';
import { eventually } from '../../workers/support/eventually.js';

let database: TestDatabase;
let pool: pg.Pool;
let dataSource: DataSource;
let used: PgUsedProofsStore;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  dataSource = await connect(database.url);
  used = new PgUsedProofsStore(new Sql(dataSource));
});

afterAll(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});

async function connect(url: string): Promise<DataSource> {
  const settings = { url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'used-proofs' };
  return await createDataSource(settings).initialize();
}

async function count(): Promise<number> {
  return (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM used_proofs')).rows[0]?.n ?? 0;
}

function aProof(changes: Partial<ProofToUse> = {}): ProofToUse {
  return { hash: randomBytes(32), notUsedBefore: Date.now() / 1000 - 120, memory: undefined, ...changes };
}

it('is used once, and known from then on for as long as was said', async () => {
  const proof = aProof();
  expect(await used.find(proof)).toMatchObject({ isUsed: false, isCovered: true });
  expect(await used.use(proof, 60)).toBe(true);
  expect(await used.find(proof)).toMatchObject({ isUsed: true });
  expect(await used.use(proof, 60)).toBe(false);
  await pool.query(`UPDATE used_proofs SET expires_at = now() - interval '1 second'`);
  expect(await used.find(proof)).toMatchObject({ isUsed: false });
  expect(await used.use(proof, 60)).toBe(true);
});

it('makes no pile: one use in many removes those that have just expired', async () => {
  await pool.query(`DELETE FROM used_proofs`);
  await pool.query(
    `INSERT INTO used_proofs SELECT int8send(n), now() - interval '10 seconds' FROM generate_series(1, 100) AS n`,
  );
  for (let n = 0; n < 64; n += 1) await used.use(aProof(), 60);
  expect(await count()).toBe(64);
});

describe('proofs that were forgotten', () => {
  it('count for none that could be one of them, until two minutes are over', async () => {
    await pool.query(`TRUNCATE used_proofs, used_proofs_since`);
    expect(await used.use(aProof(), 60)).toBe(false);
    const { isCovered, memory } = await used.find(aProof());
    expect(isCovered).toBe(false);
    // all that ask find one memory
    const others = await Promise.all([used.find(aProof()), used.find(aProof())]);
    expect(others.map((other) => other.memory)).toEqual([memory, memory]);
    expect(await used.use(aProof({ memory: randomUUID() }), 60)).toBe(false);
    const proof = aProof({ memory });
    expect(await used.use(proof, 60)).toBe(true);
    expect(await used.use(proof, 60)).toBe(false);
    expect(await used.use(aProof({ notUsedBefore: Date.now() / 1000 + 1 }), 60)).toBe(true);
    await pool.query(`UPDATE used_proofs_since SET since = since - interval '121 seconds'`);
    expect(await used.use(aProof(), 60)).toBe(true);
  });

  it('by a database that is restored from a dump: they were used after it (S385)', async () => {
    await pool.query(`UPDATE used_proofs_since SET since = since - interval '1 hour'`);
    const [proof, { memory }] = [aProof(), await used.find(aProof())];
    expect(await used.use(proof, 60)).toBe(true);
    // what a dump has from before that: `pg_dump` reads unlogged tables as well
    await pool.query(`DELETE FROM used_proofs`);
    const sql = new Sql(dataSource);
    await new PgUnitOfWork(sql).run(async (tx) => await new PgRestoreStore(sql).endAll(tx));
    for (const again of [proof, { ...proof, memory }]) {
      expect(await used.find(again)).toMatchObject({ isUsed: false, isCovered: false });
      expect(await used.use(again, 60)).toBe(false);
    }
  });

  /** A proof is used, something happens to the server, and the same proof comes to whoever is there then. */
  async function expectForgottenAndRefused(
    urlBefore: string,
    happen: () => Promise<unknown>,
    urlAfter = urlBefore,
  ): Promise<void> {
    const proof = aProof();
    await atServer(urlBefore, async (store) => {
      expect(await store.use(proof, 60)).toBe(true);
    });
    await happen();
    await atServer(urlAfter, async (store) => {
      expect(await store.use(proof, 60)).toBe(false);
      // the row is gone, and the proof refused all the same
      const found = await store.find(proof);
      expect(found).toMatchObject({ isUsed: false, isCovered: false });
      expect(await store.use(proof, 60)).toBe(false);
      expect(await store.use(aProof({ memory: found.memory }), 60)).toBe(true);
    });
  }

  async function atServer(url: string, work: (store: PgUsedProofsStore) => Promise<void>): Promise<void> {
    const own = await connect(url);
    try {
      await work(new PgUsedProofsStore(new Sql(own)));
    } finally {
      await own.destroy();
    }
  }

  /** Not before it has noticed the crash and answers again. */
  async function hasForgotten(url: string): Promise<boolean> {
    return await selectAsAdmin(url, 'SELECT FROM used_proofs_since').then(
      (rows) => rows.length === 0,
      () => false,
    );
  }

  describe('by a server that crashes (S385)', () => {
    let folder: string;
    let server: PrivatePostgres;

    beforeAll(async () => {
      folder = makeTestFolder();
      server = await startPostgres({
        dir: path.join(folder, 'postgres'),
        durable: false,
        // the tables themselves are to outlive the process
        settings: { synchronous_commit: 'on' },
      });
      await migrateDatabase(server.url);
    });

    afterAll(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('as a whole', async () => {
      await expectForgottenAndRefused(server.url, async () => {
        await server.kill();
        await server.restart();
      });
    });

    async function beginLongAgo(): Promise<void> {
      await atServer(server.url, async (store) => {
        await store.find(aProof());
      });
      await runAsAdmin(server.url, `UPDATE used_proofs_since SET since = since - interval '1 hour'`);
    }

    // which the time of its start does not tell
    it('in one of its processes', async () => {
      await beginLongAgo();
      await expectForgottenAndRefused(server.url, async () => {
        const victim = new pg.Client({ connectionString: server.url });
        victim.on('error', () => undefined);
        await victim.connect();
        const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        process.kill(rows[0]?.pid ?? Number.NaN, 'SIGKILL');
        await eventually('a server that has recovered', 30_000, () => hasForgotten(server.url));
      });
    });

    it('unlike one that stops in good order', async () => {
      await beginLongAgo();
      const proof = aProof();
      await atServer(server.url, async (store) => {
        expect(await store.use(proof, 60)).toBe(true);
      });
      await server.stop();
      await server.restart();
      await atServer(server.url, async (store) => {
        expect(await store.find(proof)).toMatchObject({ isUsed: true, isCovered: true });
        expect(await store.use(aProof(), 60)).toBe(true);
      });
    });
  });

  /** A pooler may lead there a moment early: the tables have nothing on a server that is in recovery. */
  async function expectAwayBeforehand(url: string): Promise<void> {
    await eventually('the tables on the standby', 30_000, async () => {
      const [row] = await selectAsAdmin(url, `SELECT to_regclass('used_proofs_since') IS NOT NULL AS is`);
      return row?.['is'] === true;
    });
    // our own connections would not even begin at a standby
    const standby = new pg.Pool({ connectionString: url, max: 1 });
    standby.on('error', () => undefined);
    const store = new PgUsedProofsStore(new Sql(standby));
    await expect(store.use(aProof(), 60)).rejects.toBeInstanceOf(DatabaseAway);
    await expect(store.find(aProof())).rejects.toBeInstanceOf(DatabaseAway);
    await standby.end();
  }

  it('by a standby that takes over (S385)', async () => {
    const pair = await PostgresPair.start();
    try {
      await migrateDatabase(pair.primary.url);
      await expectAwayBeforehand(pair.standby.url);
      await expectForgottenAndRefused(
        pair.primary.url,
        async () => {
          await pair.primary.kill();
          await pair.promote();
        },
        pair.standby.url,
      );
    } finally {
      await pair.stop();
    }
  });
});
