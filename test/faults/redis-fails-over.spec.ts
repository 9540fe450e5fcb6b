import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import { eventually } from '../workers/support/eventually.js';
import { sendTo, startCluster, startSentinels } from '../workers/support/redis-topologies.js';
import { expectInvariants } from './support/invariants.js';
import { people } from './support/people.js';
import { onSite, SLOW, type Site } from './support/site.js';

const MAILS = 1_000;
/** What an import of 1,000 people brings of its own: one in fifty has an address to be verified. */
const MAILS_OF_IMPORT = 20;
/** The server counts as gone after 3 s, another one is chosen, and a client looks for it every 2 s. */
const BACK_MS = 30_000;

async function mailedPeople(site: Site): Promise<void> {
  const mailed = await site.upload(
    people(MAILS, 'hashed').map((person) => ({
      ...person,
      email: { email: `${person.userName}@marker.test` },
    })),
  );
  expect(await site.untilEnded(mailed.id)).toBe('done');
}

/** The longest time without a mail in a while, in seconds. */
function longestGap(times: readonly number[]): string {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return (Math.max(0, ...gaps) / 1_000).toFixed(1);
}

async function untilReady(site: Site): Promise<void> {
  await Promise.all(
    site.workers.map((worker) =>
      eventually('readiness', BACK_MS, async () => (await worker.ops('/readyz')).status === 200),
    ),
  );
}

/** A thousand mails on their way, a hundred a second, and an import. */
async function mailsUnderWay(site: Site): Promise<{ times: readonly number[]; job: { id: string } }> {
  const times: number[] = [];
  let open = false;
  site.sink.atRecipient = async () => {
    if (!open) return '451';
    // about a hundred mails a second, so that the middle is one
    await sleep(60);
    return 'accept';
  };
  site.sink.atData = () => {
    times.push(performance.now());
    return 'accept';
  };
  await site.startWorkers(2, SLOW);
  await mailedPeople(site);
  const job = await site.upload(people(1_000));
  open = true;
  await site.untilProgress(job.id, 100, 120_000);
  await eventually('the first mails', 300_000, () => times.length > MAILS / 10);
  return { times, job };
}

/** All that was asked for was done, each thing once. */
async function expectAllDone(site: Site, jobId: string): Promise<void> {
  await site.untilMoving(jobId);
  expect(await site.untilEnded(jobId, 300_000)).toBe('done');
  await site.untilNothingQueued(300_000);
  expect(await site.people()).toBe(MAILS + 1_000);
  expect(site.sink.received).toHaveLength(MAILS + MAILS_OF_IMPORT);
  expect(new Set(site.sink.received.map(({ messageId }) => messageId)).size).toBe(site.sink.received.length);
  await expectInvariants(site);
}

/** Kills a server in the middle of them, and waits until its successor is chosen and mails leave again. */
async function failOver(
  site: Site,
  times: readonly number[],
  from: PrivateRedis,
  isChosen: () => Promise<boolean>,
): Promise<void> {
  const killedAt = performance.now();
  const sent = times.length;
  await site.watch.withoutRedis(async () => {
    await from.kill();
    await eventually('the new primary', BACK_MS, isChosen);
    const chosenMs = performance.now() - killedAt;
    await eventually('the next mail', BACK_MS, () => (times.at(-1) ?? 0) > killedAt + chosenMs);
    console.info(
      `fail-over: killed after ${sent} mails; a new primary after ${(chosenMs / 1_000).toFixed(1)} s; ` +
        `no mail for ${longestGap(times.filter((time) => time > killedAt - 1_000))} s`,
    );
  });
}

async function isPrimary({ url }: PrivateRedis): Promise<boolean> {
  return String(await sendTo(url, 'ROLE').catch(() => '')).startsWith('master');
}

describe('The primary of Redis is lost', { timeout: 600_000 }, () => {
  it('F49: in the middle of 1,000 mails and an import, sentinels choose the replica: nothing is lost or sent twice', async () => {
    const redis = await startSentinels();
    try {
      await onSite(
        async (site) => {
          const { times, job } = await mailsUnderWay(site);
          await failOver(site, times, redis.primary, () => isPrimary(redis.replica));
          site.redisUrl = redis.replica.url;
          await untilReady(site);
          await expectAllDone(site, job.id);
        },
        { redis: redis.primary.url, redisSettings: redis.environment },
      );
    } finally {
      await redis.stop();
    }
  });

  it('F50: the node of a cluster that has the queues is away for 8 s: the same workers go on', async () => {
    const cluster = await startCluster();
    try {
      await onSite(
        async (site) => {
          const workers = await site.startWorkers(2, SLOW);
          const job = await site.upload(people(1_000));
          await site.untilProgress(job.id, 100, 120_000);
          const holder = await cluster.holderOf(site.prefix);
          const killedAt = performance.now();
          await site.watch.withoutRedis(async () => {
            await holder.kill();
            await sleep(8_000);
            await holder.restart();
          });
          await site.untilMoving(job.id, BACK_MS);
          console.info(
            `cluster: the import went on ${((performance.now() - killedAt) / 1_000).toFixed(1)} s after its node was killed for 8 s`,
          );
          expect(await site.untilEnded(job.id, 300_000)).toBe('done');
          await untilReady(site);
          expect(workers.every(({ running }) => running)).toBe(true);
          site.redisUrl = holder.url;
          await expectInvariants(site);
        },
        { redis: cluster.servers[0]?.url ?? '', redisSettings: cluster.environment },
      );
    } finally {
      await cluster.stop();
    }
  });

  it('F51: in the middle of 1,000 mails and an import, a cluster promotes a replica by itself: nothing is lost or sent twice', async () => {
    const cluster = await startCluster({ withReplicas: true });
    try {
      await onSite(
        async (site) => {
          const { times, job } = await mailsUnderWay(site);
          const holder = await cluster.holderOf(site.prefix);
          // each primary has a replica three places further on
          const successor = cluster.servers[cluster.servers.indexOf(holder) + 3];
          if (successor === undefined) throw new Error('the node has no replica');
          await failOver(site, times, holder, () => isPrimary(successor));
          site.redisUrl = successor.url;
          await untilReady(site);
          await expectAllDone(site, job.id);
        },
        { redis: cluster.servers[0]?.url ?? '', redisSettings: cluster.environment },
      );
    } finally {
      await cluster.stop();
    }
  });
});
