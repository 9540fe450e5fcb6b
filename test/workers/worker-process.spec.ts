import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { emptyDatabase } from '../support/databases.js';
import { redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';
import { startOwnRedis } from './support/redis-server.js';

/** From SIGTERM to SIGKILL, as docker-compose.yml and the chart have it. The process gives itself less. */
const GRACE_MS = 30_000;

describe.concurrent('the worker process', () => {
  async function onPipeline(url: string, test: (pipeline: Pipeline) => Promise<void>): Promise<void> {
    const pipeline = await Pipeline.build(url);
    try {
      await test(pipeline);
    } finally {
      await pipeline.tearDown();
    }
  }

  it('finishes what runs when it is told to stop, takes nothing new, and exits 0 (F15)', async () => {
    await onPipeline(redisUrl(), async (pipeline) => {
      const worker = await pipeline.startWorker();
      let held = 0;
      pipeline.sink.atData = async () => {
        held += 1;
        await sleep(2_000);
        return 'accept' as const;
      };
      // more than are sent at once, so that some must be left
      const mails = await Promise.all(Array.from({ length: 20 }, () => pipeline.seed.queueMail()));
      await eventually('sends under way', 20_000, () => held > 0);
      const told = performance.now();
      worker.signal('SIGTERM');
      expect(await worker.exited).toEqual({ code: 0, signal: null });
      expect(performance.now() - told).toBeLessThan(GRACE_MS);
      expect(pipeline.sink.received).toHaveLength(held);
      expect(await pipeline.seed.count('notifications', `state = 'sent'`)).toBe(held);
      expect(await pipeline.seed.count('notifications', `state = 'sending'`)).toBe(0);
      pipeline.sink.atData = () => 'accept';
      await pipeline.startWorker();
      await eventually('the rest', 30_000, () => pipeline.sink.received.length >= mails.length);
      await eventually('nothing queued', 20_000, async () => (await pipeline.seed.count('outbox')) === 0);
      expect(pipeline.sink.received).toHaveLength(mails.length);
    });
  });

  it('exits 0 in time although Redis is away and a send is stuck', async () => {
    const redis = await startOwnRedis();
    try {
      await onPipeline(redis.url, async (pipeline) => {
        const worker = await pipeline.startWorker();
        let stuck = false;
        pipeline.sink.atData = async () => {
          stuck = true;
          return await new Promise(() => undefined);
        };
        await pipeline.seed.queueMail();
        await eventually('a stuck send', 20_000, () => stuck);
        await redis.kill();
        const told = performance.now();
        worker.signal('SIGTERM');
        expect(await worker.exited).toEqual({ code: 0, signal: null });
        expect(performance.now() - told).toBeLessThan(GRACE_MS);
      });
    } finally {
      await redis.stop();
    }
  });

  it('survives the loss of all its database sessions in the middle of a send (F09)', async () => {
    await onPipeline(redisUrl(), async (pipeline) => {
      const worker = await pipeline.startWorker();
      let held = 0;
      pipeline.sink.atData = async () => {
        held += 1;
        await sleep(500);
        return 'accept' as const;
      };
      const mails = await Promise.all(Array.from({ length: 5 }, () => pipeline.seed.queueMail()));
      await eventually('sends under way', 20_000, () => held === mails.length);
      await pipeline.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'identity%'`,
      );
      await eventually('nothing queued', 15_000, async () => (await pipeline.seed.count('outbox')) === 0);
      expect(pipeline.sink.received).toHaveLength(mails.length);
      const next = await pipeline.seed.queueMail();
      await eventually('the next mail', 10_000, () => pipeline.sink.to(next.to).length === 1);
      expect(worker.running).toBe(true);
    });
  });

  it('does not start on a database without the schema it needs', async () => {
    const database = await emptyDatabase();
    await onPipeline(redisUrl(), async (pipeline) => {
      const worker = pipeline.spawnWorker({ DATABASE_URL: database.url });
      expect(await worker.exited).toEqual({ code: 1, signal: null });
      expect(worker.log).toContain('npm run migrate');
      expect(worker.log).not.toContain('worker ready');
    });
    await database.drop();
  });

  it('starts without Redis and works once it is there', async () => {
    const redis = await startOwnRedis();
    await redis.kill();
    try {
      await onPipeline(redis.url, async (pipeline) => {
        const mail = await pipeline.seed.queueMail();
        await pipeline.startWorker();
        await redis.restart();
        await eventually('the mail', 20_000, () => pipeline.sink.to(mail.to).length === 1);
      });
    } finally {
      await redis.stop();
    }
  });

  it('works only the queues it is told to', async () => {
    await onPipeline(redisUrl(), async (pipeline) => {
      await pipeline.startWorker({ WORKER_QUEUES: 'keys,maintenance' });
      const mail = await pipeline.seed.queueMail();
      await eventually('heartbeats', 20_000, async () => {
        const { rows } = await pipeline.pool.query<{ queue: string }>(
          'SELECT queue FROM heartbeats ORDER BY queue',
        );
        return rows.map(({ queue }) => queue).join() === 'keys,maintenance';
      });
      expect((await pipeline.seed.stateOf(mail)).state).toBe('pending');
      expect(await pipeline.seed.count('outbox', `state = 'pending'`)).toBe(1);
    });
  });

  it('lets mails wait while no mail server is configured, and sends them when one is', async () => {
    await onPipeline(redisUrl(), async (pipeline) => {
      const without = await pipeline.startWorker({ SMTP_URL: '' });
      const mail = await pipeline.seed.queueMail();
      await eventually('a warning', 20_000, () => without.log.includes('SMTP_URL'));
      expect(await pipeline.seed.stateOf(mail)).toMatchObject({ state: 'pending', attempts: 0 });
      without.signal('SIGTERM');
      await without.exited;
      await pipeline.startWorker();
      await eventually('the mail', 30_000, () => pipeline.sink.to(mail.to).length === 1);
    });
  });

  it('tells how long the next job of a queue has waited, consumed here or not', async () => {
    await onPipeline(redisUrl(), async (pipeline) => {
      const connection = { url: redisUrl() };
      const queue = new Queue('imports', { connection, prefix: pipeline.prefix });
      const timestamp = Date.now() - 3_600_000;
      await queue.add('anything', {}, { timestamp, priority: 1 });
      await queue.close();
      const worker = await pipeline.startWorker({ WORKER_QUEUES: 'keys' });
      await eventually('the age of the job', 20_000, async () => {
        const { body } = await worker.ops('/metrics');
        const [, seconds = '0'] =
          /^identity_queue_oldest_job_seconds\{queue="imports"\} (\S+)$/m.exec(body) ?? [];
        return Number(seconds) >= 3_600 && Number(seconds) < 3_900;
      });
      const { body } = await worker.ops('/metrics');
      expect(body).toMatch(/^identity_queue_oldest_job_seconds\{queue="notifications"\} 0$/m);
    });
  });

  it('tells its health without saying what it is made of (S173)', async () => {
    await onPipeline(redisUrl(), async (pipeline) => {
      const worker = await pipeline.startWorker();
      expect(await worker.untilOps('/healthz', 200)).toEqual({ status: 200, body: '{"status":"ok"}' });
      expect(await worker.untilOps('/readyz', 200)).toEqual({
        status: 200,
        body: '{"status":"ok","connected":{"queues":"Redis: one server"}}',
      });
      // the producers' side connects beside the rest: until then its queues are left out
      const metrics = await eventually('the depth of the queues', 20_000, async () => {
        const answer = await worker.ops('/metrics');
        expect(answer.status).toBe(200);
        return answer.body.includes('identity_queue_jobs{queue="notifications",state="waiting"} 0') && answer;
      });
      expect(metrics.body).not.toContain(process.version);
      expect((await worker.ops('/')).status).toBe(404);
    });
  });
});
