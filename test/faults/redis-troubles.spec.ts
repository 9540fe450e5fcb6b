import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import { eventually } from '../workers/support/eventually.js';
import { startOwnRedis } from '../workers/support/redis-server.js';
import { TcpProxy } from '../workers/support/tcp-proxy.js';
import type { WorkerProcess } from '../workers/support/worker-process.js';
import { expectInvariants } from './support/invariants.js';
import { people } from './support/people.js';
import { onSite, SLOW, type Site } from './support/site.js';

type Scenario = (site: Site, parts: { redis: PrivateRedis; admin: Redis; proxy: TcpProxy }) => Promise<void>;

/** With a Redis of its own, and a line to it that can be disturbed for those who are told to use it. */
async function onOwnRedis(scenario: Scenario): Promise<void> {
  const redis = await startOwnRedis();
  const admin = new Redis(redis.url);
  admin.on('error', () => undefined);
  const proxy = await TcpProxy.before(redis.port);
  try {
    await onSite((site) => scenario(site, { redis, admin, proxy }), { redis: redis.url });
  } finally {
    admin.disconnect();
    await proxy.stop();
    await redis.stop();
  }
}

async function health(worker: WorkerProcess | undefined): Promise<number | undefined> {
  return (await worker?.ops('/healthz'))?.status;
}

interface Snapshot {
  readonly keys: readonly { readonly key: Buffer; readonly value: Buffer; readonly ttl: number }[];
}

async function takeSnapshot(admin: Redis): Promise<Snapshot> {
  const keys = await Promise.all(
    (await admin.keysBuffer('*')).map(async (key) => {
      return { key, value: await admin.dumpBuffer(key), ttl: Math.max(0, await admin.pttl(key)) };
    }),
  );
  return { keys: keys.flatMap((one) => (one.value === null ? [] : [{ ...one, value: one.value }])) };
}

async function restore(admin: Redis, { keys }: Snapshot): Promise<void> {
  await admin.flushall();
  for (const { key, value, ttl } of keys) await admin.restore(key, ttl, value, 'REPLACE');
}

