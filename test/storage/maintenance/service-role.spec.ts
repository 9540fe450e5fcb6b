import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { letServiceUseTables } from '../../../src/storage/postgres/service-role.js';
import { cloneDatabase, runAsAdmin, selectAsAdmin, type TestDatabase } from '../../support/databases.js';

let database: TestDatabase;
const made: string[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => {
  await database.drop();
  for (const role of made) await runAsAdmin(inject('services').adminUrl, `DROP ROLE IF EXISTS ${role}`);
});

const newName = (): string => {
  const name = `role_${randomBytes(6).toString('hex')}`;
  made.push(name);
  return name;
};

describe('the role of the service (S420)', () => {
  it.each([
    ['SUPERUSER', 'may do what the owner of the tables may'],
    ['CREATEROLE', 'may do what the owner of the tables may'],
    ['CREATEDB', 'has CREATEDB'],
    ['BYPASSRLS', 'has BYPASSRLS'],
    ['REPLICATION', 'has REPLICATION'],
    ['IN ROLE pg_write_server_files', 'is a member of pg_write_server_files'],
    ['IN ROLE pg_read_server_files', 'is a member of pg_read_server_files'],
    ['IN ROLE pg_execute_server_program', 'is a member of pg_execute_server_program'],
    ['IN ROLE pg_read_all_data', 'is a member of pg_read_all_data'],
    ['IN ROLE pg_write_all_data', 'is a member of pg_write_all_data'],
  ])('is none that has %s', async (attribute, words) => {
    const name = newName();
    await runAsAdmin(database.url, `CREATE ROLE ${name} ${attribute}`);
    await expect(letServiceUseTables(database.url, { name, password: undefined })).rejects.toThrow(words);
  });

  it('is none that may create in the schema, and PUBLIC may not', async () => {
    const [name, group] = [newName(), newName()];
    await runAsAdmin(
      database.url,
      'GRANT CREATE ON SCHEMA public TO PUBLIC',
      `CREATE ROLE ${group}`,
      `CREATE ROLE ${name} IN ROLE ${group}`,
    );
    // what everybody had before PostgreSQL 15 is taken away
    await letServiceUseTables(database.url, { name, password: undefined });
    const [right] = await selectAsAdmin(
      database.url,
      `SELECT has_schema_privilege('${name}', 'public', 'CREATE') AS may`,
    );
    expect(right).toEqual({ may: false });
    await runAsAdmin(database.url, `GRANT CREATE ON SCHEMA public TO ${group}`);
    await expect(letServiceUseTables(database.url, { name, password: undefined })).rejects.toThrow(
      `the role ${name} may create in the schema public`,
    );
    await runAsAdmin(database.url, `REVOKE CREATE ON SCHEMA public FROM ${group}`);
    await letServiceUseTables(database.url, { name, password: undefined });
  });

  it('has nothing run as the owner by functions of its own making (S421)', async () => {
    // as if it might create: what would fit better than what PostgreSQL has
    const hostile = (signature: string, returns: string): string =>
      `CREATE FUNCTION public.${signature} RETURNS ${returns} LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'ran as %', current_user; END $$`;
    await runAsAdmin(
      database.url,
      hostile('pg_advisory_xact_lock(integer)', 'void'),
      hostile('substr(name, integer)', 'text'),
      hostile('format(text, text)', 'text'),
      hostile('format(text, text, timestamptz, timestamptz)', 'text'),
      hostile('matches(name, name)', 'boolean'),
      'CREATE OPERATOR public.~ (LEFTARG = name, RIGHTARG = name, FUNCTION = public.matches)',
      // a month that is over, and one that is missing
      `CREATE TABLE events_2020_01 PARTITION OF events FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')`,
      `DO $$ BEGIN EXECUTE format('DROP TABLE %I'::text,
         VARIADIC ARRAY[(SELECT max(relname::text) FROM pg_class WHERE relkind = 'r' AND relname::text ~ '^events_[0-9]{4}'::text)]); END $$`,
    );
    const service = database.serviceUrl;
    expect(await selectAsAdmin(service, 'SELECT ensure_event_partitions()')).toHaveLength(1);
    expect(
      await selectAsAdmin(service, `SELECT drop_event_partitions('30 days'::interval, 5) AS name`),
    ).toEqual([{ name: 'events_2020_01' }]);
    expect(
      await selectAsAdmin(service, `SELECT remove_stray_events('30 days'::interval, 5)::int AS n`),
    ).toEqual([{ n: 0 }]);
  });
});
