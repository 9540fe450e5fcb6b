import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';
import { startOwnRedis } from './support/redis-server.js';
import { TcpProxy } from './support/tcp-proxy.js';

/** Consuming is back this soon after Redis is (security I9). */
const BACK_MS = 15_000;

describe.concurrent('Redis goes away and comes back', () => {
  async function onOwnRedis(test: (pipeline: Pipeline, redis: PrivateRedis) => Promise<void>): Promise<void> {
    const redis = await startOwnRedis();
    const pipeline = await Pipeline.build(redis.url);
    try {
      await test(pipeline, redis);
    } finally {
      await pipeline.tearDown();
      await redis.stop();
    }
  }

  it('is killed for 8 s: the same worker consumes again, and its probe stayed green (F01)', async () => {
    await onOwnRedis(async (pipeline, redis) => {
      // the age at which heartbeats turn the probe red is far from the eight seconds and what a busy machine adds to them
      const worker = await pipeline.startWorker({ HEARTBEAT_INTERVAL: '5s' });
      const before = await pipeline.seed.queueMail();
      await eventually('a first mail', 20_000, () => pipeline.sink.to(before.to).length === 1);
      await redis.kill();
      const during = await pipeline.seed.queueMail();
      await sleep(8_000);
      await worker.untilOps('/healthz', 200);
      expect((await worker.ops('/readyz')).status).toBe(503);
      await redis.restart();
      await eventually('the mail of the outage', BACK_MS, () => pipeline.sink.to(during.to).length === 1);
      const after = await pipeline.seed.queueMail();
      await eventually('the next mail', BACK_MS, () => pipeline.sink.to(after.to).length === 1);
      await worker.untilOps('/readyz', 200);
      for (const mail of [before, during, after]) expect(pipeline.sink.to(mail.to)).toHaveLength(1);
    });
  });

  it('is killed for 22 s: the probe turns red meanwhile, and the same worker consumes again (F08)', async () => {
    await onOwnRedis(async (pipeline, redis) => {
      const worker = await pipeline.startWorker();
      const back = sleep(22_000);
      await redis.kill();
      await eventually('a red probe', 30_000, async () => (await worker.ops('/healthz')).status === 503);
      // a restart would not bring Redis back
      expect((await worker.ops('/livez')).status).toBe(200);
      const during = await pipeline.seed.queueMail();
      await back;
      await redis.restart();
      await eventually('the mail of the outage', BACK_MS, () => pipeline.sink.to(during.to).length === 1);
      await eventually('a green probe', BACK_MS, async () => (await worker.ops('/healthz')).status === 200);
    });
  });

  it('is emptied with mails queued, a retry waiting and schedules set: everything is rebuilt (F02)', async () => {
    await onOwnRedis(async (pipeline, redis) => {
      let open = false;
      pipeline.sink.atRecipient = () => (open ? 'accept' : '421');
      const worker = await pipeline.startWorker();
      const mails = await Promise.all(
        Array.from({ length: 40 }, (_, index) => {
          return pipeline.seed.queueMail({ lane: index % 2 === 0 ? 'bulk' : 'priority' });
        }),
      );
      await eventually('all to be published', 20_000, async () => {
        return (await pipeline.seed.count('outbox', `state = 'pending'`)) === 0;
      });
      await redis.flush();
      open = true;
      await eventually('every mail', 60_000, () => {
        return mails.every((mail) => pipeline.sink.to(mail.to).length === 1);
      });
      const dump = await eventually('the schedules', 15_000, async () => {
        const text = await pipeline.dumpRedis();
        return text.includes(':repeat:remove-expired-rows') && text;
      });
      expect(dump).toContain(':repeat:ensure-event-partitions');
      await eventually('nothing queued', 20_000, async () => (await pipeline.seed.count('outbox')) === 0);
      expect(pipeline.sink.received).toHaveLength(mails.length);
      await worker.untilOps('/healthz', 200);
    });
  });

  it('is cut off for one of two workers: that one turns red, the other carries on (F08)', async () => {
    await onOwnRedis(async (pipeline, redis) => {
      const proxy = await TcpProxy.before(redis.port);
      const cutOff = await pipeline.startWorker({ REDIS_URL: proxy.urlOf(redis.url) });
      const healthy = await pipeline.startWorker();
      proxy.cut();
      const mail = await pipeline.seed.queueMail();
      await eventually('a mail by the other worker', 25_000, () => pipeline.sink.to(mail.to).length === 1);
      await eventually('a red probe', 30_000, async () => (await cutOff.ops('/healthz')).status === 503);
      await healthy.untilOps('/healthz', 200);
      await proxy.stop();
    });
  });

  it('disappears for a worker that processes the heartbeat of another: that one stays green (F08)', async () => {
    await onOwnRedis(async (pipeline, redis) => {
      const healthy = await pipeline.startWorker();
      const settings = { connection: { url: redis.url }, prefix: pipeline.prefix };
      const [queue, gone] = [new Queue('keys', settings), new Worker('keys', null, settings)];
      try {
        // its lock outlives the test, as that of a process which still renews it on a slow line would
        gone.opts.lockDuration = 120_000;
        // the healthy worker stands still while it is taken: it would be first at every heartbeat
        await queue.pause();
        await eventually('a heartbeat that waits', 20_000, async () => {
          return (await queue.getJobs(['wait', 'prioritized'])).some(({ name }) => name === 'heartbeat');
        });
        healthy.signal('SIGSTOP');
        await queue.resume();
        // a scheduled rotation may stand in the same queue before it
        await eventually('a heartbeat to take', 5_000, async () => {
          return (await gone.getNextJob('gone', { block: false }))?.name === 'heartbeat';
        });
        healthy.signal('SIGCONT');
        await sleep(20_000);
        await healthy.untilOps('/healthz', 200);
      } finally {
        await gone.close(true);
        await queue.close();
      }
    });
  });

  it('hangs for 20 s: the worker drops the dead connections and consumes again (F07)', async () => {
    await onOwnRedis(async (pipeline, redis) => {
      const proxy = await TcpProxy.before(redis.port);
      await pipeline.startWorker({ REDIS_URL: proxy.urlOf(redis.url) });
      proxy.hang();
      const mail = await pipeline.seed.queueMail();
      await sleep(20_000);
      proxy.mend();
      await eventually('the mail of the outage', 2 * BACK_MS, () => pipeline.sink.to(mail.to).length === 1);
      await proxy.stop();
    });
  });
});
