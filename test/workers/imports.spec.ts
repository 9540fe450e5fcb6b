import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { ImportJob } from '../../src/domain/imports/import-job.js';
import type { CrashPoint } from '../../src/domain/shared/crash-point.js';
import { human } from '../support/import-engine.js';
import { redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Imports } from './support/imports.js';
import { inTurn } from './support/in-turn.js';
import { startOwnRedis } from './support/redis-server.js';

/** A job of a dead worker is taken over when its lock lapsed (20 s), its claim when the deadline did (20 s). */
const TAKEN_OVER_MS = 120_000;

function people(count: number, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => human(`person-${index}`, changes));
}

/** What must hold after every scenario (security I1, I2, I3, I8). */
async function expectExact(
  imports: Imports,
  job: ImportJob,
  created: number,
  users = created,
): Promise<void> {
  expect(job).toMatchObject({ state: 'done', counts: { created, updated: 0, skipped: 0, failed: 0 } });
  expect(await imports.countUsers()).toBe(users);
  const outcomes = await imports.engine.outcomes(job);
  expect(outcomes).toHaveLength(created);
  expect(new Set(outcomes.map(({ userId }) => userId)).size).toBe(created);
  expect(await imports.count('events', `type = 'user.human.imported'`)).toBe(users);
  await eventually('an empty outbox', TAKEN_OVER_MS, async () => {
    return (await imports.count('outbox', `queue = 'imports'`)) === 0;
  });
}

const buildInTurn = inTurn(() => Imports.build(redisUrl()));

describe.concurrent('a worker dies over a chunk (F14, F19)', { timeout: 240_000 }, () => {
  async function dieAt(crashPoint: CrashPoint): Promise<void> {
    const imports = await buildInTurn();
    try {
      const records = people(120, { hashedPassword: undefined });
      const job = await imports.receive(records, { notify: 'now' });
      const doomed = imports.spawnWorker({ CRASH_AT: crashPoint });
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      imports.spawnWorker();
      await expectExact(imports, await imports.untilEnded(job, TAKEN_OVER_MS), 120);
      expect(await imports.count('notifications', `template = 'initialise'`)).toBe(120);
      expect(await imports.count('outbox', `queue = 'notifications'`)).toBe(120);
    } finally {
      await imports.tearDown();
    }
  }

  it.each<CrashPoint>([
    'relay-after-mark',
    'relay-after-publish',
    'import-before-claim',
    'import-before-transaction',
    'import-in-transaction',
    'import-after-commit',
  ])('%s: every record has one outcome, every user is there once and gets one mail', async (crashPoint) => {
    await dieAt(crashPoint);
  });
});

describe('the queue is lost in the middle of an import', { timeout: 240_000 }, () => {
  it('F02: emptied, with FLUSHALL, again and again', async () => {
    const redis = await startOwnRedis();
    const imports = await Imports.build(redis.url);
    const client = new Redis(redis.url);
    try {
      const job = await imports.receive(people(2_000), {}, 100);
      await imports.startWorker();
      await imports.startWorker();
      for (let round = 0; round < 3; round += 1) {
        const reached = (round + 1) * 300;
        await eventually('progress', TAKEN_OVER_MS, async () => (await imports.countUsers()) >= reached);
        await client.flushall();
      }
      await expectExact(imports, await imports.untilEnded(job, TAKEN_OVER_MS), 2_000);
    } finally {
      client.disconnect();
      await imports.tearDown();
      await redis.stop();
    }
  });

  it('F01: killed, and back after some seconds, without anybody restarting a worker', async () => {
    const redis = await startOwnRedis();
    const imports = await Imports.build(redis.url);
    try {
      const job = await imports.receive(people(2_000), {}, 50);
      await imports.startWorker();
      await eventually('progress', TAKEN_OVER_MS, async () => (await imports.countUsers()) >= 200);
      await redis.kill();
      const accepted = await imports.receive([human('meanwhile')]);
      await sleep(8_000);
      await redis.restart();
      await imports.untilEnded(accepted, TAKEN_OVER_MS);
      const ended = await imports.untilEnded(job, TAKEN_OVER_MS);
      await expectExact(imports, ended, 2_000, 2_001);
    } finally {
      await imports.tearDown();
      await redis.stop();
    }
  });
});

describe('what Redis holds of an import (S168, S220)', () => {
  it('is ids and numbers, while it runs and afterwards', async () => {
    const imports = await Imports.build(redisUrl());
    try {
      const records = people(300, {
        profile: { firstName: 'Marker-First', lastName: 'Marker-Last' },
        totpSecret: 'MARKERMARKERMARKERMARKER',
        metadata: { key: 'Marker-Value' },
      });
      const job = await imports.receive(records, { fileName: 'Marker-File.csv' });
      await imports.startWorker();
      const dumps: string[] = [];
      await eventually('the end', TAKEN_OVER_MS, async () => {
        dumps.push(await imports.dumpRedis());
        return (await imports.find(job)).state === 'done';
      });
      const followed = await eventually('the import in the dashboard', TAKEN_OVER_MS, async () => {
        const dump = await imports.dumpRedis();
        // its line in the log, and the ring that is drawn after it
        const isDone = dump.includes('300 of 300 records') && /\\"progress\\":100/.test(dump);
        return isDone ? dump : undefined;
      });
      for (const text of [...dumps, followed, imports.logs()]) {
        expect(text).not.toMatch(/marker-|person-|mail\.test|\$2b\$/i);
      }
    } finally {
      await imports.tearDown();
    }
  });
});
