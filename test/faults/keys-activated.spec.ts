import { randomUUID } from 'node:crypto';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { RotateKeys } from '../../src/domain/signing-keys/rotate-keys.js';
import { useApiPerTest } from '../support/api.js';
import { aRobot, aServiceUser, type Robot } from '../support/service-users.js';
import { anOrganization } from '../support/world.js';
import { eventually } from '../workers/support/eventually.js';
import { useRedisPerTest } from '../workers/support/redis-server.js';
import { useWorkers } from '../workers/support/use-workers.js';
import { ApiProcess } from './support/api-process.js';
import { robotToken } from './support/robot-token.js';

// Whoever puts a key in charge dies in the moment after, while other replicas still go by what they read before.

/** A replica may go by what it read for a quarter of it. */
const LEAD_SECONDS = 16;

const redis = useRedisPerTest();
const api = useApiPerTest(() => ({ REDIS_URL: redis.url }));
const workers = useWorkers(api, () => ({ WORKER_QUEUES: 'keys' }));
let robot: Robot;
let root: string;
let replicas: ApiProcess[];
/** Whoever asked for the key set when the next key had just appeared, and kept it. */
let kept: JSONWebKeySet;
let old: string | undefined;
let next: string;

beforeEach(async () => {
  const world = await anOrganization(api);
  robot = await aRobot(world, { accessTokenType: 'jwt' });
  root = (await aServiceUser(world, 'IAM_OWNER')).pat;
  replicas = [];
  await api.sql.query(`UPDATE key_schedule SET rotation_seconds = 0, lead_seconds = ${LEAD_SECONDS}`);
});
afterEach(() => Promise.all(replicas.map((one) => one.kill())));

async function spawn(overrides: Readonly<Record<string, string>> = {}): Promise<ApiProcess> {
  const one = await ApiProcess.beside(api.environment, overrides);
  replicas.push(one);
  await one.untilReady();
  return one;
}

const sign = (replica: ApiProcess) => robotToken(replica, robot);

const keySet = async ({ origin }: ApiProcess): Promise<JSONWebKeySet> =>
  (await (await fetch(`${origin}/oauth/v2/keys`)).json()) as JSONWebKeySet;

const kidOf = (token: string) => decodeProtectedHeader(token).kid;

/** A key leads up, all replicas show it, and its lead is over. */
async function leadUp(): Promise<void> {
  const rotate = api.app.get(RotateKeys);
  next = await api.app.get(UnitOfWork).run(async (tx) => await rotate.ask(tx, 'RS256', 'u1'));
  await eventually('all show the next key', 15_000, async () => {
    const sets = await Promise.all(replicas.map(keySet));
    kept = sets[0] ?? { keys: [] };
    return sets.every(({ keys }) => keys.filter(({ alg }) => alg === 'RS256').length === 2);
  });
  for (const one of replicas) old = kidOf(await sign(one));
  await api.advance(10 * LEAD_SECONDS);
}

/** Nobody hears of changes: the lease is all that there is. */
async function silence(): Promise<void> {
  await api.sql.query(`ALTER TABLE signing_keys DISABLE TRIGGER signing_keys_announce`);
}

async function currentKeys(): Promise<string[]> {
  const { rows } = await api.sql.query<{ kid: string }>(
    `SELECT kid FROM signing_keys WHERE state = 'current' AND algorithm = 'RS256'`,
  );
  return rows.map(({ kid }) => kid);
}

/** @returns kids that were signed with until all sign with the new one, in their order */
async function untilAllHaveTheNew(): Promise<(string | undefined)[]> {
  const live = replicas.filter(({ running }) => running);
  const kids: (string | undefined)[] = [];
  await eventually('all sign with the new key', 15_000, async () => {
    const tokens = await Promise.all(live.map(sign));
    const shown = await Promise.all(live.map(keySet));
    for (const token of tokens) {
      // by whoever keeps the key set for the lead time, and by whoever asks any replica just now
      for (const set of [kept, ...shown]) await compactVerify(token, createLocalJWKSet(set));
    }
    expect(await currentKeys()).toEqual([next]);
    kids.push(...tokens.map(kidOf));
    return tokens.every((token) => kidOf(token) === next);
  });
  return kids;
}

async function activate({ origin }: ApiProcess, idempotencyKey: string): Promise<Response> {
  return await fetch(`${origin}/admin/v1/keys/${next}/_activate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${root}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: '{}',
  });
}

describe('a key that was activated by a process that died at once (F34)', () => {
  it('a worker, and nobody has heard of it: both replicas sign on their lease, and then with the new key', async () => {
    await Promise.all([spawn(), spawn()]);
    await leadUp();
    await silence();
    const worker = workers.spawn({ CRASH_AT: 'keys-after-promote' });
    expect(await worker.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const kids = await untilAllHaveTheNew();
    expect(new Set([old, ...kids])).toEqual(new Set([old, next]));
  });

  it('the replica that was told to, and no other has heard of it: the rest follows, and asking again is answered', async () => {
    const [told] = await Promise.all([spawn({ CRASH_AT: 'change-after-commit' }), spawn()]);
    await leadUp();
    await silence();
    const key = randomUUID();
    await expect(activate(told, key)).rejects.toThrow();
    await told.exited;
    expect(await currentKeys()).toEqual([next]);
    await untilAllHaveTheNew();
    const again = await spawn();
    expect(kidOf(await sign(again))).toBe(next);
    expect((await activate(again, key)).status).toBe(200);
    expect(await currentKeys()).toEqual([next]);
    await untilAllHaveTheNew();
  });

  it('a replica that was just about to go by it: the rest goes on, and it does when it is back', async () => {
    const [doomed, other] = await Promise.all([spawn({ CRASH_AT: 'keys-before-refresh' }), spawn()]);
    await leadUp();
    expect((await activate(other, randomUUID())).status).toBe(200);
    await eventually('its end', 15_000, async () => {
      await sign(doomed).catch(() => undefined);
      return !doomed.running;
    });
    await untilAllHaveTheNew();
    expect(kidOf(await sign(await spawn()))).toBe(next);
    await untilAllHaveTheNew();
  });
});
