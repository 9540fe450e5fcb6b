import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PgMaintenanceStore } from '../../../src/storage/postgres/maintenance/maintenance.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { Seed } from '../../workers/support/seed.js';

let database: TestDatabase;
let pool: pg.Pool;
let maintenance: PgMaintenanceStore;
let seed: Seed;

beforeEach(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  maintenance = new PgMaintenanceStore(new Sql(pool));
  seed = await Seed.plant(pool);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** All that exists so far was made eleven minutes ago. */
const elevenMinutesPass = async () =>
  await pool.query(`UPDATE test_clock SET shift = shift + interval '11 min'`);

async function queued(jobName: string): Promise<object[]> {
  const { rows } = await pool.query<{ payload: object }>(
    'SELECT payload FROM outbox WHERE job_name = $1 ORDER BY id',
    [jobName],
  );
  return rows.map(({ payload }) => payload);
}

describe('a message that fell out of the outbox', () => {
  it('is queued again, once, by however many that sweep', async () => {
    const lost = await seed.queueMail({});
    const kept = await seed.queueMail({});
    await pool.query('DELETE FROM outbox WHERE id = $1', [lost.outboxId]);
    expect(await maintenance.sweepStuck(10)).toMatchObject({ notifications_enqueued_again: 0 });
    await elevenMinutesPass();
    const both = await Promise.all([maintenance.sweepStuck(10), maintenance.sweepStuck(10)]);
    expect(both.map((swept) => swept['notifications_enqueued_again']).toSorted()).toEqual([0, 1]);
    expect(await queued('send-notification')).toEqual([
      expect.objectContaining({ notificationId: kept.id }),
      { notificationId: lost.id },
    ]);
    expect(await maintenance.sweepStuck(10)).toMatchObject({ notifications_enqueued_again: 0 });
  });

  it('is left alone while a worker holds it, and comes back when its claim has lapsed', async () => {
    const { id, outboxId } = await seed.queueMail({});
    await pool.query('DELETE FROM outbox WHERE id = $1', [outboxId]);
    await elevenMinutesPass();
    await pool.query(
      `UPDATE notifications SET state = 'sending', claimed_until = app_now() + interval '1 min' WHERE id = $1`,
      [id],
    );
    expect(await maintenance.sweepStuck(10)).toMatchObject({ notifications_enqueued_again: 0 });
    await elevenMinutesPass();
    expect(await maintenance.sweepStuck(10)).toMatchObject({ notifications_enqueued_again: 1 });
  });

  it('is one of a bounded number each time', async () => {
    for (let n = 0; n < 5; n += 1) await seed.queueMail({});
    await pool.query('DELETE FROM outbox');
    await elevenMinutesPass();
    const rounds = [];
    for (let n = 0; n < 3; n += 1)
      rounds.push((await maintenance.sweepStuck(2))['notifications_enqueued_again']);
    expect(rounds).toEqual([2, 2, 1]);
  });
});

it('enqueues a logout notice again', async () => {
  await pool.query(`
    INSERT INTO projects (id, org_id, name) VALUES ('p', '${seed.orgId}', 'P');
    INSERT INTO applications (id, org_id, project_id, name, kind, auth_method)
      VALUES ('a', '${seed.orgId}', 'p', 'A', 'oidc', 'none');
    INSERT INTO logout_notices (id, org_id, user_id, session_id, application_id, state, finished_at)
      VALUES ('lost', '${seed.orgId}', 'u', 's', 'a', 'pending', NULL),
             ('done', '${seed.orgId}', 'u', 't', 'a', 'delivered', now());
  `);
  await elevenMinutesPass();
  expect(await maintenance.sweepStuck(10)).toMatchObject({ logout_notices_enqueued_again: 1 });
  expect(await queued('deliver-logout')).toEqual([{ logoutNoticeId: 'lost' }]);
  expect(await maintenance.sweepStuck(10)).toMatchObject({ logout_notices_enqueued_again: 0 });
});

it('enqueues what goes on step by step again: imports, their undoing and messages, organizations to erase', async () => {
  const job = (id: string, state: string, more: { undo?: string; notify?: string } = {}) =>
    pool.query(
      `INSERT INTO imports (id, org_id, created_by, state, finished_at, expires_at, format, mode, notify, undo_state,
                                notify_state)
       VALUES ($1, $2, 'c', $3, CASE WHEN $3 = 'done' THEN app_now() END, app_now() + interval '1 d', 'json', 'insert',
               'none', $4, $5)`,
      [id, seed.orgId, state, more.undo ?? null, more.notify ?? null],
    );
  await job('running', 'running');
  await job('followed', 'running');
  await job('done', 'done');
  await job('undone', 'done', { undo: 'running' });
  await job('told', 'done', { notify: 'running' });
  await job('half undone', 'done', { undo: 'running' });
  await job('half told', 'done', { notify: 'running' });
  await pool.query(`
    INSERT INTO outbox (queue, job_name, payload, state, published_at)
      VALUES ('imports', 'follow-import', '{"jobId": "followed"}', 'published', now()),
             ('imports', 'undo-import-chunk', '{"jobId": "half undone", "number": 5}', 'pending', NULL),
             ('imports', 'notify-import-chunk', '{"jobId": "half told", "number": 7}', 'published', now());
    INSERT INTO organizations (id, name, state) VALUES ('gone', 'Gone', 'removed')`);
  // of each organization one at a time
  await pool.query(
    `INSERT INTO bulk_actions (id, org_id, action, created_by, created_at)
     SELECT id, $1, 'lock', 'c', app_now() - make_interval(secs => age) FROM (VALUES ('older', 2), ('newer', 1)) b (id, age)`,
    [seed.orgId],
  );
  await elevenMinutesPass();
  const first = await maintenance.sweepStuck(10);
  expect(first).toMatchObject({
    bulk_actions_enqueued_again: 1,
    imports_enqueued_again: 1,
    undone_imports_enqueued_again: 1,
    imports_to_notify_enqueued_again: 1,
    removed_organizations_enqueued_again: 1,
  });
  expect(await queued('follow-import')).toEqual([{ jobId: 'followed' }, { jobId: 'running' }]);
  expect(await queued('undo-import-chunk')).toEqual([
    { jobId: 'half undone', number: 5 },
    { jobId: 'undone', number: 0 },
  ]);
  expect(await queued('notify-import-chunk')).toEqual([
    { jobId: 'half told', number: 7 },
    { jobId: 'told', number: 0 },
  ]);
  expect(await queued('run-bulk-action')).toEqual([{ bulkActionId: 'older' }]);
  expect(await queued('erase-organization')).toEqual([{ orgId: 'gone' }]);
  const again = await maintenance.sweepStuck(10);
  expect(Object.values(again).reduce((a, b) => a + b)).toBe(0);
});

it('enqueues the end of sessions again, of organizations that are off and have earlier sessions (S416)', async () => {
  const { userId } = await seed.queueMail({});
  await pool.query(`
    INSERT INTO user_agents (id, secret_hash) VALUES ('agent', '\\x01');
    INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch)
      SELECT 's', u.org_id, u.id, 'agent', app_now(), '{pwd}', u.token_epoch + o.token_epoch
      FROM users u JOIN organizations o ON o.id = u.org_id WHERE u.id = '${userId}';
    INSERT INTO organizations (id, name, state) VALUES ('nobody', 'Nobody', 'inactive')`);
  await elevenMinutesPass();
  const sweep = async () => (await maintenance.sweepStuck(10))['sessions_of_organizations_enqueued_again'];
  expect(await sweep()).toBe(0);
  await pool.query(`UPDATE organizations SET state = 'inactive', token_epoch = token_epoch + 1,
                      changed_at = app_now() WHERE id = '${seed.orgId}'`);
  expect(await sweep()).toBe(0);
  await elevenMinutesPass();
  expect(await sweep()).toBe(1);
  expect(await queued('end-organization-sessions')).toEqual([{ orgId: seed.orgId }]);
  expect(await sweep()).toBe(0);
  await pool.query(
    `DELETE FROM outbox; UPDATE sessions SET ended_at = app_now(), end_reason = 'organization_deactivated'`,
  );
  expect(await sweep()).toBe(0);
});

it('forgets rows of the outbox whose work is done', async () => {
  const { id, outboxId } = await seed.queueMail({});
  const { outboxId: living } = await seed.queueMail({});
  await pool.query(`
    UPDATE outbox SET state = 'published', published_at = app_now();
    INSERT INTO outbox (queue, job_name, payload, state, published_at) VALUES
      ('imports', 'import-chunk', '{"jobId": "unknown", "number": 1}', 'published', now()),
      ('maintenance', 'something-else', '{}', 'published', now())`);
  await pool.query(
    `UPDATE notifications SET state = 'abandoned', finished_at = app_now(), content_sealed = NULL,
                      data_key_id = NULL WHERE id = $1`,
    [id],
  );
  expect(await maintenance.sweepStuck(10)).toMatchObject({ finished_outbox_rows: 0 });
  await pool.query(`UPDATE test_clock SET shift = '61 min'`);
  expect(await maintenance.sweepStuck(10)).toMatchObject({ finished_outbox_rows: 2 });
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM outbox WHERE queue = 'notifications'`);
  expect(rows.map((row) => row.id)).toEqual([living]);
  expect(rows.map((row) => row.id)).not.toContain(outboxId);
});
