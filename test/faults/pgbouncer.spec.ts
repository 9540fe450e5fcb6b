import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrivatePostgres } from '../../scripts/services.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { readConfig } from '../../src/config/config.js';
import { migrateDatabase } from '../../src/storage/postgres/migrating/migrate.js';
import { requireUsableDatabase } from '../../src/storage/postgres/require-usable-database.js';
import { isAway } from '../../src/storage/postgres/sql.js';
import { runAsAdmin } from '../support/databases.js';
import { eventually } from '../workers/support/eventually.js';
import { expectInvariants } from './support/invariants.js';
import { people } from './support/people.js';
import {
  findPgBouncer,
  PgBouncer,
  type PgBouncerProgram,
  type PgBouncerSettings,
} from './support/pgbouncer.js';
import { onSite, startOwnPostgres } from './support/site.js';

/** As docs/database.md has it. */
const GOOD: PgBouncerSettings = {
  pool_mode: 'transaction',
  max_prepared_statements: '200',
  ignore_startup_parameters: 'options,statement_timeout,idle_in_transaction_session_timeout',
  connectQuery:
    'SET statement_timeout = 30000; SET idle_in_transaction_session_timeout = 60000; ' +
    'SET plan_cache_mode = force_generic_plan; SET jit = off',
};
const { connectQuery: _query, ...WITHOUT_QUERY } = GOOD;
const { ignore_startup_parameters: _ignored, ...STRICT } = GOOD;
const SESSION: PgBouncerSettings = { ...GOOD, pool_mode: 'session', max_prepared_statements: '0' };

let folder: string;
let program: PgBouncerProgram;
let postgres: PrivatePostgres;
beforeAll(async () => {
  folder = makeTestFolder();
  program = await findPgBouncer(folder);
  postgres = await startOwnPostgres();
  await migrateDatabase(postgres.url);
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function behind<T>(settings: PgBouncerSettings, work: (url: string) => Promise<T>): Promise<T> {
  const bouncer = await PgBouncer.start(program, postgres.url, settings);
  try {
    return await work(bouncer.url);
  } finally {
    await bouncer.stop();
  }
}

async function refusal(
  settings: PgBouncerSettings,
  direct?: 'direct' | 'pooled',
): Promise<string | undefined> {
  return await behind(settings, async (url) => {
    const { href } = new URL(direct === 'pooled' ? url : postgres.url);
    const given = { DATABASE_URL: url, ...(direct !== undefined && { DATABASE_DIRECT_URL: href }) };
    return await requireUsableDatabase(readConfig(given)).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  });
}

describe('by way of PgBouncer', () => {
  it.each([
    ['in transaction mode, as documented', GOOD, 'direct', undefined],
    ['in session mode, which resets our settings', SESSION, undefined, 'ALTER ROLE … IN DATABASE … SET jit'],
    [
      'without prepared statements, as before 1.21',
      { ...GOOD, max_prepared_statements: '0' },
      'direct',
      '1.21',
    ],
    ['in statement mode', { ...GOOD, pool_mode: 'statement' }, 'direct', 'no transactions'],
    ['that refuses our settings', STRICT, 'direct', 'ignore_startup_parameters = options'],
    ['that drops our settings', WITHOUT_QUERY, 'direct', `connect_query='SET statement_timeout = ''30000''`],
    ['with nothing that holds a session', GOOD, undefined, 'set DATABASE_DIRECT_URL'],
    ['with the pooler for PostgreSQL itself', GOOD, 'pooled', 'set DATABASE_DIRECT_URL'],
  ] as const)('%s: starts, or says why not', async (_, settings, direct, reason) => {
    const said = await refusal(settings, direct);
    if (reason === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(reason);
  });

  it('with a wrong password: says so, and is no database that is away', async () => {
    const said = await behind(GOOD, async (url) => {
      const wrong = new URL(url);
      wrong.password = 'wrong';
      return await requireUsableDatabase(readConfig({ DATABASE_URL: wrong.href })).then(
        () => undefined,
        (error: unknown) => error,
      );
    });
    expect(said).toMatchObject({ message: expect.stringContaining('does not let us in') });
    expect(isAway(said)).toBe(false);
  });

  it('in transaction mode: an import, sign-ins, refreshes and mails, and every invariant', async () => {
    await behind(GOOD, async (url) => {
      const by = { DATABASE_URL: url, DATABASE_DIRECT_URL: postgres.url };
      await onSite(
        async (site) => {
          await site.startWorkers(2, by);
          const job = await site.upload(people(1_000));
          expect(await site.untilEnded(job.id)).toBe('done');
          await eventually('sign-ins', 60_000, () => site.load.signedIn.length > 10);
          expect(await site.people()).toBe(1_000);
          // the API for keys; each worker for keys, the outbox, and how long requests wait
          expect(await site.count('pg_stat_activity', `application_name = 'identity-listen'`)).toBe(7);
          await expectInvariants(site);
        },
        { postgres, api: by },
      );
    });
  });

  it('in session mode: starts where the role has the settings', async () => {
    for (const setting of (GOOD.connectQuery ?? '').split('; ')) {
      await runAsAdmin(postgres.url, `ALTER ROLE CURRENT_USER IN DATABASE identity ${setting}`);
    }
    expect(await refusal(SESSION)).toBeUndefined();
  });
});
