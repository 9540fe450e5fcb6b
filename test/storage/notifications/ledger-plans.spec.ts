// SQL by hand: an organization with as many messages as an index is needed for, and the plans of searches in them
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import type { DeliveryFilter } from '../../../src/domain/notifications/notifications.store.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { LaggingReads } from '../../../src/storage/postgres/lagging-reads.js';
import { conditionsOf } from '../../../src/storage/postgres/notifications/delivery-statements.js';
import { PgNotificationsStore } from '../../../src/storage/postgres/notifications/notifications.store.js';
import { PgSealer } from '../../../src/storage/postgres/secrets/sealer.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

const MANY = 60_000;

describe('a search of the ledger', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let dataSource: DataSource;
  let store: PgNotificationsStore;
  let orgId: OrgId;

  beforeAll(async () => {
    database = await cloneDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
    pool.on('error', () => undefined);
    const { rows } = await pool.query<{ id: OrgId }>(
      `INSERT INTO organizations (name) VALUES ('Many') RETURNING id`,
    );
    orgId = rows[0]?.id ?? ('' as OrgId);
    await pool.query(
      `WITH person AS (
         INSERT INTO users (org_id, kind, state, user_name) SELECT $1, 'human', 'active', 'u' || n FROM generate_series(1, $2::int / 3) n
         RETURNING id, org_id, user_name)
       INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email, phone)
       SELECT org_id, id, 'f', 'l', user_name, user_name || '@Post.example', '+4179' || substr(user_name, 2) FROM person`,
      [orgId, MANY],
    );
    await pool.query(
      `INSERT INTO notifications (org_id, user_id, channel, template, state, finished_at, created_at)
       SELECT u.org_id, u.id, 'email', 'password_changed', 'sent', now(), '2026-01-01Z'::timestamptz + (substr(u.user_name, 2)::int * 3 + n) * interval '1 minute'
       FROM users u, generate_series(0, 2) n WHERE u.org_id = $1`,
      [orgId],
    );
    await pool.query('VACUUM ANALYZE notifications, user_humans, registrations');
    const settings = { url: database.url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'ledger' };
    dataSource = await createDataSource(settings).initialize();
    const sql = new Sql(dataSource);
    store = new PgNotificationsStore(
      sql,
      new LaggingReads(sql),
      await PgSealer.open(sql, readConfig({}).masterKeys),
    );
  });

  afterAll(async () => {
    await dataSource.destroy();
    await pool.end();
    await database.drop();
  });

  /** Rows of messages that were read, whether they were wanted or not. */
  async function readBy(filter: DeliveryFilter): Promise<number> {
    const { where, values } = conditionsOf(filter);
    const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>({
      text: `EXPLAIN (ANALYZE, TIMING off, FORMAT json)
        SELECT n.id FROM notifications n WHERE ${where} ORDER BY n.created_at DESC, n.id DESC LIMIT 51`,
      values,
    });
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (plan === undefined) throw new Error('no plan');
    return messagesRead(plan);
  }

  it('by address or number reads the messages of whoever has it, and no others', async () => {
    for (const recipient of ['U777@post.example', '+4179777']) {
      const found = await store.search({ orgId, recipient }, { ascending: false, offset: 0, limit: 10 });
      expect(found.total).toBe(3);
      expect(await readBy({ orgId, recipient })).toBeLessThan(10);
    }
  });

  it('by time reads what lies between, and no others', async () => {
    const span = {
      createdFrom: new Date('2026-01-10T00:00:00Z'),
      createdBefore: new Date('2026-01-10T00:30:00Z'),
    };
    const found = await store.search({ orgId, ...span }, { ascending: false, offset: 0, limit: 100 });
    expect(found.items).toHaveLength(30);
    expect(await readBy({ orgId, ...span })).toBeLessThan(40);
  });
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

function messagesRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own =
    node['Relation Name'] === 'notifications'
      ? ((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 1)
      : 0;
  return own + (node.Plans ?? []).reduce((sum, inner) => sum + messagesRead(inner), 0);
}
