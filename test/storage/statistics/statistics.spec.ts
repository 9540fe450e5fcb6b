import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OrgId } from '../../../src/domain/shared/ids.js';
import type { Count } from '../../../src/domain/statistics/counters.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { PgMaintenanceStore } from '../../../src/storage/postgres/maintenance/maintenance.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import {
  PgStatisticsStore,
  SMS_BY_ORGANIZATION,
} from '../../../src/storage/postgres/statistics/statistics.store.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

const HOUR = new Date('2026-11-26T20:00:00Z');
const NEXT = new Date('2026-11-26T21:00:00Z');

let database: TestDatabase;
let pool: pg.Pool;
let service: DataSource;
let sql: Sql;
let store: PgStatisticsStore;
let one: OrgId;
let other: OrgId;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  // as API and workers sign in
  service = await createDataSource({
    url: database.serviceUrl,
    poolSize: 10,
    statementTimeoutMs: 10_000,
    applicationName: 'statistics',
  }).initialize();
  sql = new Sql(service);
  store = new PgStatisticsStore(sql);
  one = await anOrganization('one');
  other = await anOrganization('other');
});

afterAll(async () => {
  await service.destroy();
  await pool.end();
  await database.drop();
});

beforeEach(async () => {
  await pool.query('DELETE FROM organization_counts; DELETE FROM instance_counts');
});

async function anOrganization(name: string): Promise<OrgId> {
  const { rows } = await pool.query<{ id: OrgId }>(
    'INSERT INTO organizations (name) VALUES ($1) RETURNING id',
    [name],
  );
  return rows[0]?.id as OrgId;
}

const tokens = (orgId: OrgId | null, count: number, hour = HOUR): Count => ({
  orgId,
  hour,
  counted: 'tokensIssued',
  count,
});

const countsOf = async (orgId: OrgId | undefined, from = HOUR) =>
  (await store.list(orgId, from)).map(
    ({ hour, counted, count }) => `${hour.getUTCHours()} ${counted} ${count}`,
  );

describe('counts', () => {
  it('are added to each organization, and all of them to the instance', async () => {
    await store.add([
      tokens(one, 2),
      tokens(other, 3),
      tokens(null, 1),
      { ...tokens(one, 5), counted: 'newUsers' },
      tokens(one, 7, NEXT),
    ]);
    await store.add([tokens(one, 10)]);
    expect(await countsOf(one)).toEqual(['20 newUsers 5', '20 tokensIssued 12', '21 tokensIssued 7']);
    expect(await countsOf(other)).toEqual(['20 tokensIssued 3']);
    expect(await countsOf(undefined)).toEqual(['20 newUsers 5', '20 tokensIssued 16', '21 tokensIssued 7']);
  });

  it('begin with the hour that is asked for', async () => {
    await store.add([tokens(one, 1), tokens(one, 2, NEXT)]);
    expect(await countsOf(one, new Date('2026-11-26T21:30:00Z'))).toEqual(['21 tokensIssued 2']);
    expect(await countsOf(undefined, NEXT)).toEqual(['21 tokensIssued 2']);
  });

  it('of an organization that is gone, or was never there, count for the instance', async () => {
    const gone = await anOrganization('gone');
    await pool.query(`UPDATE organizations SET state = 'removed' WHERE id = $1`, [gone]);
    await store.add([tokens(gone, 2), tokens('nobody' as OrgId, 3), tokens(one, 1)]);
    expect(await countsOf(gone)).toEqual([]);
    expect(await countsOf(one)).toEqual(['20 tokensIssued 1']);
    expect(await countsOf(undefined)).toEqual(['20 tokensIssued 6']);
  });

  it('of many processes at once are all there, in whatever order each has them', async () => {
    const kinds = ['tokensIssued', 'newUsers', 'messagesSent'] as const;
    await Promise.all(
      Array.from({ length: 8 }, async (_, process) => {
        for (let round = 0; round < 10; round += 1) {
          const counts = [one, other].flatMap((orgId) =>
            kinds.map((counted) => ({ orgId, hour: HOUR, counted, count: 1 })),
          );
          await store.add(process % 2 === 0 ? counts : counts.toReversed());
        }
      }),
    );
    expect(await countsOf(one)).toEqual(['20 messagesSent 80', '20 newUsers 80', '20 tokensIssued 80']);
    expect(await countsOf(undefined)).toEqual([
      '20 messagesSent 160',
      '20 newUsers 160',
      '20 tokensIssued 160',
    ]);
  });

  it('go after 400 days', async () => {
    await store.add([tokens(one, 1), tokens(one, 2, NEXT)]);
    await pool.query(
      `UPDATE test_clock SET shift = '2026-11-26 20:30Z'::timestamptz + interval '400 days' - clock_timestamp()`,
    );
    const retention = { sessionSeconds: 1e9, noticeSeconds: 1e9, importSeconds: 1e9 };
    const removed = await new PgMaintenanceStore(sql).removeExpired(100, retention);
    expect(removed).toMatchObject({ organization_counts: 1, instance_counts: 1 });
    expect(await countsOf(one)).toEqual(['21 tokensIssued 2']);
    expect(await countsOf(undefined)).toEqual(['21 tokensIssued 2']);
  });
});

describe('what waits for a commit', () => {
  it('happens once it is there, and not where it was undone', async () => {
    const seen: string[] = [];
    await sql.transaction(async (tx) => {
      sql.afterCommit(tx, () => seen.push('committed'));
      await sql.rows({ name: 'one', text: 'SELECT 1' }, [], tx);
      expect(seen).toEqual([]);
    });
    const undone = sql.transaction(async (tx) => {
      sql.afterCommit(tx, () => seen.push('undone'));
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(seen).toEqual(['committed']);
  });
});

describe('the organizations with the most SMS', () => {
  it('leave out hours before, and organizations that are removed', async () => {
    const removed = await anOrganization('removed');
    const sms = (orgId: OrgId, counted: 'smsAdmitted' | 'smsCost', count: number, hour = HOUR): Count => ({
      orgId,
      hour,
      counted,
      count,
    });
    await store.add([
      sms(one, 'smsAdmitted', 2),
      sms(one, 'smsCost', 7, NEXT),
      sms(other, 'smsAdmitted', 3, NEXT),
      sms(removed, 'smsCost', 100),
    ]);
    await pool.query(`UPDATE organizations SET state = 'removed' WHERE id = $1`, [removed]);
    const found = async (from: Date, most = 10) =>
      (await store.smsByOrganization(from, most)).map(({ name, smsAdmitted, smsCost }) => [
        name,
        smsAdmitted,
        smsCost,
      ]);
    expect(await found(HOUR)).toEqual([
      ['one', 2, 7],
      ['other', 3, 0],
    ]);
    expect(await found(NEXT)).toEqual([
      ['one', 0, 7],
      ['other', 3, 0],
    ]);
    expect(await found(HOUR, 1)).toEqual([['one', 2, 7]]);
  });

  it('are read by an index, whatever else was counted', async () => {
    await pool.query(
      `INSERT INTO organization_counts (org_id, hour, counted, count)
       SELECT $1, '2026-01-01Z'::timestamptz + n * interval '1 hour', 'tokensIssued', 1 FROM generate_series(1, 20000) n`,
      [one],
    );
    await store.add([{ orgId: other, hour: HOUR, counted: 'smsCost', count: 1 }]);
    await pool.query('ANALYZE organization_counts');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${SMS_BY_ORGANIZATION.text}`, [
      new Date('2026-01-02Z'),
      10,
    ]);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('organization_counts_of_sms');
  });
});
