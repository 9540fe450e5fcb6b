import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import { PostgresPair } from '../support/postgres-pair.js';
import { startOwnRedis } from '../workers/support/redis-server.js';
import { grown, sampleOfProcess, sampleOfQueues, sampleOfTables, type Sample } from './support/growth.js';
import { expectInvariants } from './support/invariants.js';
import { people } from './support/people.js';
import { onSite, type Site } from './support/site.js';

/** `npm run soak -- 120` makes them two hours. */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
const SAMPLE_MS = 5_000;
const UPLOAD_MS = 20_000;
const TROUBLE_MS = 60_000;

/** What is away for a moment, and who it is that nobody can serve meanwhile. */
type Trouble = (site: Site, servers: Servers) => Promise<void>;
interface Servers {
  readonly postgres: PostgresPair;
  readonly redis: PrivateRedis;
}

const TROUBLES: Readonly<Record<string, Trouble>> = {
  'a worker is killed': async (site) => {
    // the first one is watched
    await site.workers
      .slice(1)
      .findLast(({ running }) => running)
      ?.kill();
  },
  'a replica of the API is killed': async (site) => {
    const replica = await site.startReplica();
    await replica.kill();
  },
  'Redis is killed': async (site, { redis }) => {
    await site.watch.withoutRedis(async () => {
      await redis.kill();
      await sleep(3_000);
      await redis.restart();
    });
  },
  'sessions of PostgreSQL are ended': async (site) => {
    await site.load.excuse(async () => {
      await site.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      await sleep(1_000);
    });
  },
  'the mail server refuses': async (site) => {
    site.sink.atRecipient = () => '451';
    await sleep(10_000);
    site.sink.atRecipient = () => 'accept';
  },
};

/** Every ten minutes the standby takes the place of a primary that died, and gets a standby of its own. */
const FAIL_OVER: Trouble = async (site, { postgres }) => {
  await site.load.excuse(async () => {
    await postgres.failOver();
    await sleep(3_000);
  });
  await postgres.rebuildStandby();
};

async function every(ms: number, until: number, act: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; performance.now() + ms < until; turn += 1) {
    await sleep(ms);
    await act(turn);
  }
}

describe(
  'a mix of everything, and something wrong every minute',
  { timeout: (MINUTES + 10) * 60_000 },
  () => {
    it(`F48: after ${MINUTES} minutes nothing is lost, nothing was done twice, and nothing has grown`, async () => {
      const redis = await startOwnRedis();
      const postgres = await PostgresPair.start();
      try {
        await onSite(
          async (site) => {
            expect(grown(await soak(site, { postgres, redis }))).toEqual([]);
          },
          { postgres, redis: redis.url },
        );
      } finally {
        await postgres.stop();
        await redis.stop();
      }
    });
  },
);

async function soak(site: Site, servers: Servers): Promise<readonly Sample[]> {
  const steady = await site.startWorker();
  const others = site.supervise(1, {});
  const samples: Sample[] = [];
  const until = performance.now() + MINUTES * 60_000;
  const imports: string[] = [];
  // each in its turn, from any of them on
  const kinds = Object.entries(TROUBLES);
  const begin = Math.floor(Math.random() * kinds.length);
  await Promise.all([
    every(SAMPLE_MS, until, async () => {
      const [api, worker] = await Promise.all([site.apis[0]?.ops('/metrics'), steady.ops('/metrics')]);
      // while PostgreSQL is away nobody can look into it
      const [tables, queues] = await Promise.all(
        [sampleOfTables, sampleOfQueues].map((sample) => sample(site.pool).catch((): Sample => ({}))),
      );
      samples.push({
        ...sampleOfProcess('the API', api?.body ?? ''),
        ...sampleOfProcess('a worker', worker.body),
        ...tables,
        ...queues,
      });
    }),
    every(UPLOAD_MS, until - 60_000, async (turn) => {
      // an upload that PostgreSQL was away for is tried again by whoever sent it
      const job = await site.upload(people(100, turn % 2 === 0 ? 'plain' : 'hashed')).catch(() => undefined);
      if (job !== undefined) imports.push(job.id);
    }),
    every(TROUBLE_MS, until - 60_000, async (turn) => {
      const [name, trouble] = kinds[(begin + turn) % kinds.length] ?? [];
      const isFailOver = turn % 10 === 4;
      console.log(
        `minute ${turn + 1}: ${isFailOver ? 'the primary of PostgreSQL is killed, its standby promoted' : name}`,
      );
      await (isFailOver ? FAIL_OVER : trouble)?.(site, servers);
      if (turn % 10 === 2) expect((await site.rotateKeys()).status).toBe(200);
    }),
  ]);
  for (const id of imports) expect(await site.untilEnded(id, 300_000)).toBe('done');
  await site.untilNothingQueued(300_000);
  await others.stop();
  await expectInvariants(site, { mails: 'twice' });
  const [first, last] = [samples[Math.floor(samples.length / 3)], samples.at(-1)];
  for (const name of Object.keys(last ?? {})) console.log(`${name}: ${first?.[name]} → ${last?.[name]}`);
  console.log(`${imports.length} imports, ${site.load.attempts} sign-ins and introspections`);
  return samples;
}
