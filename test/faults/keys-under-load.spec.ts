import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useApiPerTest } from '../support/api.js';
import { givenEach } from '../support/given.js';
import { aRobot, aServiceUser } from '../support/service-users.js';
import { anOrganization } from '../support/world.js';
import { eventually } from '../workers/support/eventually.js';
import { useRedisPerTest } from '../workers/support/redis-server.js';
import { useWorkers } from '../workers/support/use-workers.js';
import { ApiProcess } from './support/api-process.js';
import { robotToken } from './support/robot-token.js';

const LEAD_SECONDS = 8;
const ROTATIONS = 10;
const ISSUER = 'https://id.test';

const redis = useRedisPerTest();
const api = useApiPerTest(() => ({ REDIS_URL: redis.url }));
const world = givenEach(() => anOrganization(api));
const workers = useWorkers(api, () => ({ WORKER_QUEUES: 'keys' }));
let replicas: ApiProcess[];

beforeEach(() => {
  replicas = [];
});
afterEach(() => Promise.all(replicas.map((one) => one.kill())));

async function spawnReplicas(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    replicas.push(await ApiProcess.beside(api.environment));
  }
  await Promise.all(replicas.map((replica) => replica.untilReady()));
}

async function spawnWorkers(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) workers.spawn();
  await Promise.all(workers.spawned.map((worker) => worker.untilReady()));
}

async function count(what: string): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${what}`);
  return rows[0]?.count ?? -1;
}

/** Asks for a key of the instance's own algorithm. Until one that was asked for signs, asking again changes nothing. */
async function rotate(
  { origin }: ApiProcess,
  by: { readonly pat: string },
  body: object = {},
): Promise<Response> {
  return await fetch(`${origin}/admin/v1/keys/_rotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.pat}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** An application that verifies tokens by itself, with the key set as it keeps it. */
type Reader = (token: string) => Promise<unknown>;

const keySetOf = ({ origin }: ApiProcess) => new URL(`${origin}/oauth/v2/keys`);

/** What it got is good for the whole lead time, and nothing has it ask before that. */
function keepsForTheLead(from: ApiProcess): Reader {
  const kept = LEAD_SECONDS * 1000;
  const keys = createRemoteJWKSet(keySetOf(from), { cacheMaxAge: kept, cooldownDuration: kept });
  return async (token) => await jwtVerify(token, keys, { issuer: ISSUER });
}

/** What it got is good until a token names a key that is not in it. */
function refetchesForAnUnknownKid(from: ApiProcess): Reader {
  const keys = createRemoteJWKSet(keySetOf(from), {
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: 0,
  });
  return async (token) => await jwtVerify(token, keys, { issuer: ISSUER });
}

/** What it got is good for as long as the answer said (RFC 9111 §4.2.1), and nothing has it ask before that. */
function honoursMaxAge(from: ApiProcess): Reader {
  let until = 0;
  const keys = createRemoteJWKSet(keySetOf(from), {
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: async (url, options) => {
      const response = await fetch(url, options);
      const [, maxAge] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
      until = performance.now() + Number(maxAge) * 1000;
      return response;
    },
  });
  return async (token) => {
    if (performance.now() >= until) await keys.reload();
    return await jwtVerify(token, keys, { issuer: ISSUER });
  };
}

