// SQL by hand: creates a role and grants privileges, which TypeORM cannot do
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { Primary } from './connections/primary.js';

/** The role that API and workers sign in as where they are not to own what they use. */
interface ServiceRole {
  readonly name: string;
  /** Undefined leaves the making of the role, and how it signs in, to somebody else. */
  readonly password: string | undefined;
}

/** Any number that no other lock has. */
const ROLES_LOCK = 4_811_736_202;
/** `events` is append-only: its partitions are dropped by SECURITY DEFINER functions. */
const RIGHTS: Readonly<Record<string, string>> = {
  schema_migrations: 'SELECT',
  events: 'SELECT, INSERT',
};
const RIGHTS_ELSEWHERE = 'SELECT, INSERT, UPDATE, DELETE';
/** Whoever is a member of one of these reads or writes past all grants, or does so as the server itself. */
const PRIVILEGED_ROLES = [
  'pg_execute_server_program',
  'pg_read_all_data',
  'pg_read_server_files',
  'pg_write_all_data',
  'pg_write_server_files',
];
const FUNCTIONS = [
  'ensure_event_partitions()',
  'drop_event_partitions(interval, integer)',
  'remove_stray_events(interval, integer)',
];

/**
 * Makes the role where it is missing, sets its password, and lets it use every table there is: rows, no more. Run after
 * each migration, by the owner of the tables; may be repeated.
 *
 * @param queueSchema of BullMQ's own tables, where the queues are in PostgreSQL
 * @throws when the role could do more than that, by what it is, by roles that it is a member of, or by making things in the
 * schema, where they would stand in the way of what the owner's functions call
 */
export async function letServiceUseTables(
  databaseUrl: string,
  role: ServiceRole,
  queueSchema?: string,
): Promise<void> {
  const client = Primary.of(databaseUrl).client({ application_name: 'identity-migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [ROLES_LOCK]);
    await ensureRole(client, role);
    await grantTables(client, role.name);
    await requireNoMaking(client, role.name);
    for (const signature of FUNCTIONS) {
      await client.query(`GRANT EXECUTE ON FUNCTION ${signature} TO ${quoted(role.name)}`);
    }
    if (queueSchema !== undefined) await grantQueues(client, role.name, queueSchema);
    await client.query('COMMIT');
  } finally {
    // ends a transaction that failed
    await client.end();
  }
}

async function ensureRole(client: pg.Client, { name, password }: ServiceRole): Promise<void> {
  const { rows } = await client.query<{ mighty: boolean; attributes: string[]; groups: string[] }>(
    `SELECT r.rolsuper OR r.rolcreaterole
         OR pg_has_role(r.oid, (SELECT oid FROM pg_roles WHERE rolname = current_user), 'MEMBER') AS mighty,
       array_remove(ARRAY[CASE WHEN r.rolcreatedb THEN 'CREATEDB' END, CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END,
                          CASE WHEN r.rolreplication THEN 'REPLICATION' END], NULL) AS attributes,
       ARRAY(SELECT g.rolname::text FROM pg_roles g WHERE g.rolname = ANY ($2) AND pg_has_role(r.oid, g.oid, 'MEMBER')
             ORDER BY 1) AS groups
     FROM pg_roles r WHERE r.rolname = $1`,
    [name, PRIVILEGED_ROLES],
  );
  const [known] = rows;
  if (known?.mighty === true) {
    throw new Error(`the role ${name} may do what the owner of the tables may: it must be an ordinary role`);
  }
  if (known !== undefined && known.attributes.length > 0) {
    throw new Error(`the role ${name} has ${known.attributes.join(', ')}: it must be an ordinary role`);
  }
  if (known !== undefined && known.groups.length > 0) {
    throw new Error(
      `the role ${name} is a member of ${known.groups.join(', ')}: it must be an ordinary role`,
    );
  }
  if (known === undefined && password === undefined) {
    throw new Error(`the role ${name} does not exist; create it, or set DATABASE_SERVICE_PASSWORD`);
  }
  if (known === undefined) {
    await client.query(
      `CREATE ROLE ${quoted(name)} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`,
    );
  }
  if (password === undefined) return;
  // the server never sees the password itself, so that no log of statements can have it
  await client.query(`ALTER ROLE ${quoted(name)} PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`);
}

async function grantTables(client: pg.Client, role: string): Promise<void> {
  const grantee = quoted(role);
  const { rows } = await client.query<{ database: string; schema: string }>(
    'SELECT current_database() AS database, current_schema() AS schema',
  );
  for (const { database, schema } of rows) {
    await client.query(`GRANT CONNECT ON DATABASE ${quoted(database)} TO ${grantee}`);
    // everybody had it before PostgreSQL 15, and still has it in databases of then
    await client.query(`REVOKE CREATE ON SCHEMA ${quoted(schema)} FROM PUBLIC`);
    await client.query(`GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${grantee}`);
    await client.query(`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${quoted(schema)} TO ${grantee}`);
  }
  // a partition is reached by its parent alone
  const tables = await client.query<{ name: string; partition: boolean }>(
    `SELECT relname AS name, relispartition AS partition FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND pg_has_role(relowner, 'USAGE')`,
  );
  for (const { name, partition } of tables.rows) {
    await client.query(`REVOKE ALL ON TABLE ${quoted(name)} FROM ${grantee}`);
    if (partition) continue;
    await client.query(`GRANT ${RIGHTS[name] ?? RIGHTS_ELSEWHERE} ON TABLE ${quoted(name)} TO ${grantee}`);
  }
}

async function requireNoMaking(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ schema: string; may: boolean }>(
    `SELECT current_schema() AS schema, has_schema_privilege($1, current_schema(), 'CREATE') AS may`,
    [role],
  );
  for (const { schema, may } of rows) {
    if (may)
      throw new Error(
        `the role ${role} may create in the schema ${schema}: as the schema's owner, ` +
          `REVOKE CREATE ON SCHEMA ${quoted(schema)} FROM PUBLIC, ${quoted(role)}`,
      );
  }
}

async function grantQueues(client: pg.Client, role: string, schema: string): Promise<void> {
  for (const right of [
    // BullMQ's functions make a sequence for each queue
    'USAGE, CREATE ON SCHEMA',
    `${RIGHTS_ELSEWHERE} ON ALL TABLES IN SCHEMA`,
    'USAGE, SELECT ON ALL SEQUENCES IN SCHEMA',
  ]) {
    await client.query(`GRANT ${right} ${quoted(schema)} TO ${quoted(role)}`);
  }
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

/** What PostgreSQL stores of a password (RFC 5803), computed as `psql \password` computes it. */
function scramVerifier(password: string): string {
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const key = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`;
}
