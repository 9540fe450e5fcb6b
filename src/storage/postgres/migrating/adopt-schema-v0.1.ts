// SQL by hand: renames tables, columns and functions of version 0.1, which have no entities
import type { QueryRunner } from 'typeorm';
import { EXCHANGE_HOLDS } from '../../../../migrations/exchange-holds.js';
import { migrations } from './migrations.js';
import { isOccupied, usersOfTables } from './occupied-tables.js';

// Version 0.2 restarted its history: 14 baselines create what 47 migrations had created, and some tables have another name. An
// older database is the same but for those names, so it is taken over by renames, its rows untouched.

/** The last version that can bring any older database to the point that is taken over here. */
const LAST_OF_V01 = 'commit 2492af7';
/** The time of the last migration whose tables version 0.1 has too; later ones run on them. */
export const LAST_BASELINE = 1764001300000;
const LOCK_WAIT_MS = 10_000;

/**
 * Takes over a database that version 0.1 has migrated to its end, in one transaction. Nothing to do on any other.
 *
 * @param runner of the connection that has the migrators' lock
 * @throws when some of its migrations are missing, or somebody uses its tables for 10 s; nothing has changed then
 */
export async function adoptSchemaOfV01(runner: QueryRunner): Promise<boolean> {
  const recorded = await recordedOfV01(runner);
  if (recorded === 0) return false;
  if (recorded < MIGRATIONS_OF_V01.length) {
    throw new Error(
      `this database has ${recorded} of the ${MIGRATIONS_OF_V01.length} migrations of version 0.1, and only one with ` +
        `all of them can be taken over: run \`npm run migrate\` of ${LAST_OF_V01} first, then this one again`,
    );
  }
  await runner.startTransaction();
  try {
    await lockTables(runner);
    await renameAll(runner);
    await beginHistoryAnew(runner);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw isOccupied(error) ? await occupied(runner) : error;
  }
  return true;
}

/**
 * All at once, before anything is renamed, and not for long: whoever waits for a lock makes everybody else wait who comes
 * after, and a dump may take hours.
 */
async function lockTables(runner: QueryRunner): Promise<void> {
  await runner.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  await runner.query(`LOCK TABLE ${touchedTables().join(', ')} IN ACCESS EXCLUSIVE MODE`);
}

function touchedTables(): readonly string[] {
  const formerNames = new Map(Object.entries(TABLES).map(([former, renamed]) => [renamed, former]));
  const columns = COLUMNS.map(([table]) => formerNames.get(table) ?? table);
  return [...new Set([...Object.keys(TABLES), ...columns])];
}

async function occupied(runner: QueryRunner): Promise<Error> {
  const users = await usersOfTables(runner, touchedTables());
  return new Error(
    `the tables of version 0.1 are in use by ${users || 'somebody who has gone since'}; nothing was changed: stop API, ` +
      'workers and backups, then migrate again',
  );
}

async function recordedOfV01(runner: QueryRunner): Promise<number> {
  const [table] = (await runner.query(`SELECT to_regclass('schema_migrations') IS NOT NULL AS there`)) as {
    there: boolean;
  }[];
  if (table?.there !== true) return 0;
  const [row] = (await runner.query(
    'SELECT count(DISTINCT name)::int AS count FROM schema_migrations WHERE name = ANY ($1)',
    [MIGRATIONS_OF_V01],
  )) as { count: number }[];
  return row?.count ?? 0;
}

const TABLES: Readonly<Record<string, string>> = {
  grants: 'authorizations',
  user_grants: 'role_assignments',
  user_grant_roles: 'role_assignment_roles',
  user_machines: 'service_users',
  machine_keys: 'service_user_keys',
  import_jobs: 'imports',
};

/** By the table's new name. */
const COLUMNS: readonly (readonly [table: string, column: string, renamed: string])[] = [
  ['authorizations', 'ties', 'lineage'],
  ['authorizations', 'tied_tokens', 'lineage_tokens'],
  ['codes', 'grant_id', 'authorization_id'],
  ['refresh_token_families', 'grant_id', 'authorization_id'],
  ['refresh_tokens', 'grant_id', 'authorization_id'],
  ['role_assignment_roles', 'grant_id', 'role_assignment_id'],
  ['applications', 'grant_epoch', 'authorization_epoch'],
  ['import_chunks', 'job_id', 'import_id'],
  ['import_names', 'job_id', 'import_id'],
];

/** Constraints and indexes that are named after more than their table. */
const NAMES: Readonly<Record<string, string>> = {
  user_grant_roles_grant: 'role_assignment_roles_assignment',
  codes_grant: 'codes_authorization',
  codes_by_grant: 'codes_by_authorization',
  refresh_token_families_grant: 'refresh_token_families_authorization',
  refresh_tokens_by_grant: 'refresh_tokens_by_authorization',
  grants_by_ties: 'authorizations_by_lineage',
  grants_by_tied_token: 'authorizations_by_lineage_token',
  import_chunks_job: 'import_chunks_import',
  import_names_job: 'import_names_import',
  import_jobs_aftercare: 'imports_post_import',
};

