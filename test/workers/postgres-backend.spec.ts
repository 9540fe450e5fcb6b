import { createPostgresBackend, Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPORT_PROGRESS } from '../../src/queues/job-contract.js';
import { BULL_QUEUE_NAMES } from '../../src/queues/job-queues.js';
import { QUEUE_SCHEMA } from '../../src/queues/queue-connection.js';
import { addQueueTables } from '../support/databases.js';
import { redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Imports } from './support/imports.js';
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
    await worker.untilOps('/healthz', 200);
    await worker.untilOps('/readyz', 200);
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

describe('an import on the queues in Postgres', () => {
  it('is shown by one job of its own, with the share that is done, to its end', async () => {
    const imports = await Imports.build(redisUrl());
    await addQueueTables(imports.api.database);
    const connection = {
      connectionString: imports.api.database.url,
      options: `-c search_path=${QUEUE_SCHEMA}`,
    };
    const { prefix } = imports.api.config.queues;
    const queue = new Queue(IMPORT_PROGRESS, { connection, prefix }, createPostgresBackend);
    try {
      const job = await imports.halfWay();
      await imports.startWorker({ QUEUE_BACKEND: 'postgres' });
      const id = `import-${job.id}`;
      const shown = async () => ({
        state: await queue.getJobState(id),
        progress: (await queue.getJob(id))?.progress,
      });
      await expect.poll(shown, { interval: 100 }).toMatchObject({
        state: 'active',
        progress: { state: 'running', progress: 50, done: 20, total: 40 },
      });
      await imports.goOn();
      await expect
        .poll(shown, { interval: 100 })
        .toMatchObject({ state: 'completed', progress: { state: 'done', progress: 100 } });
    } finally {
      await queue.close();
      await imports.tearDown();
    }
  });
});
