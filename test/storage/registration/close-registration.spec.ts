import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CloseRegistration1763703300000 } from '../../../migrations/1763703300000-close-registration.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Goes back to what was before the migration, lets `meanwhile` happen, and migrates. */
async function migrateAfter(meanwhile: () => Promise<void>): Promise<void> {
  const source = await createDataSource({
    url: database.url,
    poolSize: 1,
    statementTimeoutMs: 30_000,
    applicationName: 'test',
  }).initialize();
  const runner = source.createQueryRunner();
  const migration = new CloseRegistration1763703300000();
  try {
    await migration.down(runner);
    await meanwhile();
    await migration.up(runner);
  } finally {
    await runner.release();
    await source.destroy();
  }
}

it('S203: registration that is used stays on, as what the organization set; else what said nothing is off', async () => {
  await migrateAfter(async () => {
    await pool.query(`
      INSERT INTO organizations (id, name)
      SELECT id, id FROM unnest(ARRAY['used', 'waiting', 'used-reset', 'over', 'quiet', 'reset', 'open', 'used-shut']) id`);
    await pool.query(`
      INSERT INTO login_policies (org_id, allow_register, is_set, sequence) VALUES
        ('used-reset', true, false, 4), ('reset', true, false, 2), ('open', true, true, 1), ('used-shut', false, true, 1)`);
    await pool.query(`
      INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type)
      SELECT org, 'user', 'u-' || org, 1, 'user.human.registered'
      FROM unnest(ARRAY['used', 'used', 'used-reset', 'used-shut', 'gone']) org`);
    await pool.query(`
      INSERT INTO registrations
        (id, org_id, first_name, last_name, email, email_canonical, login_name, user_name, locale, mailed, expires_at)
      SELECT 'r-' || org, org, 'A', 'B', 'a@mail.test', 'a@mail.test', 'a', 'a', 'en', true, app_now() + shift
      FROM (VALUES ('waiting', interval '5 minutes'), ('over', interval '-5 minutes')) r (org, shift)`);
  });
  const { rows } = await pool.query(
    `SELECT org_id, allow_register, is_set, sequence FROM login_policies ORDER BY org_id`,
  );
  expect(rows).toEqual([
    { org_id: 'open', allow_register: true, is_set: true, sequence: '1' },
    { org_id: 'reset', allow_register: false, is_set: false, sequence: '2' },
    { org_id: 'used', allow_register: true, is_set: true, sequence: '1' },
    { org_id: 'used-reset', allow_register: true, is_set: true, sequence: '5' },
    { org_id: 'used-shut', allow_register: false, is_set: true, sequence: '1' },
    { org_id: 'waiting', allow_register: true, is_set: true, sequence: '1' },
  ]);
  const { rows: told } = await pool.query(
    `SELECT org_id, sequence, fields, data FROM events WHERE type = 'organization.login_policy.changed' ORDER BY org_id`,
  );
  const change = { fields: ['allowRegister'], data: { allowRegister: true } };
  expect(told).toEqual([
    { org_id: 'used', sequence: '1', ...change },
    { org_id: 'used-reset', sequence: '5', ...change },
    { org_id: 'waiting', sequence: '1', ...change },
  ]);
});
