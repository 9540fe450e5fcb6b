import { afterAll, beforeAll, expect, it } from 'vitest';
import { Seed } from './seed.js';

// The planner takes a list in JSON for a hundred entries: on a small database it would read the whole table of grants for it.

let seed: Seed;
beforeAll(async () => {
  seed = await Seed.open();
});
afterAll(() => seed.close());

it('what an exchange hangs from is looked up by key, however few grants there are', async () => {
  const orgId = await seed.organization();
  const userId = await seed.user(orgId);
  const applicationId = await seed.application(orgId, await seed.project(orgId));
  await seed.pool.query(
    `INSERT INTO authorizations (id, org_id, user_id, application_id, scopes, audience, auth_time, amr, subject_epoch)
     SELECT new_id(), $1, $2, $3, '{}', '{}', app_now(), '{}', 0 FROM generate_series(1, 5000)`,
    [orgId, userId, applicationId],
  );
  await seed.pool.query('ANALYZE');
  const { rows } = await seed.pool.query<{ id: string }>('SELECT id FROM authorizations LIMIT 1');
  const ties = {
    users: [{ userId, epoch: 0 }],
    grants: [rows[0]?.id],
    sessions: [],
    personalAccessTokens: [],
    tokens: [],
    roles: [],
    subjects: [],
  };
  const client = await seed.pool.connect();
  try {
    // a transaction sees its own scans at once
    await client.query('BEGIN');
    const scans = async (): Promise<unknown> => {
      const found = await client.query(
        `SELECT pg_stat_get_xact_numscans('authorizations'::regclass)::int AS scans,
           pg_stat_get_xact_tuples_returned('authorizations'::regclass)::int AS read`,
      );
      return found.rows[0];
    };
    const before = await scans();
    const asked = await client.query('SELECT exchange_holds($1::jsonb) AS holds', [JSON.stringify(ties)]);
    expect(asked.rows).toEqual([{ holds: true }]);
    expect(await scans()).toEqual(before);
    await client.query('ROLLBACK');
  } finally {
    client.release();
  }
});
