import { Queue, type Job } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImportsStore } from '../../src/domain/imports/imports.store.js';
import type { JobLane } from '../../src/domain/outbox/outbox.store.js';
import { BULK_NOTIFICATIONS, IMPORT_PROGRESS, type BullQueueName } from '../../src/queues/job-contract.js';
import { QueueWorker } from '../../src/queues/queue-worker.js';
import { replaceJob } from '../../src/queues/replace-job.js';
import { ImportProgressProcessor } from '../../workers/import-progress.processor.js';
import type { RecordHeartbeat } from '../../workers/record-heartbeat.js';
import { randomPrefix, redisUrl } from '../support/redis.js';
import { Imports } from './support/imports.js';
import { Pipeline } from './support/pipeline.js';
import { startOwnRedis } from './support/redis-server.js';

/** Published rows are looked at after 15 s, every 5 s. */
const NOTICED_MS = 60_000;

describe('Redis drops a job and keeps its place in a list (F05)', () => {
  let pipeline: Pipeline;
  let client: Redis;
  const queues = new Map<BullQueueName, Queue>();

  beforeAll(async () => {
    pipeline = await Pipeline.build(redisUrl());
    client = new Redis(redisUrl());
    for (const name of ['notifications', BULK_NOTIFICATIONS] as const) {
      queues.set(name, new Queue(name, { connection: { url: redisUrl() }, prefix: pipeline.prefix }));
    }
    await pipeline.startWorker();
  });

  afterAll(async () => {
    client.disconnect();
    for (const queue of queues.values()) await queue.close();
    await pipeline.tearDown();
  });

  it.each<[JobLane, BullQueueName, string]>([
    ['priority', 'notifications', 'waiting'],
    ['bulk', BULK_NOTIFICATIONS, 'prioritized'],
  ])('the mail is sent once, by another job (%s)', async (lane, name, state) => {
    const queue = queues.get(name);
    await queue?.pause();
    const mail = await pipeline.seed.queueMail({ lane });
    const id = `o${mail.outboxId}-0`;
    await expect.poll(() => queue?.getJobState(id)).toBe(state);
    await client.del(`${pipeline.prefix}:${name}:${id}`);
    await queue?.resume();
    await expect.poll(() => pipeline.sink.to(mail.to).length, { timeout: NOTICED_MS }).toBe(1);
    await expect.poll(() => queue?.getJobState(`o${mail.outboxId}-1`)).toBe('completed');
    expect(await queue?.getJobState(id)).toBe('unknown');
    expect(await client.exists(`${pipeline.prefix}:${name}:${id}`)).toBe(0);
    expect(await pipeline.seed.count('outbox')).toBe(0);
    expect(pipeline.logs()).toContain('Redis has lost jobs');
  });

  it('a mail that waits for its next attempt is sent once, too', async () => {
    const queue = queues.get('notifications');
    pipeline.sink.atRecipient = () => '451';
    const mail = await pipeline.seed.queueMail({ lane: 'priority' });
    const id = `o${mail.outboxId}-0`;
    await expect.poll(() => queue?.getJobState(id), { interval: 50 }).toBe('delayed');
    await client.del(`${pipeline.prefix}:notifications:${id}`);
    pipeline.sink.atRecipient = () => 'accept';
    await expect.poll(() => pipeline.sink.to(mail.to).length, { timeout: NOTICED_MS }).toBe(1);
    await expect.poll(() => pipeline.seed.count('outbox')).toBe(0);
    expect(await queue?.getDelayedCount()).toBe(0);
  });
});

describe('Redis drops of an import that is shown (F05)', () => {
  let redis: Awaited<ReturnType<typeof startOwnRedis>>;
  let imports: Imports;
  let queue: Queue;
  let client: Redis;

  beforeEach(async () => {
    redis = await startOwnRedis();
    imports = await Imports.build(redis.url);
    client = new Redis(redis.url);
    const { prefix } = imports.api.config.queues;
    queue = new Queue(IMPORT_PROGRESS, { connection: { url: redis.url }, prefix });
  });

  afterEach(async () => {
    client.disconnect();
    await queue.close();
    await imports.tearDown();
    await redis.stop();
  });

  const shown = async (id: string): Promise<unknown> => ({
    state: await queue.getJobState(id),
    progress: (await queue.getJob(id))?.progress,
  });

  it('the job: it is shown again', async () => {
    const job = await imports.halfWay();
    await imports.startWorker();
    const id = `import-${job.id}`;
    const half = { state: 'active', progress: { state: 'running', progress: 50 } };
    await expect.poll(() => shown(id)).toMatchObject(half);
    await client.del(queue.toKey(id));
    await expect.poll(() => shown(id)).toMatchObject(half);
    await imports.goOn();
    await expect.poll(() => queue.getJobState(id)).toBe('completed');
  });

  it('the list of what is active: it is shown again once nobody holds it', async () => {
    const job = await imports.halfWay();
    await imports.startWorker();
    const id = `import-${job.id}`;
    const half = { state: 'active', progress: { state: 'running', progress: 50 } };
    await expect.poll(() => shown(id)).toMatchObject(half);
    await client.del(queue.toKey('active'));
    await expect.poll(() => shown(id)).toMatchObject(half);
    await imports.goOn();
    await expect.poll(() => queue.getJobState(id)).toBe('completed');
  });

  it('the list in which it waits: it is shown again', async () => {
    const job = await imports.halfWay();
    const asked = { orgId: job.orgId, jobId: job.id, actorId: imports.owner, through: null };
    await imports.engine.transaction((tx) => imports.engine.steer.pause(tx, asked));
    await imports.startWorker();
    const id = `import-${job.id}`;
    const paused = { state: 'delayed', progress: { state: 'paused', progress: 50 } };
    await expect.poll(() => shown(id)).toMatchObject(paused);
    await client.del(queue.toKey('delayed'));
    await expect.poll(() => shown(id)).toMatchObject(paused);
  });
});

// what would end the job that was lost ends the one in its place: it has the same id, and its lock is still the old one
it('Redis drops the job of an import, which is added again before its worker has given it up: it is shown on (F05)', async () => {
  const connection = { url: redisUrl() };
  const prefix = randomPrefix();
  const queue = new Queue(IMPORT_PROGRESS, { connection, prefix });
  const client = new Redis(redisUrl());
  const watch = { jobId: '1', work: 'import' } as const;
  const jobId = 'import-1';
  const add = async () => await replaceJob(queue, 'import', watch, { jobId });
  const counts = { created: 1, updated: 0, skipped: 0, failed: 0 };
  const look = async () => await Promise.resolve({ state: 'running', counts, total: 2 });
  const processor = new ImportProgressProcessor({ look } as unknown as ImportsStore, {} as RecordHeartbeat);
  let shown = 0;
  const process = async (job: Job, token?: string) => {
    const update = job.updateProgress.bind(job);
    job.updateProgress = async (progress) => {
      shown += 1;
      if (shown > 1) return await update(progress);
      await client.del(queue.toKey(jobId));
      try {
        await update(progress);
      } finally {
        await add();
      }
    };
    return await processor.process(job, token);
  };
  const worker = new QueueWorker(IMPORT_PROGRESS, process, { connection, prefix });
  worker.on('error', () => undefined);
  await add();
  await expect.poll(() => shown).toBeGreaterThan(3);
  await expect.poll(() => queue.getJobState(jobId)).toBe('active');
  processor.beforeApplicationShutdown();
  await worker.close();
  await queue.close();
  client.disconnect();
});
