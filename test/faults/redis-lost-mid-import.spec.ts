import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import { BULK_NOTIFICATIONS } from '../../src/queues/job-contract.js';
import { eventually } from '../workers/support/eventually.js';
import { startOwnRedis } from '../workers/support/redis-server.js';
import { expectInvariants } from './support/invariants.js';
import { people } from './support/people.js';
import { onSite, SLOW, type Site } from './support/site.js';

async function onOwnRedis(scenario: (site: Site, redis: PrivateRedis) => Promise<void>): Promise<void> {
  const redis = await startOwnRedis();
  try {
    await onSite((site) => scenario(site, redis), { redis: redis.url });
  } finally {
    await redis.stop();
  }
}

/** Ten minutes, of both servers at once: both-servers-away.spec.ts. */
const OUTAGES_S = [3, 8, 20, 60];

describe.concurrent('Redis is lost in the middle of an import', { timeout: 900_000 }, () => {
  it('F01: it is killed for 3, 8, 20 and 60 s: uploads are accepted, and the same worker goes on each time', async () => {
    await onOwnRedis(async (site, redis) => {
      const worker = await site.startWorker(SLOW);
      const accepted: string[] = [];
      for (const seconds of OUTAGES_S) {
        const job = await site.upload(people(1_000));
        await site.untilProgress(job.id, 100, 120_000);
        const meanwhile = await site.watch.withoutRedis(async () => {
          await redis.kill();
          const upload = await site.upload(people(1, 'hashed'));
          await sleep(seconds * 1000);
          await redis.restart();
          return upload;
        });
        await site.untilMoving(job.id);
        accepted.push(job.id, meanwhile.id);
      }
      for (const id of accepted) expect(await site.untilEnded(id, 300_000)).toBe('done');
      expect(await site.people()).toBe(OUTAGES_S.length * 1_001);
      expect(worker.running).toBe(true);
      await expectInvariants(site);
    });
  });

  it('F02: it is emptied with an import, a thousand mails, retries and schedules in it: all is rebuilt in 60 s', async () => {
    await onOwnRedis(async (site, redis) => {
      const admin = new Redis(redis.url);
      let open = false;
      site.sink.atRecipient = () => (open ? 'accept' : '451');
      try {
        await site.startWorker(SLOW);
        const mailed = await site.upload(
          people(1_000, 'hashed').map((person) => ({
            ...person,
            email: { email: `${person.userName}@marker.test` },
          })),
        );
        expect(await site.untilEnded(mailed.id)).toBe('done');
        const job = await site.upload(people(2_000));
        const inRedis = async (part: string) => (await admin.keys(`${site.prefix}:${part}`)).length;
        await eventually(
          'mails in the queue',
          120_000,
          async () => (await inRedis(`${BULK_NOTIFICATIONS}:o*`)) > 900,
        );
        await eventually(
          'a retry',
          120_000,
          async () => (await inRedis(`${BULK_NOTIFICATIONS}:delayed`)) === 1,
        );
        await eventually(
          'the rotation',
          30_000,
          async () => (await inRedis('keys:repeat:rotate-keys')) === 1,
        );
        await site.untilProgress(job.id, 200, 120_000);
        await admin.flushall();
        await Promise.all([
          eventually(
            'the mails again',
            60_000,
            async () => (await inRedis(`${BULK_NOTIFICATIONS}:o*`)) > 900,
          ),
          eventually(
            'the rotation again',
            60_000,
            async () => (await inRedis('keys:repeat:rotate-keys')) === 1,
          ),
          site.untilMoving(job.id, 60_000),
        ]);
        open = true;
        expect(await site.untilEnded(job.id, 300_000)).toBe('done');
        await site.untilNothingQueued(150_000);
        expect(await site.people()).toBe(3_000);
        expect(site.sink.received).toHaveLength(1_040);
        await expectInvariants(site);
      } finally {
        admin.disconnect();
      }
    });
  });
});
