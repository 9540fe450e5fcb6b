import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobLane } from '../../src/domain/outbox/outbox.store.js';
import { BULK_NOTIFICATIONS, IMPORT_PROGRESS, type BullQueueName } from '../../src/queues/job-contract.js';
import { redisUrl } from '../support/redis.js';
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
