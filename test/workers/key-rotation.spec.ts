import { Queue } from 'bullmq';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../src/domain/shared/crash-point.js';
import { SignJwt } from '../../src/domain/tokens/jwt/sign-jwt.js';
import { Metrics } from '../../src/ops/metrics.js';
import { startTestApi, useApiPerTest, type TestApi } from '../support/api.js';
import { eventually } from './support/eventually.js';
import { dumpRedis, useRedisPerTest } from './support/redis-server.js';
import { useWorkers } from './support/use-workers.js';

// The clock of the database is what decides, so a lead of hours passes by moving that on.

const DAY = 86_400;
const TAKEN_OVER_MS = 60_000;

const redis = useRedisPerTest();
const api = useApiPerTest();
const workers = useWorkers(api, () => ({ REDIS_URL: redis.url }));

beforeEach(async () => {
  // looked at every quarter of a second
  await api.sql.query(`UPDATE key_schedule SET rotation_seconds = ${DAY}, lead_seconds = 2`);
});

// the other chain goes its own way
const OF_RS256 = ` AND algorithm = 'RS256'`;

async function count(table: 'signing_keys' | 'token_keys', state: string): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE state = $1${table === 'signing_keys' ? OF_RS256 : ''}`,
    [state],
  );
  return rows[0]?.count ?? -1;
}

async function states(): Promise<Record<string, number>> {
  const { rows } = await api.sql.query<{ state: string; count: number }>(
    `SELECT state, count(*)::int AS count FROM signing_keys WHERE true${OF_RS256} GROUP BY state`,
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}

const isScheduled = async () =>
  (await dumpRedis(redis.url, api.environment['QUEUE_PREFIX'] ?? '')).includes(':repeat:rotate-keys');

describe('the schedule of keys', () => {
  it('is mirrored to the queue, and again after it was lost there (F36)', async () => {
    await workers.spawn().untilReady();
    await eventually('the mirror', 15_000, isScheduled);
    await redis.flush();
    await eventually('the mirror again', 20_000, isScheduled);
    await api.advance(DAY);
    await eventually('one rotation', 20_000, async () => (await states())['previous'] === 1);
    expect(await states()).toEqual({ current: 1, previous: 1 });
    expect(await count('token_keys', 'current')).toBe(1);
  });

  it('is made up for once by workers that were all away when it was due (F33, F36)', async () => {
    await api.advance(3 * DAY);
    await Promise.all(Array.from({ length: 3 }, () => workers.spawn().untilReady()));
    await eventually('the rotation', 30_000, async () => (await states())['previous'] === 1);
    await eventually('that of token keys', 20_000, async () => (await count('token_keys', 'previous')) === 1);
    expect(await states()).toEqual({ current: 1, previous: 1 });
  });
});

describe('a rotation that is overdue (F36)', () => {
  it('is told by metric and log while nobody takes it, and made up for once', async () => {
    const overdue = async () => {
      const told = await api.app.get(Metrics).render();
      return Number(/identity_key_rotation_overdue_seconds\{chain="RS256"\} (\S+)/.exec(told)?.[1]);
    };
    expect(await overdue()).toBe(0);
    await workers.spawn().untilReady();
    await eventually('the mirror', 15_000, isScheduled);
    await workers.killAll();
    expect(await withQueue((queue) => queue.removeJobScheduler('rotate-keys'))).toBe(true);
    await api.advance(DAY + 600);
    expect(await overdue()).toBeGreaterThan(500);
    const worker = workers.spawn();
    await worker.untilReady();
    await eventually('the rotation', 30_000, async () => (await states())['previous'] === 1);
    await eventually('a line about it', 20_000, () => worker.log.includes('the rotation of keys is overdue'));
    expect(await states()).toEqual({ current: 1, previous: 1 });
    expect(await overdue()).toBe(0);
    await eventually('the schedule', 20_000, () =>
      withQueue((queue) => queue.getJobScheduler('rotate-keys')),
    );
  });
});

/** As somebody with a client of Redis would. */
async function withQueue<T>(work: (queue: Queue) => Promise<T>): Promise<T> {
  const queue = new Queue('keys', {
    connection: { url: redis.url },
    prefix: api.environment['QUEUE_PREFIX'] ?? '',
  });
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
}

describe('a worker that dies while it rotates (F34)', () => {
  it.each<CrashPoint>(['keys-after-publish', 'keys-after-promote', 'keys-after-retire'])(
    '%s: the next one goes on, and there is one current key all the while',
    { timeout: 240_000 },
    async (point) => {
      const watch = watchCurrentKeys(api.sql);
      await api.advance(DAY);
      if (point === 'keys-after-retire') {
        await workers.spawn().untilReady();
        await eventually('a previous key', 30_000, async () => (await states())['previous'] === 1);
        await workers.killAll();
        await api.sql.query(`UPDATE signing_keys SET retires_at = app_now() WHERE state = 'previous'`);
      }
      expect(await workers.spawn({ CRASH_AT: point }).exited).toEqual({ code: null, signal: 'SIGKILL' });
      await workers.spawn().untilReady();
      const wanted = point === 'keys-after-retire' ? 'gone' : 'previous';
      await eventually(wanted, TAKEN_OVER_MS, async () => (await states())[wanted] === 1);
      expect((await states())['current']).toBe(1);
      expect(await watch.stop()).toEqual(new Set([1]));
    },
  );
});

describe('those who verify tokens while keys rotate (F37, S017)', () => {
  it('see no failure in ten rotations, however they keep the key set', { timeout: 240_000 }, async () => {
    // a lead so short that the making of an RSA key could outlast what is left for it
    await api.sql.query(`DELETE FROM signing_keys`);
    const settings = { SIGNING_ALG: 'ES256', REDIS_URL: redis.url };
    // two at once keep this process so busy that connections run into their time-outs
    const replicas = [await startTestApi(settings, api), await startTestApi(settings, api)];
    try {
      await api.sql.query(`DELETE FROM signing_keys WHERE algorithm = 'RS256'`);
      await api.sql.query(`UPDATE key_schedule SET rotation_seconds = 1, lead_seconds = ${LEAD_SECONDS}`);
      await workers.spawn(settings).untilReady();
      const readers = [keptForTheLead(), keptUntilAnUnknownKid(), keptForMaxAge()];
      const signed = new Map<string, string>();
      let turn = 0;
      while (signed.size < 11) {
        turn += 1;
        const [signing, asked] = turn % 2 === 0 ? replicas : replicas.toReversed();
        if (signing === undefined || asked === undefined) throw new Error('there are two replicas');
        const token = await signing.app.get(SignJwt).sign(() => ({ turn }));
        const { kid = '' } = decodeProtectedHeader(token);
        signed.set(kid, signed.get(kid) ?? token);
        for (const reader of readers) await reader(token, () => fetchKeys(asked));
      }
      const { set } = await fetchKeys(replicas[0] ?? api);
      const verified = Array.from(signed.values(), (token) => compactVerify(token, createLocalJWKSet(set)));
      expect(await Promise.all(verified)).toHaveLength(signed.size);
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });
});

const LEAD_SECONDS = 3;

interface Fetched {
  readonly set: JSONWebKeySet;
  readonly maxAgeMs: number;
  /** Taken before it was asked for. */
  readonly at: number;
}
type Reader = (token: string, fetch: () => Promise<Fetched>) => Promise<void>;

async function fetchKeys(from: TestApi): Promise<Fetched> {
  const at = performance.now();
  const response = await from.app.inject('/oauth/v2/keys');
  const [, maxAge] = /max-age=(\d+)/.exec(String(response.headers['cache-control'])) ?? [];
  return { set: response.json<JSONWebKeySet>(), maxAgeMs: Number(maxAge) * 1000, at };
}

/** Fetches when what it has is not good enough any more by its own rule, and never in between. */
function reader(isGood: (kept: Fetched, token: string) => boolean): Reader {
  let kept: Fetched | undefined;
  return async (token, fetch) => {
    if (kept === undefined || !isGood(kept, token)) kept = await fetch();
    await compactVerify(token, createLocalJWKSet(kept.set));
  };
}

const keptForTheLead = () => reader(({ at }) => performance.now() - at < LEAD_SECONDS * 1000);
const keptForMaxAge = () => reader(({ at, maxAgeMs }) => performance.now() - at < maxAgeMs);
const keptUntilAnUnknownKid = () =>
  reader(({ set }, token) => set.keys.some(({ kid }) => kid === decodeProtectedHeader(token).kid));

/** How many current keys there were at any look. */
function watchCurrentKeys(sql: pg.Pool): { stop(): Promise<ReadonlySet<number>> } {
  const seen = new Set<number>();
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const { rows } = await sql.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM signing_keys WHERE state = 'current'${OF_RS256}`,
      );
      seen.add(rows[0]?.count ?? -1);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await loop;
      return seen;
    },
  };
}
