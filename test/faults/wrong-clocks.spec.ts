import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useApiPerTest } from '../support/api.js';
import { eventually } from '../workers/support/eventually.js';
import { Pipeline } from '../workers/support/pipeline.js';
import { useRedisPerTest } from '../workers/support/redis-server.js';
import type { QueuedMail } from '../workers/support/seed.js';
import { useWorkers } from '../workers/support/use-workers.js';
import type { WorkerProcess } from '../workers/support/worker-process.js';

const DAY = 86_400;
const HOUR_MS = 3_600_000;
const SHIFTED = path.resolve('test/faults/support/shifted-clock.mjs');

const redis = useRedisPerTest();
const api = useApiPerTest();
const workers = useWorkers(api, () => ({ REDIS_URL: redis.url, WORKER_QUEUES: 'keys' }));

beforeEach(async () => {
  // looked at every quarter of a second
  await api.sql.query(`UPDATE key_schedule SET rotation_seconds = ${DAY}, lead_seconds = 2`);
});

interface Wrong {
  readonly byMs?: number;
  readonly stepMs?: number;
  readonly zone?: string;
}

/** A worker of the keys alone, whose clock is wrong. */
async function spawn({ byMs = 0, stepMs = 0, zone = 'UTC' }: Wrong): Promise<WorkerProcess> {
  const worker = workers.spawn({
    NODE_OPTIONS: `--import=${SHIFTED}`,
    CLOCK_WRONG_MS: String(byMs),
    CLOCK_STEP_MS: String(stepMs),
    TZ: zone,
  });
  await worker.untilReady();
  return worker;
}

async function states(): Promise<Record<string, number>> {
  const { rows } = await api.sql.query<{ state: string; count: number }>(
    `SELECT state, count(*)::int AS count FROM signing_keys WHERE algorithm = 'RS256' GROUP BY state`,
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}

/** Jobs of the keys that the workers have done in all. */
async function looks(): Promise<number> {
  const bodies = await Promise.all(
    workers.spawned.map(async (worker) => (await worker.ops('/metrics')).body),
  );
  return bodies
    .map((body) =>
      Number(/identity_jobs_total\{queue="keys",outcome="completed"\} (\d+)/.exec(body)?.[1] ?? 0),
    )
    .reduce((a, b) => a + b, 0);
}

async function moreLooks(count: number): Promise<void> {
  const wanted = (await looks()) + count;
  await eventually(`${count} more looks`, 120_000, async () => (await looks()) >= wanted);
}

async function rotatesOnce(): Promise<void> {
  await moreLooks(10);
  expect(await states()).toEqual({ current: 1 });
  await api.advance(DAY);
  await eventually('the rotation', 60_000, async () => (await states())['previous'] === 1);
  await moreLooks(10);
  expect(await states()).toEqual({ current: 1, previous: 1 });
}

describe("a rotation is a matter of the database's clock", () => {
  it('with workers ten minutes ahead, ten minutes behind, and in zones of their own (F29)', async () => {
    await spawn({ byMs: 600_000, zone: 'Pacific/Kiritimati' });
    await spawn({ byMs: -600_000, zone: 'America/St_Johns' });
    await rotatesOnce();
  });

  it('when the clock of the host is set forward by an hour (F30)', async () => {
    const worker = await spawn({ stepMs: HOUR_MS });
    await moreLooks(3);
    worker.signal('SIGUSR2');
    await rotatesOnce();
  });

  it('when the clock of the host is set back by an hour (F30)', async () => {
    const worker = await spawn({ stepMs: -HOUR_MS });
    await moreLooks(3);
    worker.signal('SIGUSR2');
    await rotatesOnce();
  });

  it('when the clock of one of two hosts is set forward by an hour (F30)', async () => {
    const steady = await spawn({});
    const jumping = await spawn({ stepMs: HOUR_MS });
    await moreLooks(3);
    jumping.signal('SIGUSR2');
    await rotatesOnce();
    expect(steady.running && jumping.running).toBe(true);
  });
});

describe('whether the code in a mail has expired is too (F29)', () => {
  it.each([600_000, -600_000])('with a worker whose clock is wrong by %i ms', async (byMs) => {
    const pipeline = await Pipeline.build(redis.url);
    try {
      const at = (seconds: number) => new Date(Date.now() + seconds * 1000);
      const alive = await pipeline.seed.queueMail({ expiresAt: at(300) });
      const over = await pipeline.seed.queueMail({ expiresAt: at(-300) });
      await pipeline.startWorker({
        NODE_OPTIONS: `--import=${SHIFTED}`,
        CLOCK_WRONG_MS: String(byMs),
      });
      const stateOf = async (mail: QueuedMail) => (await pipeline.seed.stateOf(mail)).state;
      await eventually('the one that is good', 30_000, async () => (await stateOf(alive)) === 'sent');
      await eventually('the end of the other', 30_000, async () => (await stateOf(over)) === 'abandoned');
      expect(pipeline.sink.to(alive.to)).toHaveLength(1);
      expect(pipeline.sink.to(over.to)).toHaveLength(0);
    } finally {
      await pipeline.tearDown();
    }
  });
});
