import { describe, expect, it } from 'vitest';
import { eventually } from '../workers/support/eventually.js';
import { expectInvariants } from './support/invariants.js';
import { people } from './support/people.js';
import { onSite, SLOW, startOwnPostgres } from './support/site.js';

describe('a chunk is interrupted', () => {
  it('F09: the sessions of the workers are ended in the middle of their transactions', async () => {
    await onSite(async (site) => {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(3_000));
      await site.untilProgress(job.id, 200);
      // no chunk can be ended, so both workers come to stand inside of a transaction
      const client = await site.pool.connect();
      await client.query('BEGIN');
      await client.query('LOCK TABLE import_chunks IN SHARE MODE');
      const held = `wait_event_type = 'Lock' AND datname = current_database()`;
      await eventually('sessions held up', 20_000, async () => {
        return (await site.count('pg_stat_activity', held)) > 0;
      });
      const { rows } = await client.query<{ ended: number }>(
        `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity WHERE ${held}`,
      );
      expect(rows[0]?.ended).toBeGreaterThan(0);
      await client.query('ROLLBACK');
      client.release();
      await site.untilMoving(job.id);
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(3_000);
      await expectInvariants(site);
    });
  });

  it('F09: Postgres is killed and started again in the middle of an import', async () => {
    const postgres = await startOwnPostgres();
    try {
      await onSite(
        async (site) => {
          await site.startWorkers(2, SLOW);
          const job = await site.upload(people(2_000));
          await site.untilProgress(job.id, 200);
          await site.load.excuse(async () => {
            await postgres.kill();
            await postgres.restart();
            await site.untilMoving(job.id);
          });
          expect(await site.untilEnded(job.id)).toBe('done');
          expect(await site.people()).toBe(2_000);
          await expectInvariants(site, { mails: 'twice' });
        },
        { postgres },
      );
    } finally {
      await postgres.stop();
    }
  });

  it('F10: Postgres comes back without its last commits, as a replica that lagged behind', async () => {
    const postgres = await startOwnPostgres();
    try {
      await onSite(
        async (site) => {
          // what was committed and not yet written down is lost when the server is killed
          await site.pool.query(`ALTER SYSTEM SET wal_writer_delay = '10s'`);
          await site.pool.query('SELECT pg_reload_conf()');
          await site.startWorkers(2, SLOW);
          const job = await site.upload(people(3_000));
          await site.pool.query('CHECKPOINT');
          await site.untilProgress(job.id, 300);
          await site.load.excuse(async () => {
            const before = await site.progress(job.id);
            await postgres.kill();
            await postgres.restart();
            // told for the report: how much the scenario really lost
            console.info(`lost ${before - (await site.progress(job.id))} of ${before} records`);
            await site.untilMoving(job.id);
          });
          expect(await site.untilEnded(job.id)).toBe('done');
          expect(await site.people()).toBe(3_000);
          // a mail that had left before its row was lost leaves again: the one double that cannot be helped
          await expectInvariants(site, { mails: 'forgotten' });
        },
        { postgres },
      );
    } finally {
      await postgres.stop();
    }
  });

  it('F15: a worker is told to stop: it ends its chunk, exits 0 in time, and another goes on', async () => {
    await onSite(async (site) => {
      const [leaving] = await site.startWorkers(2, SLOW);
      const job = await site.upload(people(3_000));
      await site.untilProgress(job.id, 300);
      const told = performance.now();
      leaving?.signal('SIGTERM');
      expect(await leaving?.exited).toEqual({ code: 0, signal: null });
      expect(performance.now() - told).toBeLessThan(30_000);
      await site.untilMoving(job.id);
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(3_000);
      // what it had begun it also ended: nobody had to begin it again
      expect(await site.count('import_chunks', 'attempts > 1')).toBe(0);
      await expectInvariants(site);
    });
  });

  it.each([
    ['F16: its event loop stands still', 'SIGUSR2', undefined],
    ['F17: it is stopped and continued', 'SIGSTOP', 'SIGCONT'],
  ] as const)(
    '%s for 45 s: another takes over, and what the first writes late is refused',
    async (...row) => {
      const [, begin, end] = row;
      await onSite(async (site) => {
        const hook = new URL('support/stand-still.mjs', import.meta.url).href;
        const frozen = await site.startWorker({
          ...SLOW,
          NODE_OPTIONS: `--import=${hook}`,
          STAND_STILL_MS: '45000',
        });
        const job = await site.upload(people(1_500));
        await site.untilProgress(job.id, 100);
        await eventually('a chunk at work', 10_000, async () => {
          return (await site.count('import_chunks', `state = 'running'`)) > 0;
        });
        frozen.signal(begin);
        const since = performance.now();
        await site.startWorker(SLOW);
        expect(await site.untilEnded(job.id, 180_000)).toBe('done');
        expect(await site.people()).toBe(1_500);
        await eventually('the first to move again', 60_000, () => performance.now() - since > 45_000);
        if (end !== undefined) frozen.signal(end);
        await eventually('the first to be healthy', 30_000, async () => {
          return (await frozen.ops('/healthz')).status === 200;
        });
        expect(await site.people()).toBe(1_500);
        await expectInvariants(site);
      });
    },
  );

  it('F31: a record crashes every worker that reads it: only that record fails, the others are imported', async () => {
    await onSite(async (site) => {
      const lethal = { ...SLOW, CRASH_AT: 'import-at-line-103' };
      const supervisor = site.supervise(2, lethal);
      const job = await site.upload(people(104));
      expect(await site.untilEnded(job.id, 330_000)).toBe('done');
      await supervisor.stop();
      expect((await site.job(job.id)).counts).toMatchObject({ total: 104, created: 103, failed: 1 });
      const { body } = await site.call('GET', `imports/${job.id}/results?outcome=failed`);
      expect(JSON.parse(body)).toMatchObject({ line: 103, code: 'quarantined' });
      await site.startWorker();
      await expectInvariants(site);
    });
  });
});
