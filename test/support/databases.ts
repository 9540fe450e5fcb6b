import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { inject } from 'vitest';
import { migrateQueues, QUEUE_SCHEMA } from '../../src/queues/queue-connection.js';
import { letServiceUseTables } from '../../src/storage/postgres/service-role.js';

export interface TestDatabase {
  /** The role is superuser and owns the tables. */
  readonly url: string;
  /** The same, as API and workers should sign in: as a role that uses the tables and owns none. */
  readonly serviceUrl: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/**
 * A migrated database of one's own, copied from the template in about 50 ms. Its `app_now()` is shifted by the one
 * row of `test_clock (shift interval)`.
 */
export function cloneDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('services');
  return createDatabase(adminUrl, template);
}

/** A database without any schema, for tests of the migrations themselves. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('services').adminUrl, 'template0');
}

/** Error codes of PostgreSQL: somebody is (still) connected to the template, or it is being copied just now. */
const OBJECT_IN_USE = '55006';
const ATTEMPTS = 100;

async function createDatabase(adminUrl: string, template: string): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // through its log, as PostgreSQL copies unasked, takes twice as long
      await runAsAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
      break;
    } catch (error) {
      const busy = error instanceof DatabaseError && error.code === OBJECT_IN_USE;
      if (!busy || attempt === ATTEMPTS) throw error;
      await sleep(50);
    }
  }
  return {
    url: databaseUrl(adminUrl, name),
    serviceUrl: asServiceRole(databaseUrl(adminUrl, name)),
    drop: () => runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** What `migrate` does for QUEUE_BACKEND=postgres. @param database cloned from the template */
export async function addQueueTables(database: TestDatabase): Promise<void> {
  await migrateQueues(database.url);
  await letServiceUseTables(database.url, inject('services').serviceRole, QUEUE_SCHEMA);
}

function asServiceRole(adminUrl: string): string {
  const { serviceRole } = inject('services');
  const url = new URL(adminUrl);
  url.username = serviceRole.name;
  url.password = serviceRole.password;
  return url.href;
}

/** The same server, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** The database of this URL, as whoever owns its tables: what a migration takes. */
export function ownerUrl(url: string): string {
  return databaseUrl(inject('services').adminUrl, new URL(url).pathname.slice(1));
}

/** The rows of one statement. */
export async function selectAsAdmin(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Runs statements one by one on a connection of their own. */
export async function runAsAdmin(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
