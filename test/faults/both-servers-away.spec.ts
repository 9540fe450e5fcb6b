import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startPostgres } from '../../scripts/services.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { migrateDatabase } from '../../src/storage/postgres/migrating/migrate.js';
import { randomPrefix } from '../support/redis.js';
import { eventually } from '../workers/support/eventually.js';
import { startOwnRedis } from '../workers/support/redis-server.js';
import { WorkerProcess } from '../workers/support/worker-process.js';
import { ApiProcess } from './support/api-process.js';

const run = promisify(execFile);

/** By the clock on the wall, for every process. */
const TEN_MINUTES_MS = 600_000;
const LOOK_MS = 15_000;
/** What ten minutes without an answer may add: buffers and garbage, but nothing that grows with every try. */
const MOST_GROWTH_MIB = 80;

async function residentMib(log: string): Promise<number> {
  const pid = /"pid":(\d+)/.exec(log)?.[1];
  if (pid === undefined) throw new Error(`no process id:\n${log}`);
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', pid]);
  return Math.round(Number(stdout) / 1024);
}

it('F01: ten minutes without PostgreSQL and Redis at once: no process ends or grows, and all go on', async () => {
  const redis = await startOwnRedis();
  const postgres = await startPostgres({ dir: path.join(makeTestFolder(), 'postgres'), durable: true });
  await migrateDatabase(postgres.url);
  const environment = {
    NODE_ENV: 'test',
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: randomPrefix(),
    OPS_PORT: '0',
  };
  const worker = WorkerProcess.spawn(environment);
  const api = await ApiProcess.beside(environment);
  const both = [worker, api];
  await Promise.all(both.map((one) => one.untilReady()));
  for (const one of both) {
    await eventually('readiness', 60_000, async () => (await one.ops('/readyz')).status === 200);
  }
  // what a process loads in its first minute is not growth
  await sleep(60_000);
  const before = await Promise.all(both.map((one) => residentMib(one.log)));

  await Promise.all([redis.kill(), postgres.kill()]);
  const until = performance.now() + TEN_MINUTES_MS;
  while (performance.now() < until) {
    await sleep(LOOK_MS);
    for (const one of both) {
      expect(one.running, one.log.slice(-4000)).toBe(true);
      expect((await one.ops('/livez')).status).toBe(200);
      expect((await one.ops('/readyz')).status).toBe(503);
    }
  }
  const after = await Promise.all(both.map((one) => residentMib(one.log)));
  const growth = after.map((mib, index) => mib - (before[index] ?? 0));
  expect(Math.max(...growth), `MiB before ${before.join(', ')}, after ${after.join(', ')}`).toBeLessThan(
    MOST_GROWTH_MIB,
  );

  await Promise.all([redis.restart(), postgres.restart()]);
  for (const one of both) {
    await eventually('readiness', 60_000, async () => (await one.ops('/readyz')).status === 200);
    one.signal('SIGTERM');
  }
  expect(await worker.exited, worker.log.slice(-4000)).toEqual({ code: 0, signal: null });
  await api.exited;
  expect(api.exitCode, api.log.slice(-4000)).toBe(0);
  await Promise.all([redis.stop(), postgres.stop()]);
}, 1_000_000);
