import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BULL_QUEUE_NAMES } from '../../src/queues/job-queues.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';
import type { WorkerProcess } from './support/worker-process.js';

describe('the pipeline without any Redis, on the queues in Postgres', () => {
  let pipeline: Pipeline;
  let worker: WorkerProcess;

  beforeAll(async () => {
    // nothing listens there, and nothing may ask
    pipeline = await Pipeline.build('redis://127.0.0.1:1');
    await pipeline.addQueueTables();
    worker = await pipeline.startWorker({ QUEUE_BACKEND: 'postgres' });
  });

  afterAll(async () => {
    await pipeline.tearDown();
  });

  it('sends mails once, retries, and is alive', async () => {
    let refusals = 0;
    pipeline.sink.atRecipient = () => {
      refusals += 1;
      return refusals <= 2 ? '451' : 'accept';
    };
    const mails = await Promise.all(Array.from({ length: 10 }, () => pipeline.seed.queueMail()));
    await eventually('every mail', 20_000, () =>
      mails.every((mail) => pipeline.sink.to(mail.to).length === 1),
    );
    await eventually('nothing queued', 20_000, async () => (await pipeline.seed.count('outbox')) === 0);
    await eventually('heartbeats', 20_000, async () => {
      const { rows } = await pipeline.pool.query('SELECT FROM heartbeats');
      return rows.length === BULL_QUEUE_NAMES.length;
    });
    expect(pipeline.sink.received).toHaveLength(mails.length);
    expect((await worker.ops('/healthz')).status).toBe(200);
    expect((await worker.ops('/readyz')).status).toBe(200);
  });

  it('takes few connections', async () => {
    const { rows } = await pipeline.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    expect(rows[0]?.count).toBeLessThan(25);
  });

  it('stops as quickly', async () => {
    worker.signal('SIGTERM');
    expect(await worker.exited).toEqual({ code: 0, signal: null });
  });
});
