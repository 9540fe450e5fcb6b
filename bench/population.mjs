import { hash } from '@node-rs/argon2';
import pg from 'pg';

// People by the million, written as sets: what is measured is how the service reads them, not how they came.

export const PASSWORD = 'Bench-Passw0rd!';
/** The service's own cost, so that nobody is hashed anew at sign-in. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function personName(number) {
  return `person-${number}`;
}

const PEOPLE = `
  CREATE TEMPORARY TABLE people AS
  SELECT new_id() AS id, 'person-' || n AS name, md5('session' || n) AS session_id, md5('agent' || n) AS agent_id,
    md5('grant' || n) AS authorization_id
  FROM generate_series(1, $1::integer) AS n`;

const FILL = [
  {
    text: `INSERT INTO users (id, org_id, kind, user_name) SELECT id, $1, 'human', name FROM people`,
    values: ({ orgId }) => [orgId],
  },
  {
    text: `
      INSERT INTO user_humans (user_id, org_id, first_name, last_name, display_name, email, email_verified)
      SELECT id, $1, 'Bench', name, 'Bench ' || name, name || '@example.com', true FROM people`,
    values: ({ orgId }) => [orgId],
  },
  {
    text: `
      INSERT INTO login_identifiers (org_id, kind, canonical, user_id)
      SELECT $1, kind, CASE kind WHEN 'email' THEN name || '@example.com' ELSE name END, id
      FROM people, unnest(ARRAY['user_name', 'email']) AS kind`,
    values: ({ orgId }) => [orgId],
  },
  {
    text: `INSERT INTO user_passwords (user_id, org_id, hash, scheme) SELECT id, $1, $2, 'argon2id' FROM people`,
    values: ({ orgId, password }) => [orgId, password],
  },
  // each has signed in once, a while ago: tokens are checked against these tables
  {
    text: `INSERT INTO user_agents (id, secret_hash) SELECT agent_id, sha256(agent_id::bytea) FROM people`,
    values: () => [],
  },
  {
    text: `
      INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch)
      SELECT session_id, $1, id, agent_id, app_now() - interval '1 hour', '{pwd}', 0 FROM people`,
    values: ({ orgId }) => [orgId],
  },
  {
    text: `
      INSERT INTO authorizations (id, org_id, user_id, application_id, session_id, scopes, audience, auth_time, amr,
        subject_epoch)
      SELECT p.authorization_id, $1, p.id, a.id, p.session_id, '{openid}', ARRAY[a.project_id],
        app_now() - interval '1 hour', '{pwd}', 0
      FROM people p, (SELECT id, project_id FROM applications WHERE client_id = $2) AS a`,
    values: ({ orgId, clientId }) => [orgId, clientId],
  },
];

/** Indexes that no constraint stands on: made anew from all rows at once they cost a third. */
const PLAIN_INDEXES = `
  SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i
  WHERE i.indrelid::regclass::text = ANY ($1)
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`;
const TABLES = ['users', 'user_humans', 'login_identifiers', 'sessions', 'authorizations'];

/** Adds that many people to an organization, all with the same password. Gives the seconds that it took. */
export async function fill(url, people, { orgId, webApplication }) {
  const since = performance.now();
  const of = { orgId, password: await hash(PASSWORD, COST), clientId: webApplication.clientId };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // no look-up per row for keys that are right by their making, no wait per statement for the disk
    await client.query('SET session_replication_role = replica');
    await client.query('SET synchronous_commit = off');
    await client.query(PEOPLE, [people]);
    const { rows: indexes } = await client.query(PLAIN_INDEXES, [TABLES]);
    for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
    for (const { text, values } of FILL) await client.query(text, values(of));
    await client.query('DROP TABLE people');
    await client.query(`SET maintenance_work_mem = '256MB'`);
    for (const { definition } of indexes) await client.query(definition);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
  return (performance.now() - since) / 1000;
}
