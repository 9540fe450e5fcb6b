import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { mountQueueDashboard } from '../../src/http/admin-api/queue-dashboard.js';
import { PinoLog } from '../../src/ops/pino-log.js';
import { JobQueues } from '../../src/queues/job-queues.js';
import { QueuesModule } from '../../src/queues/queues.module.js';
import { cloneDatabase, type TestDatabase } from '../support/databases.js';
import { randomPrefix, redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';

@Module({})
class Root {}

const PAGES = ['', '/', '/queue/notifications', '/queue/notifications/o5-0', '/no/such/page'];
const API = [
  '/api/queues?activeQueue=notifications&page=1',
  '/api/queues/notifications/o5-0',
  '/api/job-schedulers',
];

describe.each(['redis', 'postgres'])('the queue dashboard on %s', (backend) => {
  let database: TestDatabase;
  let app: NestFastifyApplication;
  let queues: JobQueues;
  let available = true;

  beforeAll(async () => {
    database = await cloneDatabase();
    const config = readConfig({
      DATABASE_URL: database.url,
      QUEUE_BACKEND: backend,
      REDIS_URL: redisUrl(),
      QUEUE_PREFIX: randomPrefix(),
    });
    const log = new PinoLog({ level: 'silent', process: 'api' });
    const module = { module: Root, imports: [ConfigModule.with(config, log), QueuesModule] };
    app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), { logger: false });
    queues = app.get(JobQueues);
    await mountQueueDashboard(app, {
      queues: queues.all,
      available: () => available && queues.isUp('notifications'),
      allow: ({ headers }) => {
        if (headers.cookie === 'root') return Promise.resolve('allowed');
        return Promise.resolve(headers.cookie === undefined ? 'sign-in' : 'forbidden');
      },
      sendForbidden: (_request, reply) => reply.code(403).type('text/html').send('<p>not for you</p>'),
    });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    await eventually('the queues', 20_000, () => queues.isUp('notifications'));
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
    await app.close();
    await database.drop();
  });

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