async function renameAll(runner: QueryRunner): Promise<void> {
  for (const [table, renamed] of Object.entries(TABLES)) {
    await runner.query(`ALTER TABLE ${table} RENAME TO ${renamed}`);
  }
  for (const [table, column, renamed] of COLUMNS) {
    await runner.query(`ALTER TABLE ${table} RENAME COLUMN ${column} TO ${renamed}`);
  }
  const named = (await runner.query(NAMED, [
    [...Object.values(TABLES), ...COLUMNS.map(([table]) => table)],
  ])) as { kind: keyof typeof RENAME; relation: string; name: string }[];
  for (const { kind, relation, name } of named) {
    const renamed = newName(name);
    if (renamed === name) continue;
    await runner.query(`${RENAME[kind](relation, name)} TO "${renamed}"`);
  }
  // its text names tables, and these are names that no rename changes
  await runner.query(EXCHANGE_HOLDS);
}

const RENAME = {
  constraint: (table: string, name: string) => `ALTER TABLE ${table} RENAME CONSTRAINT "${name}"`,
  index: (_: string, name: string) => `ALTER INDEX "${name}" RENAME`,
  trigger: (table: string, name: string) => `ALTER TRIGGER "${name}" ON ${table} RENAME`,
};

/** What bears a name on these tables; the index behind a constraint goes with it. */
const NAMED = `
  WITH tables AS (SELECT to_regclass(name)::oid AS oid FROM unnest($1::text[]) AS name)
  SELECT 'constraint' AS kind, conrelid::regclass::text AS relation, conname AS name
  FROM pg_constraint WHERE conrelid IN (SELECT oid FROM tables)
  UNION ALL
  SELECT 'index', indrelid::regclass::text, relname
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE indrelid IN (SELECT oid FROM tables) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
  UNION ALL
  SELECT 'trigger', tgrelid::regclass::text, tgname
  FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM tables) AND NOT tgisinternal`;

function newName(name: string): string {
  const known = NAMES[name];
  if (known !== undefined) return known;
  const table = Object.keys(TABLES)
    .filter((old) => name.startsWith(`${old}_`))
    .toSorted((a, b) => b.length - a.length)[0];
  const rest = table === undefined ? name : `${TABLES[table]}${name.slice(table.length)}`;
  // PostgreSQL 18 names what is NOT NULL after table and column
  const column = COLUMNS.find(([of, old]) => rest === `${of}_${old}_not_null`);
  return column === undefined ? rest : `${column[0]}_${column[2]}_not_null`;
}

async function beginHistoryAnew(runner: QueryRunner): Promise<void> {
  await runner.query('DELETE FROM schema_migrations WHERE name = ANY ($1)', [MIGRATIONS_OF_V01]);
  for (const { name } of migrations) {
    const timestamp = Number(name.slice(-13));
    if (timestamp > LAST_BASELINE) continue;
    await runner.query('INSERT INTO schema_migrations (timestamp, name) VALUES ($1, $2)', [timestamp, name]);
  }
}

const MIGRATIONS_OF_V01 = [
  'CreateFoundations1763700000000',
  'CreateOrganizationsAndUsers1763700100000',
  'CreateProjectsAndApplications1763700200000',
  'CreateSessionsAndGrants1763700300000',
  'CreateEventsAndOutbox1763700400000',
  'CreatePolicies1763700500000',
  'CreatePasswordAttempts1763700600000',
  'CreateRegistrations1763700700000',
  'CreateLogoutNotices1763700800000',
  'FindLiveCodesBySession1763700900000',
  'CreateApplicationKeys1763701000000',
  'CreateServiceUserCredentials1763701100000',
  'CreateRolesAndMembers1763701200000',
  'ManageUsers1763701300000',
  'CreateSecurityPolicies1763701300001',
  'CreateTokenExchanges1763701400000',
  'EndThingsForGood1763701500000',
  'SearchInsideNames1763701550000',
  'CreateImports1763701600000',
  'RotateKeys1763701700000',
  'LimitSms1763701800000',
  'CreateNotificationProviders1763701900000',
  'KeepDeliveryLedger1763702000000',
  'CreateMessageTemplates1763702100000',
  'TendRows1763702200000',
  'CarryWholeOrganizations1763702300000',
  'SlideSmsCaps1763702600000',
  'NameWhoUndoes1763702700000',
  'NameWhoNotifies1763702800000',
  'GiveManagementAccess1763703000000',
  'KnowWhoProvedAddresses1763703100000',
  'GrantProjects1763703200000',
  'RecordWhoMadeCredentials1763703200001',
  'CloseRegistration1763703300000',
  'BoundImports1763703400000',
  'EndAccessForGood1763703500000',
  'MarkEmergencyKeys1763703900000',
  'KeepAmbiguousHashes1763704000000',
  'GiveAnIdToOneThing1763704000001',
  'HandOutLinks1763705000000',
  'NarrowDatabaseRights1763706000000',
  'AddOidcSettings1763707000000',
  'RememberMissedSettings1763707000001',
  'WatchImports1763709000000',
  'SearchEvents1763710000000',
  'TellWhereDeliveriesFail1763710000001',
  'CountWhatImportsHold1763711000000',
] as const;
