import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrate.js';
import { migrations } from '../../../src/storage/postgres/migrations.js';
import { emptyDatabase, type TestDatabase } from '../../support/databases.js';

const FIRST = 'GrantProjects1763703200000';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await emptyDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  // drop() may end a connection that the pool is only just closing
  pool.on('error', () => undefined);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** As a database was before role grants could rest on project grants. */
async function before(): Promise<void> {
  await migrateDatabase(database.url);
  const source = createDataSource({
    url: database.url,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    applicationName: 'undo-two',
  });
  await source.initialize();
  try {
    const later = migrations.length - migrations.findIndex(({ name }) => name === FIRST);
    for (let undone = 0; undone < later; undone += 1) await source.undoLastMigration({ transaction: 'each' });
  } finally {
    await source.destroy();
  }
}

it('S196: the migration keeps the role grants there are, and S197: finds who made which credential', async () => {
  await before();
  for (const statement of [
    `INSERT INTO organizations (id, name) VALUES ('o', 'O')`,
    `INSERT INTO users (id, org_id, kind, user_name) VALUES ('m', 'o', 'machine', 'm')`,
    `INSERT INTO user_machines (user_id, org_id, name, secret_hash) VALUES ('m', 'o', 'M', '\\x01')`,
    `INSERT INTO projects (id, org_id, name) VALUES ('p', 'o', 'P')`,
    `INSERT INTO project_roles (org_id, project_id, key, display_name) VALUES ('o', 'p', 'r', 'R')`,
    `INSERT INTO user_grants (id, org_id, user_id, project_id) VALUES ('g', 'o', 'm', 'p')`,
    `INSERT INTO user_grant_roles (grant_id, project_id, role_key) VALUES ('g', 'p', 'r')`,
    `INSERT INTO personal_access_tokens (id, org_id, user_id, token_hash)
     VALUES ('t1', 'o', 'm', '\\x01'), ('t2', 'o', 'm', '\\x02'), ('t3', 'o', 'm', '\\x03')`,
    `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id) VALUES
     ('o', 'personal_access_token', 't1', 1, 'user.personal_access_token.added', 'boss'),
     ('o', 'personal_access_token', 't2', 1, 'user.personal_access_token.added', NULL),
     ('o', 'user', 'm', 2, 'user.machine.secret.set', 'first'),
     ('o', 'user', 'm', 3, 'user.machine.secret.set', 'second')`,
  ]) {
    await pool.query(statement);
  }
  await migrateDatabase(database.url);
  const { rows } = await pool.query(
    `SELECT g.project_org_id, g.rests_on, r.role_key, m.secret_made_by,
            (SELECT json_object_agg(id, made_by) FROM personal_access_tokens) AS made_by
     FROM user_grants g JOIN user_grant_roles r ON r.grant_id = g.id JOIN user_machines m ON m.user_id = g.user_id`,
  );
  expect(rows).toEqual([
    {
      project_org_id: 'o',
      rests_on: '',
      role_key: 'r',
      secret_made_by: 'second',
      made_by: { t1: 'boss', t2: '', t3: null },
    },
  ]);
});
