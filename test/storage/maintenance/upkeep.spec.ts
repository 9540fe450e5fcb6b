import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { PgEventsStore } from '../../../src/storage/postgres/events/events.store.js';
import { LaggingReads } from '../../../src/storage/postgres/lagging-reads.js';
import { PgMaintenanceStore } from '../../../src/storage/postgres/maintenance/maintenance.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { stopTimeForTest } from '../../support/stopped-time.js';
import { Seed } from '../../workers/support/seed.js';

const DAY = 86_400;
const RETENTION = { sessionSeconds: 30 * DAY, noticeSeconds: 90 * DAY, importSeconds: 30 * DAY };

describe('upkeep in Postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let sql: Sql;
  let seed: Seed;

  beforeAll(async () => {
    database = await cloneDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 4 });
    pool.on('error', () => undefined);
    sql = new Sql(pool);
    seed = await Seed.plant(pool);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function count(table: string): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
    return rows[0]?.count ?? -1;
  }

  it('removes what expired and nothing else, a bounded number of rows at a time', async () => {
    const { orgId } = seed;
    await pool.query(`
      INSERT INTO revoked_tokens (jti, expires_at)
        SELECT 'old-' || n, now() - interval '2 hours' FROM generate_series(1, 5) AS n;
      INSERT INTO revoked_tokens (jti, expires_at) VALUES ('new', now() + interval '1 hour');
      INSERT INTO used_assertions (hash, expires_at) VALUES
        ('\\x01', now() - interval '1 s'), ('\\x02', now() + interval '1 h');
      INSERT INTO user_agents (id, secret_hash, last_seen_at) VALUES
        ('old', '\\x01', now() - interval '49 hours'), ('used', '\\x02', now() - interval '31 days'),
        ('left', '\\x03', now() - interval '31 days'), ('busy', '\\x04', now() - interval '49 hours'),
        ('new', '\\x05', now() - interval '47 hours');
      INSERT INTO auth_requests (id, user_agent_id, destination, expires_at) VALUES
        ('old', 'new', 'queues', now() - interval '1 s'), ('new', 'busy', 'queues', now() + interval '1 h');
      INSERT INTO users (id, org_id, kind, user_name) VALUES ('u', '${orgId}', 'human', 'u');
      INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch)
        VALUES ('s', '${orgId}', 'u', 'used', now(), '{pwd}', 0);
      INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch, ended_at, end_reason)
        VALUES ('ended', '${orgId}', 'u', 'used', now(), '{pwd}', 0, now() - interval '29 days', 'signed out'),
               ('long ended', '${orgId}', 'u', 'left', now(), '{pwd}', 0, now() - interval '31 days', 'signed out');
      INSERT INTO notifications (org_id, user_id, channel, template, state, finished_at) VALUES
        ('${orgId}', 'u', 'email', 'initialise', 'sent', now() - interval '91 days'),
        ('${orgId}', 'u', 'email', 'initialise', 'sent', now() - interval '89 days'),
        ('${orgId}', 'u', 'email', 'initialise', 'pending', NULL);
      INSERT INTO verification_codes (id, org_id, user_id, purpose, target, code_hash, expires_at, ended_at) VALUES
        ('old', '${orgId}', 'u', 'reset_password', 't', '\\x00', now() - interval '25 hours', now()),
        ('new', '${orgId}', 'u', 'reset_password', 't', '\\x00', now() - interval '23 hours', now());
      INSERT INTO registrations (id, org_id, first_name, last_name, email, email_canonical, login_name, user_name,
        locale, mailed, expires_at)
        SELECT id, '${orgId}', 'f', 'l', 'e', 'e', 'n', 'n', 'en', true, now() - age::interval
        FROM (VALUES ('old', '61 min'), ('new', '59 min')) AS given (id, age);
      INSERT INTO notifications (org_id, registration_id, channel, template, state, finished_at)
        VALUES ('${orgId}', 'old', 'email', 'register', 'sent', now());
      INSERT INTO projects (id, org_id, name) VALUES ('p', '${orgId}', 'P');
      INSERT INTO applications (id, org_id, project_id, name, kind, auth_method)
        VALUES ('a', '${orgId}', 'p', 'A', 'oidc', 'none');
      INSERT INTO authorizations (id, org_id, user_id, application_id, scopes, audience, auth_time, amr, subject_epoch)
        SELECT id, '${orgId}', 'u', 'a', '{}', '{}', now(), '{}', 0 FROM (VALUES ('old'), ('young')) AS g (id);
      INSERT INTO codes (hash, authorization_id, redirect_uri, expires_at) VALUES
        ('\\x01', 'young', 'r', now() - interval '25 h'), ('\\x02', 'young', 'r', now() - interval '23 h');
      INSERT INTO refresh_token_families (authorization_id, absolute_expires_at) VALUES
        ('old', now() - interval '32 days'), ('young', now() - interval '30 days');
      INSERT INTO refresh_tokens (hash, authorization_id, idle_expires_at, used_at, successor_hash)
        SELECT int8send(n), 'old', now(), now(), '\\x00' FROM generate_series(1, 4) AS n;
      INSERT INTO refresh_tokens (hash, authorization_id, idle_expires_at) VALUES ('\\xff', 'young', now());
      INSERT INTO imports (id, org_id, created_by, state, finished_at, expires_at, format, mode, notify)
        SELECT id, '${orgId}', 'c', 'done', now(), now() + keeps::interval, 'json', 'insert', 'none'
        FROM (VALUES ('old', '-1 s'), ('young', '1 h')) AS j (id, keeps);
      INSERT INTO import_chunks (import_id, org_id, number, first_line, records, state, skipped)
        SELECT j.id, '${orgId}', n, 1, 1, 'done', 1 FROM imports j, generate_series(1, 4) AS n;
      INSERT INTO import_names (import_id, hash) VALUES ('old', 1), ('young', 1);
      INSERT INTO logout_notices (org_id, user_id, session_id, application_id, state, finished_at) VALUES
        ('${orgId}', 'u', 'old', 'a', 'delivered', now() - interval '91 days'),
        ('${orgId}', 'u', 'young', 'a', 'abandoned', now() - interval '89 days'),
        ('${orgId}', 'u', 'queued', 'a', 'pending', NULL);
      INSERT INTO data_keys (id, wrapped, master_key_id, state) VALUES (1000, '\\x00', 'x', 'previous');
      INSERT INTO idempotency_keys (caller, org_id, route, key, fingerprint, status, body_sealed, data_key_id, expires_at)
        VALUES ('c', 'o', 'r', 'old', '\\x00', 200, '\\x00', 1000, now() - interval '1 s'),
               ('c', 'o', 'r', 'new', '\\x00', 200, '\\x00', 1000, now() + interval '1 h');
    `);
    const maintenance = new PgMaintenanceStore(sql);
    const removed = await maintenance.removeExpired(3, RETENTION);
    expect(removed).toMatchObject({
      revoked_tokens: 3,
      // in parts, and what they hang from when they are gone
      refresh_tokens: 3,
      refresh_token_families: 0,
      import_chunks: 3,
      imports: 0,
      import_names: 2,
      codes: 1,
      used_assertions: 1,
      sessions: 1,
      user_agents: 2,
      auth_requests: 1,
      verification_codes: 1,
      registrations: 1,
      notifications: 1,
      logout_notices: 1,
      idempotency_keys: 1,
    });
    expect(await maintenance.removeExpired(3, RETENTION)).toMatchObject({
      revoked_tokens: 2,
      user_agents: 0,
      refresh_tokens: 1,
      refresh_token_families: 1,
      import_chunks: 1,
      imports: 1,
    });
    expect(await maintenance.removeExpired(3, RETENTION)).toMatchObject({ revoked_tokens: 0 });
    for (const table of [
      'codes',
      'refresh_token_families',
      'refresh_tokens',
      'imports',
      'revoked_tokens',
      'used_assertions',
      'auth_requests',
      'idempotency_keys',
      'verification_codes',
      'registrations',
    ]) {
      expect(await count(table)).toBe(1);
    }
    // the ledger of what was sent outlives the registration that it was sent for
    for (const [table, left] of [
      ['sessions', 2],
      ['notifications', 3],
      ['logout_notices', 2],
    ] as const) {
      expect(await count(table)).toBe(left);
    }
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM user_agents ORDER BY id');
    expect(rows.map(({ id }) => id)).toEqual(['busy', 'new', 'used']);
  });

  it('forgets who came over from an old system 30 days after it was asked last, and of one that is removed', async () => {
    const { orgId } = seed;
    await pool.query(`
      INSERT INTO organizations (id, name) VALUES ('going', 'Going'), ('unplugged', 'Unplugged');
      INSERT INTO users (id, org_id, kind, user_name) VALUES
        ('over', '${orgId}', 'human', 'over'), ('goes', 'going', 'human', 'goes'), ('stays', 'unplugged', 'human', 'stays');
      INSERT INTO user_migrations (org_id, kind, settings, is_active, ends_at, requests_per_minute, deadline_ms) VALUES
        ('${orgId}', 'ldap', '{}', true, now() - interval '31 days', 1, 1),
        ('going', 'ldap', '{}', true, now() - interval '29 days', 1, 1);
      INSERT INTO user_migration_names (org_id, name_hash)
        SELECT org_id, decode(repeat('a' || n, 32), 'hex') FROM user_migrations, generate_series(1, 2) AS n;
      INSERT INTO user_migration_entries (org_id, entry_hash, user_id)
        SELECT org_id, decode(repeat('bb', 32), 'hex'), id FROM users WHERE id IN ('over', 'goes', 'stays')`);
    const maintenance = new PgMaintenanceStore(sql);
    expect(await maintenance.removeExpired(100, RETENTION)).toMatchObject({
      user_migration_names: 2,
      user_migration_entries: 2,
    });
    for (const [table, left] of [
      ['user_migration_names', 2],
      ['user_migration_entries', 1],
    ] as const) {
      const { rows } = await pool.query<{ org_id: string }>(`SELECT org_id FROM ${table}`);
      expect(rows.map(({ org_id: org }) => org)).toEqual(Array.from({ length: left }, () => 'going'));
    }
  });

  it('removes counts of SMS that are over, and what prefixes are judged by when nobody looks back so far', async () => {
    await pool.query(`
      INSERT INTO sms_quotas (id, used, ends_at) VALUES
        ('user/3600/over', 5, now() - interval '1 s'), ('user/3600/on', 5, now() + interval '1 min');
      INSERT INTO sms_sends (code_id, prefix, created_at) VALUES
        ('old', '+4179123', now() - interval '32 days'), ('young', '+4179123', now() - interval '30 days');
      INSERT INTO sms_blocks (prefix, reason, blocked_until) VALUES
        ('+4179001', 'low_conversion', now() - interval '32 days'),
        ('+4179002', 'low_conversion', now() - interval '30 days'),
        ('+4179003', 'low_conversion', now() + interval '1 h');
    `);
    const maintenance = new PgMaintenanceStore(sql);
    expect(await maintenance.removeExpired(100, RETENTION)).toMatchObject({
      sms_quotas: 1,
      sms_sends: 1,
      sms_blocks: 1,
    });
    const { rows } = await pool.query<{ left: string }>(`
      SELECT id AS left FROM sms_quotas UNION ALL SELECT code_id FROM sms_sends
      UNION ALL SELECT prefix FROM sms_blocks ORDER BY 1`);
    expect(rows.map(({ left }) => left).sort()).toEqual(['+4179002', '+4179003', 'user/3600/on', 'young']);
  });

  it('removes alarms about things that nobody has been told of for more than a year, and none of the instance', async () => {
    await pool.query(`
      INSERT INTO alarms (kind, raised_at) VALUES
        ('client_guesses gone', now() - interval '401 days'), ('client_guesses there', now() - interval '399 days'),
        ('guessing_alarm', now() - interval '401 days')`);
    const maintenance = new PgMaintenanceStore(sql);
    expect(await maintenance.removeExpired(100, RETENTION)).toMatchObject({ alarms: 1 });
    const { rows } = await pool.query<{ kind: string }>('SELECT kind FROM alarms ORDER BY kind');
    expect(rows.map(({ kind }) => kind)).toEqual(['client_guesses there', 'guessing_alarm']);
  });

  it('removes challenges that nobody can answer any more', async () => {
    await pool.query(`
      INSERT INTO passkey_challenges (hash, purpose, bound_to, expires_at) VALUES
        ('\\x01', 'sign-in', 'flow', now() - interval '1 s'), ('\\x02', 'sign-in', 'flow', now() + interval '1 min')`);
    const maintenance = new PgMaintenanceStore(sql);
    expect(await maintenance.removeExpired(100, RETENTION)).toMatchObject({ passkey_challenges: 1 });
    expect(await count('passkey_challenges')).toBe(1);
  });

  it('removes the trust in browsers that is over, and keeps the browsers that are trusted', async () => {
    const { orgId } = seed;
    const userId = 'truster';
    await pool.query(`INSERT INTO users (id, org_id, kind, user_name) VALUES ($1, $2, 'human', $1)`, [
      userId,
      orgId,
    ]);
    await pool.query(
      `WITH agents AS (
         INSERT INTO user_agents (id, secret_hash, last_seen_at) VALUES
           ('trusted', '\\x11', now() - interval '9 days'), ('over', '\\x12', now() - interval '9 days') RETURNING id)
       INSERT INTO trusted_browsers (user_agent_id, user_id, org_id, mark, expires_at)
       SELECT id, $1, $2, '\\x00', now() + CASE id WHEN 'over' THEN interval '-1 s' ELSE interval '1 day' END FROM agents`,
      [userId, orgId],
    );
    const maintenance = new PgMaintenanceStore(sql);
    expect(await maintenance.removeExpired(100, RETENTION)).toMatchObject({ trusted_browsers: 1 });
    await maintenance.removeExpired(100, RETENTION);
    const { rows } = await pool.query(`SELECT id FROM user_agents WHERE id IN ('trusted', 'over')`);
    expect(rows).toEqual([{ id: 'trusted' }]);
  });

  it('S403: forgets bulk actions 30 days after their end, with their users', async () => {
    await pool.query(
      `INSERT INTO bulk_actions (id, org_id, action, state, created_by, finished_at) VALUES
         ('bulk-over', $1, 'lock', 'done', 'u', now() - interval '31 days'),
         ('bulk-kept', $1, 'lock', 'cancelled', 'u', now() - interval '29 days'),
         ('bulk-runs', $1, 'lock', 'running', 'u', NULL)`,
      [seed.orgId],
    );
    await pool.query(
      `INSERT INTO bulk_action_users (bulk_action_id, user_id)
       SELECT id, 'u' FROM bulk_actions WHERE id LIKE 'bulk-%'`,
    );
    const maintenance = new PgMaintenanceStore(sql);
    expect(await maintenance.removeExpired(100, RETENTION)).toMatchObject({ bulk_actions: 1 });
    const { rows } = await pool.query(
      `SELECT bulk_action_id AS id FROM bulk_action_users WHERE bulk_action_id LIKE 'bulk-%' ORDER BY 1`,
    );
    expect(rows).toEqual([{ id: 'bulk-kept' }, { id: 'bulk-runs' }]);
  });

  it('erases what a dead letter says when its code expires, and leaves the letter', async () => {
    const letter = async (expires: string | null, finished: string): Promise<string> => {
      const { id } = await seed.queueMail({ phone: '+41791234567' });
      await pool.query(
        `UPDATE notifications SET state = 'abandoned', dead_letter = true, expires_at = now() + $2::interval,
           finished_at = now() - $3::interval WHERE id = $1`,
        [id, expires, finished],
      );
      return id;
    };
    const over = await letter('-1 s', '1 min');
    const replayable = await letter('10 min', '1 min');
    const unbounded = await letter(null, '8 days');
    const recent = await letter(null, '6 days');
    const maintenance = new PgMaintenanceStore(sql);
    const dead = async () => (await maintenance.removeExpired(1, RETENTION))['dead_letters'];
    expect(await dead()).toBe(1);
    expect(await dead()).toBe(1);
    expect(await dead()).toBe(0);
    const { rows } = await pool.query<{ id: string; erased: boolean; state: string }>(
      `SELECT id, content_sealed IS NULL AND data_key_id IS NULL AS erased, state FROM notifications WHERE id = ANY ($1)`,
      [[over, replayable, unbounded, recent]],
    );
    const of = (id: string) => rows.find((row) => row.id === id);
    for (const id of [over, unbounded]) expect(of(id)).toEqual({ id, erased: true, state: 'abandoned' });
    for (const id of [replayable, recent]) expect(of(id)).toEqual({ id, erased: false, state: 'abandoned' });
  });

  it('makes missing partitions, also twice at once', async () => {
    const partitions = `pg_inherits WHERE inhparent = 'events'::regclass`;
    // another month may have begun since the template was migrated
    await pool.query('SELECT ensure_event_partitions()');
    const before = await count(partitions);
    expect(before).toBeGreaterThanOrEqual(5);
    await pool.query(`
      DO $$ BEGIN
        EXECUTE 'DROP TABLE events_' || to_char((now() AT TIME ZONE 'UTC') + interval '2 months', 'YYYY_MM');
      END $$`);
    // as the role that API and workers have, which owns no table
    const service = new pg.Pool({ connectionString: database.serviceUrl, max: 2 });
    const maintenance = new PgMaintenanceStore(new Sql(service));
    expect(await count(partitions)).toBe(before - 1);
    await Promise.all([maintenance.ensureEventPartitions(), maintenance.ensureEventPartitions()]);
    await service.end();
    expect(await count(partitions)).toBe(before);
  });

  it('remembers the last heartbeat of each queue', async () => {
    const settings = { url: database.url, poolSize: 1, statementTimeoutMs: 0, applicationName: 'upkeep' };
    const dataSource = await createDataSource(settings).initialize();
    const maintenance = new PgMaintenanceStore(new Sql(dataSource));
    await stopTimeForTest(pool);
    expect(await maintenance.listHeartbeats()).toEqual([]);
    await maintenance.recordHeartbeat('keys', 'host:1');
    await maintenance.recordHeartbeat('keys', 'host:2');
    await pool.query(`UPDATE test_clock SET shift = '7 s'`);
    const [keys, ...others] = await maintenance.listHeartbeats();
    expect(others).toEqual([]);
    expect(keys).toMatchObject({ queue: 'keys', worker: 'host:2' });
    expect(keys?.ageMs).toBe(7_000);
    await dataSource.destroy();
  });

  it('appends events in the given order, with one statement', async () => {
    const events = new PgEventsStore(sql, new LaggingReads(sql));
    const event = { orgId: 'o', aggregateType: 'user', aggregateId: 'u', actorId: null } as const;
    await sql.transaction((tx) =>
      events.append(
        tx,
        { ...event, sequence: '9007199254740993', type: 'user.human.changed', fields: ['email', 'phone'] },
        {
          ...event,
          sequence: 2,
          type: 'user.deactivated',
          actorId: 'admin',
          data: { reason: 'left', count: 3 },
        },
      ),
    );
    await sql.transaction((tx) => events.append(tx));
    const { rows } = await pool.query(
      'SELECT sequence, type, fields, data, actor_id FROM events ORDER BY tx, position',
    );
    expect(rows).toEqual([
      {
        sequence: '9007199254740993',
        type: 'user.human.changed',
        fields: ['email', 'phone'],
        data: {},
        actor_id: null,
      },
      {
        sequence: '2',
        type: 'user.deactivated',
        fields: [],
        data: { reason: 'left', count: 3 },
        actor_id: 'admin',
      },
    ]);
  });

  it('gives up an upload whose receiver died, and tells of it as of any import that failed', async () => {
    await pool.query(`
      INSERT INTO imports (id, org_id, created_by, state, expires_at, format, mode, notify, sequence, reading_until)
        SELECT id, '${seed.orgId}', 'creator', 'reading', now() + interval '1 d', 'json', 'insert', 'none', 4, now() + lease::interval
        FROM (VALUES ('dead', '-1 s'), ('alive', '40 s')) AS j (id, lease)`);
    const maintenance = new PgMaintenanceStore(sql);
    expect(await maintenance.removeExpired(3, RETENTION)).toMatchObject({ import_uploads: 1 });
    const { rows } = await pool.query(
      `SELECT aggregate_id, sequence, type, actor_id, data FROM events WHERE aggregate_type = 'import'`,
    );
    expect(rows).toEqual([
      {
        aggregate_id: 'dead',
        sequence: '5',
        type: 'import.failed',
        actor_id: 'creator',
        data: { reason: 'source_incomplete' },
      },
    ]);
  });
});
