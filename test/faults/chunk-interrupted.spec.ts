import { describe, expect, it } from 'vitest';
import { eventually } from '../workers/support/eventually.js';
import { expectInvariants } from './support/invariants.js';
import { people } from './support/people.js';
import { Site, SLOW, startOwnPostgres } from './support/site.js';

describe('a chunk is interrupted', () => {
  it('F09: the sessions of the workers are ended in the middle of their transactions', async () => {
    const site = await (await Site.build()).open();
    try {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(3_000));
      await site.untilProgress(job.id, 200);
      // nobody gets to the end of a chunk, so both workers stand inside of a transaction
      const client = await site.pool.connect();
      await client.query('BEGIN');
      await client.query('LOCK TABLE import_chunks IN SHARE MODE');
      await eventually('chunks held up', 20_000, async () => {
        return (await site.count('pg_stat_activity', `wait_event_type = 'Lock' AND datname = current_database()`)) > 0;
      });
      const { rows } = await client.query<{ ended: number }>(
        `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rows[0]?.ended).toBeGreaterThan(0);
      await client.query('ROLLBACK');
      client.release();
      await site.untilMoving(job.id);
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(3_000);
      await expectInvariants(site);
    } finally {
      await site.tearDown();
    }
  });

  it('F09: Postgres is restarted in the middle of an import', async () => {
    const postgres = await startOwnPostgres();
    const site = await (await Site.buildOn(postgres)).open();
    try {
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
      await expectInvariants(site);
    } finally {
      await site.tearDown();
      await postgres.stop();
    }
  });
});
