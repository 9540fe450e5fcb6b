import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Walk, WalkedKind } from '../../../src/domain/maintenance/maintenance.store.js';
import { PgMaintenanceStore } from '../../../src/storage/postgres/maintenance/maintenance.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { Seed } from '../../workers/support/seed.js';

const DAY = 86_400;

let database: TestDatabase;
let pool: pg.Pool;
let maintenance: PgMaintenanceStore;
let orgId: string;

beforeEach(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  maintenance = new PgMaintenanceStore(new Sql(pool));
  orgId = (await Seed.plant(pool)).orgId;
  await pool.query(`
    INSERT INTO user_agents (id, secret_hash) SELECT 'b' || n, int8send(n) FROM generate_series(0, 9) AS n;
    INSERT INTO users (id, org_id, kind, user_name) SELECT 'u' || n, '${orgId}', 'human', 'u' || n
      FROM generate_series(0, 999) AS n;
    INSERT INTO projects (id, org_id, name) VALUES ('p', '${orgId}', 'P');
    INSERT INTO applications (id, org_id, project_id, name, kind, auth_method)
      SELECT id, '${orgId}', 'p', id, 'oidc', 'none' FROM (VALUES ('a'), ('b')) AS a (id);
  `);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

interface Made {
  readonly user?: string;
  readonly used?: string;
  readonly ended?: boolean;
}

async function session(
  id: string,
  { user = 'u0', used = '45 days', ended = false }: Made = {},
): Promise<void> {
  await pool.query(
    `INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch, created_at, last_used_at,
                           ended_at, end_reason)
     SELECT $1, $2, $3, 'b0', now() - $4::interval, '{pwd}', 0, now() - interval '60 days', now() - $4::interval,
            CASE WHEN $5 THEN now() END, CASE WHEN $5 THEN 'signed out' END`,
    [id, orgId, user, used, ended],
  );
}

async function grant(
  id: string,
  more: { age?: string; session?: string; application?: string; lineage?: object; revoked?: boolean } = {},
): Promise<void> {
  await pool.query(
    `INSERT INTO authorizations (id, org_id, user_id, application_id, session_id, scopes, audience, auth_time, amr, subject_epoch,
                         created_at, lineage, revoked_at, revoke_reason)
     SELECT $1, $2, 'u0', $3, $4, '{}', '{}', now(), '{}', 0, now() - $5::interval, $6::jsonb,
            CASE WHEN $7 THEN now() END, CASE WHEN $7 THEN 'r' END`,
    [
      id,
      orgId,
      more.application ?? 'a',
      more.session ?? null,
      more.age ?? '32 days',
      more.lineage === undefined ? null : JSON.stringify(more.lineage),
      more.revoked ?? false,
    ],
  );
}

const family = async (grantId: string) =>
  await pool.query(
    `INSERT INTO refresh_token_families (authorization_id, absolute_expires_at) VALUES ($1, now() - interval '1 day')`,
    [grantId],
  );

const walk = (kind: WalkedKind, limit = 100): Walk => ({
  kind,
  limit,
  unusedSeconds: 31 * DAY,
  idleSeconds: 3 * DAY,
  absoluteSeconds: 10 * DAY,
});

async function left(table: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`);
  return rows.map(({ id }) => id);
}

describe('sessions that lapsed', () => {
  it('go when that makes no difference to any token, and stay otherwise', async () => {
    await session('lapsed');
    await session('lapsed lately', { user: 'u1', used: '33 days' });
    await session('in use', { user: 'u2', used: '1 hour' });
    await session('ended lately', { user: 'u3', ended: true });
    await session('refreshed', { user: 'u4' });
    await grant('refreshing', { session: 'refreshed' });
    await family('refreshing');
    await session('exchanged', { user: 'u5' });
    await grant('exchange', { lineage: { sessions: ['exchanged'] } });
    await session('exchanged and ended', { user: 'u6' });
    await grant('ended exchange', { lineage: { sessions: ['exchanged and ended'] }, revoked: true });
    expect(await maintenance.removeUnused(walk('sessions'))).toEqual({ looked: 6, removed: 2 });
    expect(await left('sessions')).toEqual([
      'ended lately',
      'exchanged',
      'in use',
      'lapsed lately',
      'refreshed',
    ]);
  });

  it('count as lapsed from the password on as well, however much they were used', async () => {
    await session('old password');
    await pool.query(`UPDATE sessions SET last_used_at = now() - interval '33 days'`);
    await session('both', { user: 'u1', used: '33 days' });
    expect(await maintenance.removeUnused(walk('sessions'))).toMatchObject({ removed: 1 });
    expect(await left('sessions')).toEqual(['both']);
  });
});

describe('grants that nothing can come of', () => {
  it('go, and stay for whatever may still ask for them', async () => {
    await session('living', { used: '1 hour' });
    await session('over', { user: 'u1', ended: true });
    await grant('plain');
    await grant('young', { age: '30 days' });
    await grant('revoked', { revoked: true });
    await grant('renewable');
    await family('renewable');
    await grant('of the living', { session: 'living', age: '40 days' });
    await grant('its newer', { session: 'living', age: '39 days' });
    await grant('of another application', { session: 'living', application: 'b', age: '41 days' });
    await grant('of one that is over', { session: 'over' });
    await grant('exchanged');
    await grant('exchange', { age: '1 day', lineage: { grants: ['exchanged'], sessions: [] } });
    expect(await maintenance.removeUnused(walk('grants'))).toMatchObject({ removed: 4 });
    expect(await left('authorizations')).toEqual([
      'exchange',
      'exchanged',
      'its newer',
      'of another application',
      'renewable',
      'young',
    ]);
    await pool.query(
      `UPDATE authorizations SET revoked_at = now(), revoke_reason = 'r' WHERE id = 'exchange'`,
    );
    expect(await maintenance.removeUnused(walk('grants'))).toMatchObject({ removed: 1 });
    expect(await left('authorizations')).not.toContain('exchanged');
  });
});

describe('a walk', () => {
  beforeEach(async () => {
    // every other one is in use
    await pool.query(
      `INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch, created_at, last_used_at)
       SELECT 's' || n, $1, 'u' || n, 'b0', used, '{pwd}', 0, now() - interval '60 days' + n * interval '1 s', used
       FROM (SELECT n, now() - CASE n % 2 WHEN 0 THEN interval '45 days' ELSE interval '1 h' END AS used
             FROM generate_series(0, 99) AS n) AS made`,
      [orgId],
    );
  });

  it('goes on where it stopped, never looks at more than it may, and begins anew after the last', async () => {
    const pages = [];
    for (let page = 0; page < 5; page += 1) pages.push(await maintenance.removeUnused(walk('sessions', 30)));
    expect(pages).toEqual([
      { looked: 30, removed: 15 },
      { looked: 30, removed: 15 },
      { looked: 30, removed: 15 },
      { looked: 10, removed: 5 },
      { looked: 30, removed: 0 },
    ]);
  });

  it('is shared by two at once without waiting for a request, and nothing is missed', async () => {
    const request = await pool.connect();
    await request.query(`BEGIN; SELECT FROM sessions WHERE id = 's2' FOR UPDATE`);
    const other = new PgMaintenanceStore(new Sql(pool));
    for (let page = 0; page < 6; page += 1) {
      await Promise.all([
        maintenance.removeUnused(walk('sessions', 30)),
        other.removeUnused(walk('sessions', 30)),
      ]);
    }
    expect(await left('sessions')).toHaveLength(51);
    await request.query('ROLLBACK');
    request.release();
    for (let page = 0; page < 3; page += 1) await maintenance.removeUnused(walk('sessions', 30));
    expect(await left('sessions')).toHaveLength(50);
  });

  it('whose worker was cut off in the middle has done nothing, and the next does it', async () => {
    const blocker = await pool.connect();
    // the place is kept by the same statement: it waits here with its rows deleted
    await maintenance.removeUnused(walk('sessions', 1));
    await blocker.query(`BEGIN; SELECT FROM upkeep_walks FOR UPDATE`);
    const cut = maintenance.removeUnused(walk('sessions', 200)).catch((error: unknown) => error);
    const waiting = await vi.waitUntil(async () => {
      const { rows } = await pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0];
    }, 60_000);
    // until the process has ended: it answers before it lets go of its rows, and the next walk skips what is locked
    const { rows } = await pool.query('SELECT pg_terminate_backend($1, 10000) AS ended', [waiting.pid]);
    expect(rows).toEqual([{ ended: true }]);
    expect(await cut).toBeInstanceOf(Error);
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(await left('sessions')).toHaveLength(99);
    expect(await maintenance.removeUnused(walk('sessions', 200))).toEqual({ looked: 99, removed: 49 });
  });
});
