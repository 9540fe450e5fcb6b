import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { eventually } from '../workers/support/eventually.js';
import { expectInvariants } from './support/invariants.js';
import { ndjson, people } from './support/people.js';
import { onSite, SLOW, startOwnPostgres, type Site } from './support/site.js';

async function onOwnPostgres(scenario: (site: Site) => Promise<void>): Promise<void> {
  const postgres = await startOwnPostgres();
  try {
    await onSite(scenario, { postgres });
  } finally {
    await postgres.stop();
  }
}

describe('Postgres is short of something', () => {
  it('F11: a noisy client takes every connection: people sign in, the import waits and goes on', async () => {
    await onOwnPostgres(async (site) => {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(2_000));
      await site.untilProgress(job.id, 300);
      const hogs: pg.Client[] = [];
      for (let full = false; !full;) {
        const hog = new pg.Client({ connectionString: site.databaseUrl });
        hog.on('error', () => undefined);
        full = await hog.connect().then(
          () => hogs.push(hog) > 1_000,
          () => true,
        );
      }
      await sleep(10_000);
      await Promise.all(hogs.map((hog) => hog.end()));
      await site.untilMoving(job.id);
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(2_000);
      await expectInvariants(site);
    });
  });

  it('F12: somebody holds an ACCESS EXCLUSIVE lock for longer than a statement may take', async () => {
    await onSite(async (site) => {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(2_000));
      await site.untilProgress(job.id, 300);
      const client = await site.pool.connect();
      await site.load.excuse(async () => {
        await client.query('BEGIN');
        await client.query('LOCK TABLE user_humans IN ACCESS EXCLUSIVE MODE');
        await sleep(40_000);
        const queue = site.queue('imports');
        // what waits are the few that were at work, not a heap
        expect(await queue.getActiveCount()).toBeLessThanOrEqual(4);
        await client.query('ROLLBACK');
        client.release();
        await site.untilMoving(job.id, 60_000);
      });
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(2_000);
      await expectInvariants(site);
    });
  });

  it('F13: it takes no writes: an upload is a 503, introspection answers, all goes on by itself', async () => {
    await onOwnPostgres(async (site) => {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(2_000));
      await site.untilProgress(job.id, 300);
      await site.load.excuse(async () => {
        await site.pool.query('ALTER SYSTEM SET default_transaction_read_only = on');
        await site.pool.query('SELECT pg_reload_conf()');
        await eventually('writes to be refused', 10_000, async () => {
          return (await site.post(ndjson(people(1)))).status === 503;
        });
        await site.load.introspect();
        await sleep(5_000);
        expect((await site.post(ndjson(people(1)))).status).toBe(503);
        const client = await site.pool.connect();
        await client.query('SET default_transaction_read_only = off');
        await client.query('ALTER SYSTEM RESET default_transaction_read_only');
        await client.query('SELECT pg_reload_conf()');
        client.release(true);
        await site.untilMoving(job.id, 60_000);
      });
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(2_000);
      await expectInvariants(site, { mails: 'twice' });
    });
  });
});

function share(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(part * times.length)] ?? 0;
}

function told(times: readonly number[]): string {
  return `${Math.round(share(times, 0.5))}/${Math.round(share(times, 0.95))} ms (${times.length})`;
}

/** Users a second over the first and the last tenth of an import, by when its chunks were committed. */
async function ratesOf(site: Site, id: string): Promise<{ first: number; last: number }> {
  const { rows } = await site.pool.query<{ records: number; began: number; ended: number }>(
    `SELECT records, extract(epoch FROM min(started_at) OVER ())::float8 AS began,
       extract(epoch FROM finished_at)::float8 AS ended
     FROM import_chunks WHERE import_id = $1 ORDER BY finished_at`,
    [id],
  );
  const tenth = Math.ceil(rows.length / 10);
  const rate = (chunks: typeof rows, since = 0): number => {
    const records = chunks.reduce((sum, chunk) => sum + chunk.records, 0);
    return Math.round(records / Math.max(0.001, (chunks.at(-1)?.ended ?? 0) - since));
  };
  return {
    first: rate(rows.slice(0, tenth), rows[0]?.began),
    last: rate(rows.slice(-tenth), rows.at(-tenth - 1)?.ended),
  };
}

describe('many and few', () => {
  it('F42: workers are scaled from 1 to 10 to 0 to 3', async () => {
    await onSite(async (site) => {
      const [first] = await site.startWorkers(1, SLOW);
      const job = await site.upload(people(4_000));
      await site.untilProgress(job.id, 300);
      const ten = [first, ...(await site.startWorkers(9, SLOW))];
      // nine processes start at once, which takes two cores a while
      await site.untilMoving(job.id, 60_000);
      // of each: a pool of 6, two pipelined connections, and up to three that listen
      // one that starts looks at the schema by a connection of its own, which it gives back
      const connections = async (): Promise<number> =>
        await site.count(
          'pg_stat_activity',
          `datname = current_database() AND application_name LIKE 'identity%'`,
        );
      await expect.poll(connections).toBeLessThanOrEqual((ten.length + site.apis.length) * 11);
      for (const worker of ten) worker?.signal('SIGTERM');
      for (const worker of ten) expect(await worker?.exited).toEqual({ code: 0, signal: null });
      const stopped = await site.progress(job.id);
      await site.startWorkers(3, SLOW);
      await eventually('the import to go on', 30_000, async () => {
        return (await site.progress(job.id)) > stopped || (await site.stateOf(job.id)) === 'done';
      });
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(4_000);
      await expectInvariants(site);
    });
  });

  it('F40: plain passwords are hashed at half the rate of one core, while people keep signing in', async () => {
    await onSite(
      async (site) => {
        await site.startWorkers(1, {
          PASSWORD_SLOTS: '1',
          PASSWORD_MEMORY_KIB: '19456',
          PASSWORD_ITERATIONS: '2',
        });
        const { signInTimes } = site.load;
        await eventually('people who sign in', 120_000, () => signInTimes.length > 20);
        const idle = signInTimes.splice(0);
        const job = await site.upload(people(1_000));
        expect(await site.untilEnded(job.id, 300_000)).toBe('done');
        const busy = signInTimes.splice(0);
        const rates = await ratesOf(site, job.id);
        console.info(
          `F40: sign-in p50/p95 idle ${told(idle)}, importing ${told(busy)}; ` +
            `users/s ${rates.first} in the first 10 %, ${rates.last} in the last`,
        );
        expect(busy.length).toBeGreaterThan(10);
        // what a machine shared with others can still be held to
        expect(share(busy, 0.5)).toBeLessThan(10 * share(idle, 0.5));
        expect(rates.last).toBeGreaterThan(rates.first / 4);
        expect(await site.people()).toBe(1_000);
        await expectInvariants(site);
      },
      { api: { PASSWORD_SLOTS: '1' } },
    );
  });
});
