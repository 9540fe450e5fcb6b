import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAST_BASELINE } from '../../../src/storage/postgres/migrating/adopt-schema-v0.1.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrating/migrate.js';
import { migrations } from '../../../src/storage/postgres/migrating/migrations.js';
import { emptyDatabase, type TestDatabase } from '../../support/databases.js';
import { describeSchema } from './catalogue.js';
import { spawnMigrator } from './migrator.js';

const SCHEMA_OF_V01 = readFileSync(new URL('../../fixtures/schema-v0.1.sql', import.meta.url), 'utf8');

/** What came after the baselines, which are not run on tables that are there. */
const LATER = migrations.map(({ name }) => name).filter((name) => Number(name.slice(-13)) > LAST_BASELINE);

let database: TestDatabase;
let pool: Pool;

beforeEach(async () => {
  ({ database, pool } = await makeDatabase());
  await pool.query(SCHEMA_OF_V01);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

async function makeDatabase(): Promise<{ database: TestDatabase; pool: Pool }> {
  const made = await emptyDatabase();
  const connections = new Pool({ connectionString: made.url, max: 2 });
  // drop() may end a connection that the pool is only just closing
  connections.on('error', () => undefined);
  return { database: made, pool: connections };
}

interface Schema {
  readonly tables: string;
  /** What a description for people leaves out: rights, storage, every name of a constraint. */
  readonly rest: readonly unknown[];
  readonly migrations: readonly string[];
}

async function schemaOf(connections: Pool): Promise<Schema> {
  const rest = await connections.query(`
    SELECT 'table' AS kind, relname AS of, coalesce(reloptions::text, '') || coalesce(relacl::text, '') AS is FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE '%schema_migrations%'
    UNION ALL SELECT 'storage', attrelid::regclass || '.' || attname, attstorage::text || attcompression::text
    FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0
      AND relname <> 'schema_migrations'
    UNION ALL SELECT 'function', oid::regprocedure::text, coalesce(proacl::text, '') || coalesce(proargnames::text, '')
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT 'constraint', conrelid::regclass::text, conname FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conrelid <> 'schema_migrations'::regclass
    UNION ALL SELECT 'type', typname, typtype::text FROM pg_type
    WHERE typnamespace = 'public'::regnamespace AND typname !~ 'schema_migrations'
    UNION ALL SELECT 'extension', extname, extnamespace::regnamespace::text FROM pg_extension
    UNION ALL SELECT 'row', 'key_schedule', count(*)::text FROM key_schedule
    ORDER BY 1, 2, 3`);
  const { rows } = await connections.query<{ name: string }>(
    'SELECT name FROM schema_migrations ORDER BY id',
  );
  return {
    tables: await describeSchema(connections),
    rest: rest.rows,
    migrations: rows.map(({ name }) => name),
  };
}

async function schemaOfNewDatabase(): Promise<Schema> {
  const fresh = await makeDatabase();
  try {
    await migrateDatabase(fresh.database.url);
    return await schemaOf(fresh.pool);
  } finally {
    await fresh.pool.end();
    await fresh.database.drop();
  }
}

/** One of each thing whose table or column has another name since, an import in the middle of its work among them. */
const ROWS = `
  INSERT INTO organizations (id, name) VALUES ('o', 'O');
  INSERT INTO data_keys (id, wrapped, master_key_id) VALUES (1, '\\x00', 'm');
  INSERT INTO users (id, org_id, kind, user_name) VALUES ('ann', 'o', 'human', 'ann'), ('bot', 'o', 'machine', 'bot');
  INSERT INTO user_machines (user_id, org_id, name, secret_hash) VALUES ('bot', 'o', 'Bot', '\\x01');
  INSERT INTO machine_keys (id, org_id, user_id, public_jwk, expires_at) VALUES ('key', 'o', 'bot', '{}', now());
  INSERT INTO projects (id, org_id, name) VALUES ('p', 'o', 'P');
  INSERT INTO project_roles (org_id, project_id, key, display_name) VALUES ('o', 'p', 'r', 'R');
  INSERT INTO user_grants (id, org_id, user_id, project_id, project_org_id) VALUES ('assigned', 'o', 'ann', 'p', 'o');
  INSERT INTO user_grant_roles (grant_id, project_id, role_key) VALUES ('assigned', 'p', 'r');
  INSERT INTO applications (id, org_id, project_id, client_id, name, kind, auth_method, grant_epoch)
    VALUES ('app', 'o', 'p', 'client', 'App', 'oidc', 'none', 3);
  INSERT INTO grants (id, org_id, user_id, application_id, scopes, audience, auth_time, amr, subject_epoch, client_epoch)
    VALUES ('g', 'o', 'ann', 'app', '{openid}', '{p}', now(), '{pwd}', 0, 3);
  INSERT INTO grants (id, org_id, user_id, application_id, scopes, audience, auth_time, amr, subject_epoch, ties, tied_tokens)
    VALUES ('exchanged', 'o', 'ann', 'app', '{openid}', '{p}', now(), '{pwd}', 0, '{"users": [{"userId": "ann", "epoch": 0}],
      "grants": ["g"], "sessions": [], "personalAccessTokens": [], "tokens": ["t"], "roles": [], "subjects": []}', '{t}');
  INSERT INTO codes (hash, grant_id, redirect_uri, expires_at) VALUES ('\\x02', 'g', 'https://rp.test/cb', now());
  INSERT INTO refresh_token_families (grant_id, absolute_expires_at) VALUES ('g', now());
  INSERT INTO refresh_tokens (hash, grant_id, idle_expires_at) VALUES ('\\x03', 'g', now());
  INSERT INTO import_jobs (id, org_id, created_by, state, expires_at, format, mode, notify)
    VALUES ('i', 'o', 'ann', 'running', now(), 'csv', 'insert', 'none');
  INSERT INTO import_chunks (job_id, org_id, number, first_line, records, state, created)
    VALUES ('i', 'o', 1, 1, 1, 'done', 1);
  INSERT INTO import_chunks (job_id, org_id, number, first_line, records, state, payload, data_key_id)
    VALUES ('i', 'o', 2, 2, 1, 'pending', '\\x04', 1);
  INSERT INTO import_names (job_id, hash) VALUES ('i', 42);
  INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type) VALUES ('o', 'grant', 'g', 1, 'grant.opened');
`;

describe('a database that the last migration of version 0.1 has been through', () => {
  it('gets the schema of a new one, and keeps its rows', async () => {
    await pool.query(ROWS);
    const told: string[] = [];
    expect(await migrateDatabase(database.url, (line) => told.push(line))).toEqual(LATER);
    expect(told).toEqual([expect.stringContaining('version 0.1')]);

    const fresh = await schemaOfNewDatabase();
    const adopted = await schemaOf(pool);
    expect(adopted.tables).toBe(fresh.tables);
    expect(adopted.rest).toEqual(fresh.rest);
    expect(adopted.migrations).toEqual(fresh.migrations);

    const { rows } = await pool.query(`
      SELECT
        (SELECT role_key FROM role_assignments a JOIN role_assignment_roles r ON r.role_assignment_id = a.id
         WHERE a.user_id = 'ann') AS role,
        (SELECT name FROM service_users WHERE user_id = 'bot') AS bot,
        (SELECT id FROM service_user_keys WHERE user_id = 'bot') AS key,
        (SELECT count(*)::int FROM authorizations a JOIN codes c ON c.authorization_id = a.id
           JOIN refresh_token_families f ON f.authorization_id = a.id
           JOIN refresh_tokens t ON t.authorization_id = a.id) AS chains,
        (SELECT exchange_holds(lineage) FROM authorizations WHERE lineage_tokens = '{t}') AS holds,
        (SELECT authorization_epoch FROM applications) AS epoch,
        (SELECT state FROM imports) AS import,
        (SELECT array_agg(state ORDER BY number) FROM import_chunks WHERE import_id = 'i') AS chunks,
        (SELECT hash::int FROM import_names WHERE import_id = 'i') AS name,
        (SELECT type FROM events) AS event`);
    expect(rows).toEqual([
      {
        role: 'r',
        bot: 'Bot',
        key: 'key',
        chains: 1,
        holds: true,
        epoch: 3,
        import: 'running',
        chunks: ['done', 'pending'],
        name: 42,
        event: 'grant.opened',
      },
    ]);
    // what hangs from an authorization still ends with it
    await pool.query(`UPDATE authorizations SET revoked_at = now(), revoke_reason = 'r' WHERE id = 'g'`);
    const after = await pool.query(
      'SELECT exchange_holds(lineage) AS holds FROM authorizations WHERE lineage IS NOT NULL',
    );
    expect(after.rows).toEqual([{ holds: false }]);
    // an id still stands for one thing
    await expect(
      pool.query(`INSERT INTO service_user_keys (id, org_id, user_id, public_jwk, expires_at)
                  VALUES ('app', 'o', 'bot', '{}', now())`),
    ).rejects.toMatchObject({ constraint: 'service_user_keys_pkey' });

    expect(await migrateDatabase(database.url)).toEqual([]);
  });

  it('is taken over by one of two migrators while the other waits', async () => {
    const told: string[] = [];
    const print = (line: string) => told.push(line);
    await Promise.all([migrateDatabase(database.url, print), migrateDatabase(database.url, print)]);
    const takenOver = told.filter((line) => line.includes('version 0.1'));
    expect(takenOver).toHaveLength(1);
    expect((await schemaOf(pool)).migrations).toEqual(migrations.map(({ name }) => name));
  });

  it('F39: stays as it was when the migration is killed half-way, and the next run completes it', async () => {
    const before = await schemaOf(pool);
    const reader = await pool.connect();
    try {
      await reader.query('BEGIN');
      await reader.query('LOCK TABLE import_jobs IN ACCESS SHARE MODE');
      const migrator = spawnMigrator(database.url);
      await expect.poll(migratorsWaiting, POLL).toBe(1);
      migrator.kill();
      expect(await migrator.exit).not.toBe(0);
      // while the reader still reads: a dead migrator leaves the queue for its tables
      await expect.poll(migratorsConnected, POLL).toBe(0);
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
    }
    expect(await schemaOf(pool)).toEqual(before);

    await migrateDatabase(database.url);
    expect((await schemaOf(pool)).tables).toBe((await schemaOfNewDatabase()).tables);
  });

  it('stays as it was while somebody uses its tables, who is named within seconds', async () => {
    const before = await schemaOf(pool);
    const reader = await pool.connect();
    try {
      await reader.query(`SET application_name = 'nightly dump'`);
      await reader.query('BEGIN; LOCK TABLE refresh_tokens IN ACCESS SHARE MODE');
      await expect(migrateDatabase(database.url)).rejects.toThrow(
        /in use by nightly dump \(process \d+\); nothing was changed: stop API, workers and backups/,
      );
    } finally {
      await reader.query('ROLLBACK; RESET application_name');
      reader.release();
    }
    expect(await schemaOf(pool)).toEqual(before);
    expect(await migrateDatabase(database.url)).toEqual(LATER);
  });

  it('is taken over by a role that owns it and may do nothing else, with the rights of others as they were', async () => {
    const suffix = randomBytes(8).toString('hex');
    const [owner, service] = [`owner_${suffix}`, `service_${suffix}`];
    await pool.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public`);
    await pool.query(
      `CREATE ROLE ${owner} LOGIN PASSWORD 'lowly'; CREATE ROLE ${service} LOGIN PASSWORD 'lowly'`,
    );
    await pool.query(
      `GRANT USAGE, CREATE ON SCHEMA public TO ${owner}; GRANT USAGE ON SCHEMA trigrams TO ${owner}; GRANT USAGE ON SCHEMA public TO ${service}`,
    );
    try {
      await pool.query(
        `SET ROLE ${owner}; ${SCHEMA_OF_V01};
         REVOKE ALL ON FUNCTION exchange_holds(jsonb) FROM PUBLIC;
         GRANT EXECUTE ON FUNCTION exchange_holds(jsonb) TO ${service};
         CREATE INDEX "grants_Audit" ON grants (revoked_at);
         GRANT SELECT ON grants TO ${service}; RESET ROLE`,
      );
      const url = new URL(database.url);
      [url.username, url.password] = [owner, 'lowly'];
      expect(await migrateDatabase(url.href)).toEqual(LATER);
      const { rows } = await pool.query(
        `SELECT has_function_privilege($1, 'exchange_holds(jsonb)', 'EXECUTE') AS function,
                has_table_privilege($1, 'authorizations', 'SELECT') AS table,
                (SELECT bool_and(tableowner = $2) FROM pg_tables WHERE schemaname = 'public') AS owned`,
        [service, owner],
      );
      expect(rows).toEqual([{ function: true, table: true, owned: true }]);
    } finally {
      await pool.query(`DROP OWNED BY ${owner}, ${service} CASCADE; DROP ROLE ${owner}, ${service}`);
    }
  });

  const POLL = { interval: 5 };
  const MIGRATOR = `datname = current_database() AND application_name = 'identity-migrate'`;
  const count = async (condition: string): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE ${condition}`,
    );
    return rows[0]?.count ?? 0;
  };
  const migratorsConnected = (): Promise<number> => count(MIGRATOR);
  const migratorsWaiting = (): Promise<number> => count(`${MIGRATOR} AND wait_event_type = 'Lock'`);
});

it.each([
  [
    'lacks the last of them',
    `DELETE FROM schema_migrations WHERE id = (SELECT max(id) FROM schema_migrations)`,
    46,
  ],
  ['has the first alone', `DELETE FROM schema_migrations WHERE id > 1`, 1],
])('a database that %s is refused with the way out, and left alone', async (_, less, left) => {
  await pool.query(less);
  const before = await schemaOf(pool);
  await expect(migrateDatabase(database.url)).rejects.toThrow(
    new RegExp(
      `has ${left} of the 47 migrations of version 0\\.1.*\`npm run migrate\` of commit [0-9a-f]{7} first`,
    ),
  );
  expect(await schemaOf(pool)).toEqual(before);
});
