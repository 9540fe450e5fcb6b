import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig, type AppConfig } from '../../src/config/config.js';
import { ConfigModule } from '../../src/config/config.module.js';
import type { AskedQueueAction } from '../../src/domain/maintenance/record-queue-action.js';
import type { ImportJobId, UserId } from '../../src/domain/shared/ids.js';
import type { Log } from '../../src/domain/shared/log.js';
import { mountQueueDashboard } from '../../src/http/admin-api/queue-dashboard.js';
import { PinoLog } from '../../src/ops/pino-log.js';
import { importProgressJob, importProgressJobId } from '../../src/queues/import-progress.queue.js';
import { JobQueues } from '../../src/queues/job-queues.js';
import { QueuesModule } from '../../src/queues/queues.module.js';
import { addQueueTables, cloneDatabase, type TestDatabase } from '../support/databases.js';
import { limitedRedis, randomPrefix, redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';

@Module({})
class Root {}

const ORIGIN = 'http://id.localhost:8080';
const ROOT = 'root' as UserId;
const VIEWER = 'viewer' as UserId;

const PAGES = ['', '/', '/queue/notifications', '/queue/notifications/o5-0', '/no/such/page'];
const API = [
  '/api/queues?activeQueue=notifications&page=1',
  '/api/queues/notifications/o5-0',
  '/api/job-schedulers',
];

describe.each(['redis', 'postgres'])('the queue dashboard on %s', (backend) => {
  let database: TestDatabase;
  let app: NestFastifyApplication;
  /** The same with `QUEUE_DASHBOARD_WRITES`. */
  let writable: NestFastifyApplication;
  let queues: JobQueues;
  let available = true;
  const recorded: AskedQueueAction[] = [];

  beforeAll(async () => {
    database = await cloneDatabase();
    if (backend === 'postgres') await addQueueTables(database);
    const config = readConfig({
      DATABASE_URL: database.serviceUrl,
      QUEUE_BACKEND: backend,
      REDIS_URL: (await limitedRedis()).url,
      QUEUE_PREFIX: randomPrefix(),
    });
    const log = new PinoLog({ level: 'silent', process: 'api' });
    app = await mount(config, log, false);
    queues = app.get(JobQueues);
    writable = await mount(config, log, true);
    await eventually('the queues', 20_000, () => {
      return [app, writable].every((one) => one.get(JobQueues).isUp('notifications'));
    });
    const job = {
      id: '5',
      epoch: 0,
      queue: 'notifications',
      jobName: 'send-notification',
      payload: { notificationId: '77' },
      lane: 'priority',
    } as const;
    await queues.publish('notifications', [job]);
  });

  afterAll(async () => {
    await writable.close();
    await app.close();
    await database.drop();
  });

  async function mount(config: AppConfig, log: Log, mayWrite: boolean): Promise<NestFastifyApplication> {
    const module = { module: Root, imports: [ConfigModule.with(config, log), QueuesModule] };
    const mounted = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
      logger: false,
    });
    const own = mounted.get(JobQueues);
    await mountQueueDashboard(mounted, {
      queues: own.all,
      writable: mayWrite,
      origin: ORIGIN,
      findTitles: (ids) =>
        Promise.resolve(
          ids.map((jobId) => ({ jobId, fileName: '<b>users</b>\u202e.csv', organization: 'Acme & Sons' })),
        ),
      record: (action) => {
        recorded.push(action);
        return Promise.resolve();
      },
      available: () => available && own.isUp('notifications'),
      allow: ({ headers }) => {
        if (headers.cookie === 'root') return Promise.resolve({ userId: ROOT, mayChange: true });
        if (headers.cookie === 'viewer') return Promise.resolve({ userId: VIEWER, mayChange: false });
        return Promise.resolve(headers.cookie === undefined ? 'sign-in' : 'forbidden');
      },
      sendForbidden: (_request, reply) => reply.code(403).type('text/html').send('<p>not for you</p>'),
    });
    await mounted.init();
    await mounted.getHttpAdapter().getInstance().ready();
    return mounted;
  }

  function ask(url: string, cookie?: string, method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE' = 'GET') {
    return app.inject({ method, url, headers: cookie === undefined ? {} : { cookie } });
  }

  async function staticFile(): Promise<string> {
    const { body } = await ask('/admin/queues', 'root');
    return `/admin/queues/${/src="(static\/js\/main[^"]*)"/.exec(body)?.[1]}`;
  }

  it('shows the job to an instance administrator, with ids only', async () => {
    const list = await ask(`/admin/queues${API[0]}`, 'root');
    expect(list.statusCode).toBe(200);
    expect(list.body).toContain('"o5-0"');
    expect(list.body).toContain('"notificationId":"77"');
    for (const path of [...PAGES.slice(0, 4), ...API]) {
      expect((await ask(`/admin/queues${path}`, 'root')).statusCode, path).toBe(200);
    }
    expect((await ask(await staticFile(), 'root')).statusCode).toBe(200);
  });

  it('sends strangers to the sign-in page and refuses everybody else, on every path (S170)', async () => {
    const spellings = [
      '/%61dmin/queues',
      '/admin/%71ueues/api/queues',
      '/admin/queues/api/queues/',
      '/admin/queues/.',
    ];
    const paths = [
      ...[...PAGES, ...API].map((path) => `/admin/queues${path}`),
      ...spellings,
      await staticFile(),
    ];
    for (const path of paths) {
      const stranger = await ask(path);
      expect([303, 401, 404], path).toContain(stranger.statusCode);
      if (stranger.statusCode === 303) expect(stranger.headers.location).toBe('/login?destination=queues');
      expect([403, 404], path).toContain((await ask(path, 'somebody')).statusCode);
    }
    for (const path of [
      '//admin/queues',
      '/admin//queues/api/queues',
      '/Admin/Queues',
      '/admin/queues%2fapi%2fqueues',
    ]) {
      expect((await ask(path)).statusCode, path).toBe(404);
    }
  });

  it('draws a ring for an import, and names it by its file and organization (S220)', async () => {
    const data = { jobId: '8', work: 'import' } as const;
    const queue = queues.queue('import-progress');
    const job = await queue.add('import', data, {
      ...importProgressJob.options,
      jobId: importProgressJobId({ ...data, jobId: '8' as ImportJobId }),
    });
    const shown = async (): Promise<unknown> => {
      const { body } = await ask('/admin/queues/api/queues?activeQueue=import-progress&page=1', 'viewer');
      const list = JSON.parse(body) as { queues: { name: string; jobs: object[] }[] };
      return list.queues.find(({ name }) => name === 'import-progress')?.jobs[0];
    };
    await job.updateProgress({ progress: 0, state: 'reading' });
    expect(await shown()).toMatchObject({
      id: 'import-8',
      // text, which the page escapes; what turns the direction of reading is gone
      name: 'import: <b>users</b>.csv · Acme & Sons (receiving the file)',
      // bull-board draws none for 0
      progress: { progress: 0.4 },
      data,
    });
    await job.updateProgress({ progress: 42, state: 'running' });
    expect(await shown()).toMatchObject({
      name: 'import: <b>users</b>.csv · Acme & Sons',
      progress: { progress: 42 },
    });
    await job.updateProgress({ progress: 42, state: 'paused' });
    expect(await shown()).toMatchObject({ name: expect.stringMatching(/ \(paused\)$/) });
    const one = await ask('/admin/queues/api/queues/import-progress/import-8', 'viewer');
    expect(one.body).toContain('Acme & Sons (paused)');
  });

  it('lets an instance owner retry, promote and pause where that is switched on, with an event (S221, S222)', async () => {
    const queue = queues.queue('notifications');
    const pause = '/admin/queues/api/queues/notifications/pause';
    let on = app;
    const put = async (url: string, cookie: string, headers: Record<string, string>) =>
      (await on.inject({ method: 'PUT', url, headers: { cookie, ...headers } })).statusCode;
    const ours = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' };
    // switched off
    expect(await put(pause, 'root', ours)).toBe(403);
    on = writable;
    // who only looks; somebody else's page; a request that does not say where it comes from
    expect(await put(pause, 'viewer', ours)).toBe(403);
    expect(await put(pause, 'root', {})).toBe(403);
    expect(await put(pause, 'root', { origin: 'https://elsewhere.example' })).toBe(403);
    expect(await put(pause, 'root', { origin: 'null' })).toBe(403);
    expect(await put(pause, 'root', { origin: ORIGIN, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await queue.isPaused()).toBe(false);
    expect(recorded).toEqual([]);
    // what is not offered
    for (const path of [
      'empty',
      'obliterate',
      'concurrency',
      'clean/failed',
      'retry/completed',
      'o5-0/clean',
    ]) {
      expect(await put(`/admin/queues/api/queues/notifications/${path}`, 'root', ours), path).toBe(403);
    }
    expect(await put('/admin/queues/api/queues/pause', 'root', ours)).toBe(403);
    expect(await put('/admin/queues/api/queues/no-such-queue/pause', 'root', ours)).toBe(404);
    expect(recorded).toEqual([]);
    // and what is
    expect(await put(pause, 'root', ours)).toBe(200);
    expect(await queue.isPaused()).toBe(true);
    expect(await put('/admin/queues/api/queues/notifications/resume', 'root', ours)).toBe(200);
    expect(await queue.isPaused()).toBe(false);
    await queue.add('send-notification', { notificationId: '78' }, { jobId: 'later', delay: 3_600_000 });
    expect(await put('/admin/queues/api/queues/notifications/later/promote', 'root', ours)).toBe(204);
    expect(await queue.getJobState('later')).toBe('waiting');
    expect(recorded).toEqual([
      { action: 'queue.paused', actorId: ROOT, queue: 'notifications', job: undefined },
      { action: 'queue.resumed', actorId: ROOT, queue: 'notifications', job: undefined },
      { action: 'queue.job.promoted', actorId: ROOT, queue: 'notifications', job: 'later' },
    ]);
    // the buttons are there for who may press them
    const buttons = async (cookie: string): Promise<boolean[]> => {
      const url = '/admin/queues/api/queues?activeQueue=notifications&page=1';
      const { body } = await writable.inject({ url, headers: { cookie } });
      return (JSON.parse(body) as { queues: { readOnlyMode: boolean }[] }).queues.map(
        (one) => !one.readOnlyMode,
      );
    };
    expect(new Set(await buttons('root'))).toEqual(new Set([true]));
    expect(new Set(await buttons('viewer'))).toEqual(new Set([false]));
  });

  it('changes nothing for anybody (S171)', async () => {
    const writes = [
      ['PUT', '/api/queues/notifications/pause'],
      ['PUT', '/api/queues/pause'],
      ['PUT', '/api/queues/notifications/obliterate'],
      ['PUT', '/api/queues/notifications/o5-0/clean'],
      ['POST', '/api/queues/notifications/add'],
      ['PATCH', '/api/queues/notifications/o5-0/update-data'],
      ['DELETE', ''],
    ] as const;
    for (const [method, path] of writes) {
      expect((await ask(`/admin/queues${path}`, 'root', method)).statusCode, path).toBe(403);
      expect((await ask(`/admin/queues${path}`, undefined, method)).statusCode, path).not.toBe(200);
    }
    expect(await queues.queue('notifications').isPaused()).toBe(false);
    expect(await queues.queue('notifications').getJob('o5-0')).toBeDefined();
  });

  it('asks nobody else for anything, and lets no page frame it', async () => {
    const page = await ask('/admin/queues', 'root');
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(policy).toContain(`script-src 'self';`);
    expect(page.headers['cache-control']).toBe('no-store');
  });

  it('does not tell what the queues run on', async () => {
    expect((await ask('/admin/queues/api/redis/stats', 'root')).statusCode).toBe(404);
  });

  it('answers at once while the queues are unreachable', async () => {
    available = false;
    expect((await ask('/admin/queues/api/queues', 'root')).statusCode).toBe(503);
    expect((await ask('/admin/queues', 'root')).statusCode).toBe(200);
    available = true;
  });
});

it('leaves what BullMQ makes a queue of as it was', async () => {
  const queue = new Queue('keys', { connection: { url: redisUrl() }, prefix: randomPrefix() });
  expect(await queue.count()).toBe(0);
  await queue.close();
});
