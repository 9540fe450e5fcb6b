import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startPostgres } from '../../scripts/services.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { migrateDatabase } from '../../src/storage/postgres/migrating/migrate.js';
import { cloneDatabase } from '../support/databases.js';
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

type Server = 'postgres' | 'redis';

/** An API and a worker of one installation, and which of its servers goes away. */
interface Site {
  readonly without: readonly Server[];
  /** What the ops listeners say meanwhile: people can sign in without Redis. */
  readonly ready: { readonly api: number; readonly worker: number };
}

const SITES: readonly Site[] = [
  { without: ['postgres', 'redis'], ready: { api: 503, worker: 503 } },
  { without: ['redis'], ready: { api: 200, worker: 503 } },
  { without: ['postgres'], ready: { api: 503, worker: 503 } },
];

interface Watched {
  readonly name: string;
  readonly process: ApiProcess | WorkerProcess;
  readonly ready: number;
}

async function start({ without, ready }: Site, databaseUrl: string, redisUrl: string): Promise<Watched[]> {
  const environment = {
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: randomPrefix(),
    OPS_PORT: '0',
  };
  const worker = WorkerProcess.spawn(environment);
  const api = await ApiProcess.beside(environment);
  const of = `without ${without.join(' and ')}`;
  return [
    { name: `the worker ${of}`, process: worker, ready: ready.worker },
    { name: `the API ${of}`, process: api, ready: ready.api },
  ];
}

async function untilReady({ name, process }: Watched): Promise<void> {
  await process.untilReady();
  await eventually(`readiness of ${name}`, 60_000, async () => (await process.ops('/readyz')).status === 200);
}

async function isAsExpected({ name, process, ready }: Watched): Promise<void> {
  expect(process.running, `${name}: ${process.log.slice(-4000)}`).toBe(true);
  expect((await process.ops('/livez')).status, name).toBe(200);
  const answer = await process.ops('/readyz');
  expect(answer.status, `${name}: ${answer.body}`).toBe(ready);
}

async function codeOf({ process }: Watched): Promise<number | null> {
  process.signal('SIGTERM');
  await process.exited;
  return process.exitCode;
}

it('F01: ten minutes without PostgreSQL, without Redis, without both: no process ends or grows, and all go on', async () => {
  const [redis, keptRedis] = await Promise.all([startOwnRedis(), startOwnRedis()]);
  const own = () => startPostgres({ dir: path.join(makeTestFolder(), 'postgres'), durable: true });
  const postgres = await Promise.all([own(), own()]);
  for (const { url } of postgres) await migrateDatabase(url);
  const keptDatabase = await cloneDatabase();
  const databases = [...postgres];
  const watched: Watched[] = [];
  for (const site of SITES) {
    const database = site.without.includes('postgres') ? databases.shift()?.url : keptDatabase.serviceUrl;
    const { url } = site.without.includes('redis') ? redis : keptRedis;
    watched.push(...(await start(site, database ?? '', url)));
  }
  await Promise.all(watched.map(untilReady));
  // what a process loads in its first minute is not growth
  await sleep(60_000);
  const before = await Promise.all(watched.map(({ process }) => residentMib(process.log)));

  await Promise.all([redis.kill(), ...postgres.map((server) => server.kill())]);
  const until = performance.now() + TEN_MINUTES_MS;
  while (performance.now() < until) {
    await sleep(LOOK_MS);
    await Promise.all(watched.map(isAsExpected));
  }
  const after = await Promise.all(watched.map(({ process }) => residentMib(process.log)));
  const growth = after.map((mib, index) => mib - (before[index] ?? 0));
  expect(Math.max(...growth), `MiB before ${before.join(', ')}, after ${after.join(', ')}`).toBeLessThan(
    MOST_GROWTH_MIB,
  );

  await Promise.all([redis.restart(), ...postgres.map((server) => server.restart())]);
  await Promise.all(watched.map(untilReady));
  for (const one of watched) {
    expect(await codeOf(one), `${one.name}: ${one.process.log.slice(-4000)}`).toBe(0);
  }
  await Promise.all([redis, keptRedis, ...postgres].map((server) => server.stop()));
  await keptDatabase.drop();
}, 1_000_000);
