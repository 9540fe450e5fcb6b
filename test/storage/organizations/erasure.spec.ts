import pg from 'pg';
import { expect, it } from 'vitest';
import { ERASE_OTHERS, ERASE_USERS } from '../../../src/storage/postgres/organizations/erasure-statements.js';
import { cloneDatabase } from '../../support/databases.js';

/** Tables whose rows outlive an organization that is removed, and why they may. */
const STAYS: Readonly<Record<string, string>> = {
  users: 'the id alone, which nobody gets again',
  projects: 'its applications refer to it',
  project_roles: 'ended grants name them',
  applications: 'without its secret; ended sessions and grants refer to it',
  sessions: 'ended, until they are cleaned up',
  authorizations: 'revoked, until they are cleaned up',
  logout_notices: 'the applications are still told, then they are cleaned up',
  notifications: 'emptied, until they are cleaned up',
  events: 'the audit log',
  imports: 'cancelled, until they are cleaned up',
  import_chunks: 'go with their import',
  idempotency_keys: 'for a day',
  external_sign_ins: 'sign-ins under way, for minutes',
  organization_domains: 'gone at once, in the removal itself',
  instance: 'its organization cannot be removed',
};

it('takes what each table keeps of an organization, save what stays for a reason (S352)', async () => {
  const database = await cloneDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => undefined);
  try {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT DISTINCT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
         AND a.attname ~ '(^|_)org_id$' AND NOT a.attisdropped`,
    );
    const statements = [ERASE_USERS, ...ERASE_OTHERS].map(({ text }) => text).join('\n');
    const erased = new Set([...statements.matchAll(/DELETE FROM (\w+)/g)].map(([, table]) => table));
    expect(Object.keys(STAYS).filter((table) => erased.has(table))).toEqual([]);
    expect([...erased, ...Object.keys(STAYS)].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  } finally {
    await pool.end();
    await database.drop();
  }
});
