// SQL by hand: detects a pooler in front of PostgreSQL by its sessions and prepared statements
import pg from 'pg';
import { sessionOptions, type PostgresSettings } from '../data-source.js';
import { Primary } from './primary.js';

/** Why a database cannot be used through the pooler in front of it. */
export class PoolerError extends Error {}

const LOOKS = 10;
const PREPARED = 'pooler-prepared';
const IGNORED = 'ignore_startup_parameters = options,statement_timeout,idle_in_transaction_session_timeout';

const PROTOCOL_VIOLATION = '08P01';
/**
 * A wrong password, the pooler's own at PostgreSQL too, which it repeats as "cached error"; a user or a database that
 * it does not know. PostgreSQL says each with a SQLSTATE of its own, and then nobody waits for it either.
 */
const NO_SIGN_IN =
  /authentication failed\b|wrong password type|\blogin rejected$|^no such (user|database)\b|^SSL required$/;

/** direct: PostgreSQL itself. session: a pooler that keeps a session for a client. transaction: one that does not. */
type Kind = 'direct' | 'session' | 'transaction';

/**
 * Opens two connections. A pooler is recognized by the process id that it reports, which is not that of the server process; transaction
 * pooling, by one server process that serves both connections.
 *
 * @throws PoolerError if the pooler does not support what we need: prepared statements, transactions, session settings
 */
export async function requireUsablePooler(settings: PostgresSettings): Promise<Kind> {
  const clients: pg.Client[] = [];
  const connect = async (): Promise<pg.Client> => {
    const client = Primary.of(settings.url).client(sessionOptions(settings));
    clients.push(client);
    client.on('error', () => undefined);
    await client.connect().catch((error: unknown) => {
      throw refusal(error) ?? error;
    });
    return client;
  };
  try {
    const one = await connect();
    if ((await processOf(one)) === (one as unknown as { processID: number }).processID) return 'direct';
    const kind = await lends(one, await connect());
    await requireTransactions(one);
    if (kind === 'transaction' && (await passesNamesOn(one))) {
      throw new PoolerError(
        'the pooler before PostgreSQL lends sessions for a transaction and loses prepared statements: PgBouncer does not ' +
          'from version 1.21 on, with max_prepared_statements above 0 (such as 200); or set pool_mode = session',
      );
    }
    await requireSettings(one, kind, sessionOptions(settings));
    return kind;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/** For LISTEN and for migrations, which need one session for as long as they run. @throws PoolerError with transaction pooling */
export async function requireSession(settings: PostgresSettings): Promise<void> {
  if ((await requireUsablePooler(settings)) !== 'transaction') return;
  throw new PoolerError(
    'a pooler that lends sessions for a transaction does not do for what listens and migrates: set DATABASE_DIRECT_URL to ' +
      'PostgreSQL itself',
  );
}

/** Errors of PgBouncer at the start of a connection, all with one SQLSTATE. Other errors may be temporary. */
function refusal(error: unknown): PoolerError | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== PROTOCOL_VIOLATION) return undefined;
  if (error.message.startsWith('unsupported startup parameter')) {
    return new PoolerError(
      `the pooler before PostgreSQL refuses the settings of our sessions (${error.message}): PgBouncer 1.21 or newer takes ` +
        `them with ${IGNORED}`,
    );
  }
  if (!NO_SIGN_IN.test(error.message)) return undefined;
  return new PoolerError(
    `the pooler before PostgreSQL does not let us in (${error.message}): look at user, password and database in its ` +
      'URL, and at those that the pooler has itself',
  );
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/** A transaction pooler gives the session that was returned last to the next client; since other clients may be faster, tries several times. */
async function lends(one: pg.Client, other: pg.Client): Promise<'session' | 'transaction'> {
  const own = await processOf(one);
  for (let look = 0; look < LOOKS; look += 1) {
    if ((await processOf(other)) === own || (await processOf(one)) !== own) return 'transaction';
  }
  return 'session';
}

/** A pooler that keeps prepared statements gives them names of its own. */
async function passesNamesOn(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>({
    name: PREPARED,
    text: `SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = '${PREPARED}') AS known`,
  });
  return rows[0]?.known === true;
}

async function requireTransactions(client: pg.Client): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query('COMMIT');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new PoolerError('the pooler before PostgreSQL has no transactions: set pool_mode = transaction');
  }
}

/** Settings that the pooler ignored must be set in the pooler itself. */
async function requireSettings(
  client: pg.Client,
  kind: Kind,
  wanted: ReturnType<typeof sessionOptions>,
): Promise<void> {
  const settings: Record<string, string> = {
    statement_timeout: String(wanted.statement_timeout),
    idle_in_transaction_session_timeout: String(wanted.idle_in_transaction_session_timeout),
    ...Object.fromEntries(
      [...wanted.options.matchAll(/-c (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ),
  };
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT lower(name) AS name, setting FROM pg_settings WHERE lower(name) = ANY ($1)',
    [Object.keys(settings).map((name) => name.toLowerCase())],
  );
  const known = new Map(rows.map(({ name, setting }) => [name, setting]));
  const missing = Object.entries(settings).filter(([name, value]) => known.get(name.toLowerCase()) !== value);
  if (missing.length === 0) return;
  const set = missing.map(([name, value]) => `SET ${name} = ${pg.escapeLiteral(value)}`);
  // with session pooling, settings of connect_query are reset between two clients
  const remedy =
    kind === 'session'
      ? `run ${set.map((one) => `ALTER ROLE … IN DATABASE … ${one};`).join(' ')}`
      : `give the database in PgBouncer's [databases] connect_query='${set.join('; ').replaceAll("'", "''")}'`;
  throw new PoolerError(`the pooler before PostgreSQL ignores settings of our sessions: ${remedy}`);
}
