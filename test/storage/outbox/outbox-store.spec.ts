import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EnqueuedWork, JobLane, OutboxJob } from '../../../src/domain/outbox/outbox.store.js';
import { PgOutboxStore } from '../../../src/storage/postgres/outbox/outbox.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { stopTime } from '../../support/stopped-time.js';

describe('the outbox in Postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let sql: Sql;
  let outbox: PgOutboxStore;

  beforeAll(async () => {
    database = await cloneDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 10 });
    pool.on('error', () => undefined);
    await stopTime(pool);
    sql = new Sql(pool);
    outbox = new PgOutboxStore(sql);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  beforeEach(async () => {
    await pool.query('DELETE FROM outbox');
    await pool.query(`UPDATE test_clock SET shift = '0'`);
  });

  async function add(lane: JobLane, count = 1): Promise<string[]> {
    return await sql.transaction(async (tx) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const payload = { notificationId: `${lane}-${index}` };
        ids.push(
          await outbox.add(tx, { queue: 'notifications', jobName: 'send-notification', payload, lane }),
        );
      }
      return ids;
    });
  }

  async function later(interval: string): Promise<void> {
    await pool.query('UPDATE test_clock SET shift = shift + $1::interval', [interval]);
  }

  it('gives rows out oldest first, once, with what was put in', async () => {
    const ids = await add('normal', 3);
    const jobs = await outbox.takePending('notifications', 'normal', 2);
    expect(jobs).toEqual([
      {
        id: ids[0],
        queue: 'notifications',
        jobName: 'send-notification',
        payload: { notificationId: 'normal-0' },
        lane: 'normal',
        epoch: 0,
      },
      expect.objectContaining({ id: ids[1] }),
    ]);
    expect((await outbox.takePending('notifications', 'normal', 9)).map(({ id }) => id)).toEqual([ids[2]]);
    expect(await outbox.takePending('notifications', 'normal', 9)).toEqual([]);
    expect(await outbox.countPublished('notifications', 'normal')).toBe(3);
  });

  it('leaves what is tried again with its job, and of mass mailings a bounded number (S223)', async () => {
    const [urgent = '', bulk = ''] = [...(await add('priority')), ...(await add('bulk'))];
    for (const lane of ['priority', 'bulk'] as const) await outbox.takePending('notifications', lane, 9);
    const again = (id: string): Promise<'held' | 'queued'> =>
      sql.transaction((tx) => outbox.postpone(tx, id, 60_000));
    expect(await again(bulk)).toBe('held');
    // it is nobody's turn: neither counted as on its way nor missed before its time
    expect(await outbox.countPublished('notifications', 'bulk')).toBe(0);
    await later('70 seconds');
    expect(await outbox.takeStale('notifications', 15_000, 9)).toHaveLength(1);
    await later('6 seconds');
    expect(await outbox.takeStale('notifications', 15_000, 9)).toEqual([
      expect.objectContaining({ id: bulk, epoch: 0 }),
    ]);
    await pool.query(
      `INSERT INTO outbox (queue, job_name, payload, lane, state, published_at)
       SELECT 'notifications', 'send-notification', '{}', 'bulk', 'published', app_now() + interval '1 hour'
       FROM generate_series(1, 1000)`,
    );
    expect(await again(bulk)).toBe('queued');
    expect(await again(urgent)).toBe('held');
    await later('61 seconds');
    expect(await outbox.takePending('notifications', 'bulk', 9)).toEqual([
      expect.objectContaining({ id: bulk, epoch: 1 }),
    ]);
  });

  it('adds nothing when the transaction is rolled back', async () => {
    const entry = { queue: 'keys', jobName: 'rotate', payload: {}, lane: 'normal' } as const;
    const failing = sql.transaction(async (tx) => {
      await outbox.add(tx, entry);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await outbox.findDueLanes(['keys'])).toEqual([]);
  });

  it('names lanes with due rows, the urgent ones first', async () => {
    await add('bulk');
    await add('priority');
    expect(await outbox.findDueLanes(['imports', 'notifications'])).toEqual([
      { queue: 'notifications', lane: 'priority' },
      { queue: 'notifications', lane: 'bulk' },
    ]);
    expect(await outbox.findDueLanes(['imports'])).toEqual([]);
  });

  it('shares rows among relays that take at once, each row to one of them', async () => {
    await add('bulk', 400);
    const takers = Array.from({ length: 8 }, () => outbox.takePending('notifications', 'bulk', 50));
    const taken = (await Promise.all(takers)).flat().map(({ id }) => id);
    expect(new Set(taken).size).toBe(taken.length);
    let rest: readonly OutboxJob[];
    do {
      rest = await outbox.takePending('notifications', 'bulk', 50);
      taken.push(...rest.map(({ id }) => id));
    } while (rest.length > 0);
    expect(taken).toHaveLength(400);
  });

  it('shows published rows for a check once per interval', async () => {
    await add('normal', 2);
    await outbox.takePending('notifications', 'normal', 9);
    expect(await outbox.takeStale('notifications', 15_000, 9)).toHaveLength(0);
    await later('16 s');
    expect(await outbox.takeStale('notifications', 15_000, 9)).toHaveLength(2);
    expect(await outbox.takeStale('notifications', 15_000, 9)).toHaveLength(0);
  });

  it('puts rows back under the next epoch, once', async () => {
    await add('normal');
    const jobs = await outbox.takePending('notifications', 'normal', 9);
    const twice = await Promise.all([
      outbox.returnToPending(jobs, 'now'),
      outbox.returnToPending(jobs, 'now'),
    ]);
    expect(twice.toSorted((a, b) => a - b)).toEqual([0, 1]);
    const [again] = await outbox.takePending('notifications', 'normal', 9);
    expect(again).toMatchObject({ id: jobs[0]?.id, epoch: 1 });
  });

  it('lets rows wait longer each time that ended without their work', async () => {
    await add('normal');
    for (const wait of [5, 10, 20]) {
      const jobs = await outbox.takePending('notifications', 'normal', 9);
      expect(jobs).toHaveLength(1);
      await outbox.returnToPending(jobs, 'backed-off');
      await later(`${wait - 1} s`);
      expect(await outbox.findDueLanes(['notifications'])).toEqual([]);
      await later('2 s');
    }
  });

  it('deletes a row with the transaction that did the work, or not at all', async () => {
    const [id = ''] = await add('normal');
    await expect(
      sql.transaction(async (tx) => {
        await outbox.finish(tx, id);
        throw new Error('after all not');
      }),
    ).rejects.toThrow();
    expect(await outbox.findDueLanes(['notifications'])).toHaveLength(1);
    await sql.transaction((tx) => outbox.finish(tx, id));
    expect(await outbox.findDueLanes(['notifications'])).toHaveLength(0);
  });

  it('takes and discards a row only when it is exactly the work in question (S415)', async () => {
    const [id = ''] = await add('normal');
    const own = {
      outboxId: id,
      queue: 'notifications',
      jobName: 'send-notification',
      payload: { notificationId: 'normal-0' },
    } as const;
    const others: readonly EnqueuedWork[] = [
      { ...own, payload: { notificationId: 'another' } },
      { ...own, payload: {} },
      { ...own, queue: 'imports' },
      { ...own, jobName: 'deliver-logout' },
    ];
    for (const other of others) {
      await outbox.discard(other);
      expect(await sql.transaction((tx) => outbox.take(tx, other))).toBe(false);
    }
    expect(await outbox.findDueLanes(['notifications'])).toHaveLength(1);
    await outbox.discard(own);
    expect(await outbox.findDueLanes(['notifications'])).toHaveLength(0);
  });

  it('tells what waits, and for how long', async () => {
    await add('normal', 3);
    await outbox.takePending('notifications', 'normal', 1);
    await later('90 s');
    const [imports, notifications] = await outbox.backlog(['imports', 'notifications']);
    const none = { oldestPendingSeconds: 0, oldestBulkSeconds: 0 };
    expect(imports).toEqual({ queue: 'imports', pending: 0, published: 0, ...none });
    expect(notifications).toMatchObject({ pending: 2, published: 1 });
    expect(notifications?.oldestPendingSeconds).toBeGreaterThanOrEqual(90);
    expect(notifications?.oldestBulkSeconds).toBe(0);
  });

  it('tells how long messages wait that nobody waits for, apart from the others', async () => {
    await add('bulk', 2);
    await later('90 s');
    await add('priority');
    const [notifications] = await outbox.backlog(['notifications']);
    expect(notifications?.oldestBulkSeconds).toBeGreaterThanOrEqual(90);
    expect(notifications?.oldestPendingSeconds).toBeLessThan(90);
  });

  it('tells listeners of new rows', async () => {
    const listener = await pool.connect();
    const told = new Promise((resolve) => listener.once('notification', resolve));
    await listener.query('LISTEN outbox');
    await add('normal');
    expect(await told).toMatchObject({ channel: 'outbox' });
    listener.release(true);
  });
});