describe('Redis gets into trouble while imports run', () => {
  it('F03: it is restored from an older snapshot: old jobs find their work done', async () => {
    await onOwnRedis(async (site, { admin }) => {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(2_000));
      await site.untilProgress(job.id, 300);
      const old = await takeSnapshot(admin);
      await site.untilProgress(job.id, 1_200);
      await restore(admin, old);
      await site.untilMoving(job.id);
      expect(await site.untilEnded(job.id)).toBe('done');
      const mails = site.sink.received.length;
      await restore(admin, old);
      const later = await site.upload(people(200));
      expect(await site.untilEnded(later.id)).toBe('done');
      expect(site.sink.received.length - mails).toBeLessThanOrEqual(40);
      expect(await site.people()).toBe(2_200);
      await expectInvariants(site);
    });
  });

  it('F04: it refuses writes for want of memory: imports are accepted, people sign in, all drains later', async () => {
    await onOwnRedis(async (site, { admin }) => {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(1_500));
      await site.untilProgress(job.id, 200);
      const meanwhile = await site.watch.withoutRedis(async () => {
        await admin.config('SET', 'maxmemory', '1');
        await expect(admin.set('no', 'room')).rejects.toThrow('OOM');
        const accepted = await site.upload(people(300));
        await sleep(10_000);
        await admin.config('SET', 'maxmemory', '0');
        return accepted;
      });
      await site.untilMoving(meanwhile.id);
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.untilEnded(meanwhile.id)).toBe('done');
      expect(await site.people()).toBe(1_800);
      await expectInvariants(site);
    });
  });

  it('F05: it evicts keys: outside of production a red warning, and nothing is lost', async () => {
    await onOwnRedis(async (site, { admin }) => {
      await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const workers = await site.startWorkers(2, SLOW);
      for (const { log } of workers) expect(log).toContain('maxmemory-policy allkeys-lru');
      const job = await site.upload(people(1_500));
      for (const reached of [200, 600, 1_000]) {
        await site.untilProgress(job.id, reached);
        const keys = await admin.keys(`${site.prefix}:*`);
        await admin.del(...keys.filter((_, index) => index % 2 === 0));
      }
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(1_500);
      await expectInvariants(site);
    });
  });

  it('F06: a replica without the last writes replaces it', async () => {
    const replica = await startOwnRedis();
    const second = new Redis(replica.url);
    try {
      await onOwnRedis(async (site, { redis, admin, proxy }) => {
        const password = decodeURIComponent(new URL(redis.url).password);
        await second.config('SET', 'masterauth', password);
        await second.config('SET', 'requirepass', password);
        await second.replicaof('127.0.0.1', String(redis.port));
        await eventually('a replica in step', 20_000, async () => {
          return (await second.info('replication')).includes('master_link_status:up');
        });
        const through = { REDIS_URL: proxy.urlOf(redis.url) };
        await site.startWorkers(2, { ...SLOW, ...through });
        const job = await site.upload(people(2_500));
        await site.untilProgress(job.id, 300);
        // it hears nothing any more, and does not know it
        await second.config('SET', 'masterauth', 'wrong');
        await admin.config('SET', 'requirepass', password);
        await second.replicaof('127.0.0.1', '1');
        await site.untilProgress(job.id, 700);
        proxy.failOver(replica.port);
        // writes are refused at first: READONLY
        await sleep(1_000);
        await second.replicaof('NO', 'ONE');
        await site.untilMoving(job.id);
        expect(await site.untilEnded(job.id)).toBe('done');
        expect(await site.people()).toBe(2_500);
        await expectInvariants(site);
      });
    } finally {
      second.disconnect();
      await replica.stop();
    }
  });

  it('F07: the connection to it is slow, then loses packets, then hangs', async () => {
    await onOwnRedis(async (site, { redis, proxy }) => {
      await site.startWorkers(2, { ...SLOW, REDIS_URL: proxy.urlOf(redis.url) });
      const job = await site.upload(people(3_000));
      await site.untilProgress(job.id, 200);
      proxy.slow(500);
      await site.untilProgress(job.id, 600);
      proxy.slow(20, 10);
      await site.untilProgress(job.id, 1_000);
      proxy.slow(0);
      await site.watch.withoutRedis(async () => {
        proxy.hang();
        await sleep(25_000);
        proxy.mend();
      });
      await site.untilMoving(job.id, 20_000);
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(3_000);
      // slow is not dead: nobody took a chunk from somebody who was at work on it
      await expectInvariants(site);
    });
  });

  it('F08: it is cut off for the workers only: their probes turn red, and they go on by themselves', async () => {
    await onOwnRedis(async (site, { redis, proxy }) => {
      const workers = await site.startWorkers(2, { ...SLOW, REDIS_URL: proxy.urlOf(redis.url) });
      const job = await site.upload(people(3_000));
      await site.untilProgress(job.id, 200);
      await site.watch.withoutRedis(async () => {
        proxy.cut();
        await eventually('red probes', 30_000, async () => {
          return (await Promise.all(workers.map(health))).every((status) => status === 503);
        });
        proxy.mend();
      });
      await site.untilMoving(job.id);
      expect(await site.untilEnded(job.id)).toBe('done');
      await eventually('green probes', 15_000, async () => {
        return (await Promise.all(workers.map(health))).every((status) => status === 200);
      });
      expect(await site.people()).toBe(3_000);
      await expectInvariants(site);
    });
  });

  it('F08: it is cut off for the API only: people sign in, imports are accepted and happen', async () => {
    await onOwnRedis(async (site, { redis, proxy }) => {
      await site.load.stop();
      await Promise.all(site.apis.map((api) => api.kill()));
      await site.watch.stop();
      await site.open({ REDIS_URL: proxy.urlOf(redis.url) });
      await site.startWorkers(2, SLOW);
      proxy.cut();
      const job = await site.upload(people(1_000));
      expect(await site.untilEnded(job.id)).toBe('done');
      await sleep(5_000);
      expect(await site.people()).toBe(1_000);
      await expectInvariants(site);
    });
  });

  it('F08: it is cut off for one of three workers: that one turns red, the others carry on', async () => {
    await onOwnRedis(async (site, { redis, proxy }) => {
      const cutOff = await site.startWorker({ ...SLOW, REDIS_URL: proxy.urlOf(redis.url) });
      const others = await site.startWorkers(2, SLOW);
      const job = await site.upload(people(3_000));
      await site.untilProgress(job.id, 200);
      proxy.cut();
      await site.untilMoving(job.id);
      await eventually('a red probe', 30_000, async () => (await health(cutOff)) === 503);
      expect(await Promise.all(others.map(health))).toEqual([200, 200]);
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(3_000);
      await expectInvariants(site);
    });
  });
});
