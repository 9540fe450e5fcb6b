import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../../scripts/services.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { migrateDatabase } from '../../src/storage/postgres/migrating/migrate.js';
import { ApiProcess } from '../faults/support/api-process.js';
import { randomPrefix, redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';
import { startOwnRedis } from './support/redis-server.js';
import { askOps, WorkerProcess } from './support/worker-process.js';

const preload = (file: string) => `--import=${pathToFileURL(path.join(import.meta.dirname, file)).href}`;
const HURRIED = preload('support/hurried-clock.mjs');
const STUCK = preload('support/stuck-consumer.mjs');
const STANDING = preload('../faults/support/stand-still.mjs');
/** Longer than any process waits before it ends itself; by the clock that these processes are given, ten minutes. */
const A_WHILE_MS = 62_000;

/** Ten minutes by the clock of these processes, which runs at its own speed before and after. */
async function tenMinutes(...processes: readonly { signal(signal: NodeJS.Signals): void }[]): Promise<void> {
  for (const one of processes) one.signal('SIGUSR2');
  await sleep(A_WHILE_MS);
  for (const one of processes) one.signal('SIGUSR2');
}

describe.concurrent('a process that a restart would mend', () => {
  it('ends with 1 when a consumer is stuck for a minute although PostgreSQL and Redis answer', async () => {
    const pipeline = await Pipeline.build(redisUrl());
    const worker = await pipeline.startWorker(
      { NODE_OPTIONS: `${HURRIED} ${STUCK}` },
      'modules/workers/main.js',
    );
    expect((await worker.untilOps('/livez', 200)).body).toBe('{"status":"ok"}');
    // for both that are loaded into it
    worker.signal('SIGUSR2');
    await eventually('a red probe', 30_000, async () => (await worker.ops('/livez')).status === 503);
    expect(await worker.exited, worker.log).toEqual({ code: 1, signal: null });
    expect(worker.log).toContain('stuck for a minute although PostgreSQL and Redis answer');
    await pipeline.tearDown();
  });

  it('is killed when its event loop stands still for a minute', async () => {
    const pipeline = await Pipeline.build(redisUrl());
    const worker = await pipeline.startWorker({ NODE_OPTIONS: STANDING, STAND_STILL_MS: '110000' });
    worker.signal('SIGUSR2');
    expect(await worker.exited, worker.log).toEqual({ code: null, signal: 'SIGKILL' });
    expect(worker.log).toContain('the event loop has stood still for a minute');
    await pipeline.tearDown();
  });

  it('is killed when its event loop stands still for a minute, the API, too', async () => {
    const pipeline = await Pipeline.build(redisUrl());
    const standing = { NODE_ENV: 'test', NODE_OPTIONS: STANDING, STAND_STILL_MS: '110000', OPS_PORT: '0' };
    const api = await ApiProcess.beside(pipeline.environment(standing));
    await api.untilReady();
    api.signal('SIGUSR2');
    expect(await api.exited, api.log).toBe('SIGKILL');
    expect(api.log).toContain('the event loop has stood still for a minute');
    await pipeline.tearDown();
  });
});

// of ten minutes, without each and without both, with nothing hurried: test/faults/both-servers-away.spec.ts
describe.concurrent('a process without one of its servers for a minute, whose clock says ten', () => {
  it('stays up without Redis, the worker unready and the API serving, and goes on', async () => {
    const redis = await startOwnRedis();
    const pipeline = await Pipeline.build(redis.url);
    const worker = await pipeline.startWorker({ NODE_OPTIONS: HURRIED });
    const api = await ApiProcess.beside(
      pipeline.environment({ NODE_ENV: 'test', NODE_OPTIONS: HURRIED, OPS_PORT: '0' }),
    );
    await api.untilReady();
    await redis.kill();
    await tenMinutes(worker, api);
    expect(worker.running, worker.log).toBe(true);
    expect(api.running, api.log).toBe(true);
    expect((await worker.ops('/readyz')).status).toBe(503);
    // people sign in without Redis: their mails wait in PostgreSQL
    for (const path of ['/debug/healthz', '/debug/ready', '/.well-known/openid-configuration']) {
      // a check has two seconds, which a busy machine may take
      await eventually(`200 of ${path}`, 30_000, async () => (await fetch(api.origin + path)).status === 200);
    }
    await redis.restart();
    const mail = await pipeline.seed.queueMail();
    await eventually('a mail', 30_000, () => pipeline.sink.to(mail.to).length === 1);
    await api.kill();
    await pipeline.tearDown();
    await redis.stop();
  });

  it('stays up and unready without PostgreSQL, API and worker, and goes on', async () => {
    const folder = makeTestFolder();
    const postgres = await startPostgres({ dir: path.join(folder, 'postgres'), durable: false });
    await migrateDatabase(postgres.url);
    const environment = {
      NODE_ENV: 'test',
      NODE_OPTIONS: HURRIED,
      DATABASE_URL: postgres.url,
      REDIS_URL: redisUrl(),
      QUEUE_PREFIX: randomPrefix(),
      OPS_PORT: '0',
    };
    const worker = WorkerProcess.spawn(environment);
    const api = await ApiProcess.beside(environment);
    await Promise.all([worker.untilReady(), api.untilReady()]);
    await postgres.kill();
    await tenMinutes(worker, api);
    expect(worker.running, worker.log).toBe(true);
    expect(api.running, api.log).toBe(true);
    expect((await worker.ops('/readyz')).status).toBe(503);
    expect((await fetch(`${api.origin}/debug/ready`)).status).toBe(412);
    await postgres.restart();
    await eventually('both to be ready', 60_000, async () => {
      const answers = [
        (await worker.ops('/readyz')).status,
        (await fetch(`${api.origin}/debug/ready`)).status,
      ];
      return answers.every((status) => status === 200);
    });
    await Promise.all([worker.kill(), api.kill()]);
    await postgres.stop();
  });

  it('waits for PostgreSQL where it starts first, alive and unready, and ends for what waiting cannot mend', async () => {
    const folder = makeTestFolder();
    // durable: it is killed right after it was migrated
    const postgres = await startPostgres({ dir: path.join(folder, 'postgres'), durable: true });
    await postgres.kill();
    const environment = { NODE_ENV: 'test', DATABASE_URL: postgres.url, REDIS_URL: redisUrl() };
    const own = () => ({ ...environment, QUEUE_PREFIX: randomPrefix(), OPS_PORT: '0' });
    const worker = WorkerProcess.spawn(own());
    const api = await ApiProcess.beside(own());
    for (const one of [worker, api]) {
      await eventually('to wait', 60_000, () =>
        one.log.includes('PostgreSQL cannot be reached; waiting for it'),
      );
      expect(await one.ops('/livez')).toEqual({ status: 200, body: '{"status":"ok"}' });
      expect((await one.ops('/readyz')).status).toBe(503);
    }
    await sleep(5_000);
    for (const one of [worker, api]) {
      expect(one.running, one.log).toBe(true);
      expect(one.log.split('PostgreSQL cannot be reached').length - 1, 'lines about it').toBe(1);
    }
    // one that is asked to end does not wait until it may
    const asked = WorkerProcess.spawn(own());
    await eventually('to wait', 60_000, () => asked.log.includes('waiting for it'));
    asked.signal('SIGTERM');
    expect(await asked.exited, asked.log).toEqual({ code: 0, signal: null });

    await postgres.restart();
    // reached, but nobody has migrated it
    expect((await worker.exited).code, worker.log).toBe(1);
    expect(worker.log).toContain('run npm run migrate');
    await api.exited;
    expect(api.log).toContain('run npm run migrate');

    await migrateDatabase(postgres.url);
    await postgres.kill();
    const later = [WorkerProcess.spawn(own()), await ApiProcess.beside(own())];
    for (const one of later) {
      await eventually('to wait', 60_000, () => one.log.includes('waiting for it'));
    }
    await postgres.restart();
    await Promise.all(later.map((one) => one.untilReady()));
    for (const one of later) {
      // the listener of the wait has made room for that of the process
      const log = one.log.slice(one.log.indexOf('PostgreSQL can be reached'));
      await eventually('readiness', 30_000, async () => (await askOps(log, '/readyz')).status === 200);
    }
    await Promise.all(later.map((one) => one.kill()));
    await postgres.stop();
  });
});