describe('those who verify every token while keys rotate ten times (F37)', () => {
  it('see no failure, whichever replica signs and whichever they ask', { timeout: 600_000 }, async () => {
    const robot = await aRobot(world, { accessTokenType: 'jwt' });
    const root = await aServiceUser(world, 'IAM_OWNER');
    await api.sql.query(`UPDATE key_schedule SET lead_seconds = ${LEAD_SECONDS}`);
    await spawnReplicas(2);
    await spawnWorkers(2);
    const readers = replicas.flatMap((from) =>
      Object.entries({ keepsForTheLead, refetchesForAnUnknownKid, honoursMaxAge }).map(
        ([name, make]) => [name, make(from)] as const,
      ),
    );
    const signed = new Map<string, string>();
    const failures: string[] = [];
    let verified = 0;
    for (let turn = 0; signed.size <= ROTATIONS; turn += 1) {
      const [token = ''] = await Promise.all(
        replicas.slice(turn % 2, (turn % 2) + 1).map((one) => robotToken(one, robot)),
      );
      const { kid = '' } = decodeProtectedHeader(token);
      // no schedule of two algorithms makes keys as often as this: the key set would fill
      if (!signed.has(kid)) for (const one of replicas) expect((await rotate(one, root)).status).toBe(200);
      signed.set(kid, signed.get(kid) ?? token);
      // and one that was signed a while ago: it has not expired
      const older = [...signed.values()][turn % signed.size] ?? '';
      for (const [name, verify] of readers) {
        for (const each of [token, older]) {
          verified += 1;
          await verify(each).catch((error: unknown) => {
            failures.push(`${name}, key ${[...signed.keys()].indexOf(kid)}: ${String(error)}`);
          });
        }
      }
    }
    expect(failures).toEqual([]);
    expect(verified).toBeGreaterThan(1_000);
    // every kid was one that rotated in: none was made in an emergency, and none was skipped
    expect(await count(`signing_keys WHERE algorithm = 'RS256' AND state IN ('current', 'previous')`)).toBe(
      ROTATIONS + 1,
    );
    expect(await count(`signing_keys WHERE algorithm = 'RS256' AND state = 'current'`)).toBe(1);
  });
});

describe('six replicas that start at once on an empty database (F33)', () => {
  it('make one key of each kind, and one more when all are told to rotate at once', async () => {
    const root = await aServiceUser(world, 'IAM_OWNER');
    for (const table of ['signing_keys', 'token_keys', 'data_keys']) {
      await api.sql.query(`DELETE FROM ${table}`);
    }
    await spawnReplicas(6);
    for (const table of [`signing_keys WHERE algorithm = 'RS256'`, 'token_keys', 'data_keys'])
      expect(await count(table), table).toBe(1);

    const shown = async () => {
      const sets = await Promise.all(
        replicas.map(async (one) => (await (await fetch(keySetOf(one))).json()) as JSONWebKeySet),
      );
      return sets.map(({ keys }) => keys.flatMap(({ alg, kid }) => (alg === 'RS256' ? [kid] : [])).join());
    };
    const [first = ''] = await shown();
    expect(first).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(await shown()).toEqual(replicas.map(() => first));

    const idOf = async (response: Response): Promise<string> => {
      expect(response.status).toBe(200);
      return ((await response.json()) as { id: string }).id;
    };
    const next = new Set(await Promise.all(replicas.map(async (one) => await idOf(await rotate(one, root)))));
    expect(next.size).toBe(1);
    expect(await count(`signing_keys WHERE algorithm = 'RS256'`)).toBe(2);
    const both = [first, ...next].join();
    await eventually('the same two keys everywhere', 15_000, async () =>
      (await shown()).every((kids) => kids === both),
    );

    // one emergency a minute over all replicas (S200), and never do two keys sign
    const emergencies = await Promise.all(
      replicas.map((one) => rotate(one, root, { emergency: true, confirm: true })),
    );
    const [replaced, ...refused] = emergencies.toSorted((one, other) => one.status - other.status);
    if (replaced === undefined) throw new Error('nobody was asked');
    const emergency = await idOf(replaced);
    expect(refused.map(({ status }) => status)).toEqual(replicas.slice(1).map(() => 429));
    for (const { headers } of refused) expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect(await count(`signing_keys WHERE algorithm = 'RS256' AND state = 'current'`)).toBe(1);
    expect(await count(`signing_keys WHERE algorithm = 'RS256' AND state = 'next'`)).toBe(0);
    const replacing = [first, emergency].toSorted().join();
    await eventually('the key of the emergency and the one before it everywhere', 15_000, async () =>
      (await shown()).every((kids) => kids.split(',').toSorted().join() === replacing),
    );
  });
});
