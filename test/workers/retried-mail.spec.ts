import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobLane } from '../../src/domain/outbox/outbox.store.js';
import { BULK_NOTIFICATIONS, type BullQueueName } from '../../src/queues/job-contract.js';
import { redisUrl } from '../support/redis.js';
import { Pipeline } from './support/pipeline.js';

describe('a mail that is tried again', () => {
  let pipeline: Pipeline;
  const queues = new Map<BullQueueName, Queue>();
  let client: Redis;

  beforeAll(async () => {
    pipeline = await Pipeline.build(redisUrl());
    client = new Redis(redisUrl());
    for (const name of ['notifications', BULK_NOTIFICATIONS] as const) {
      queues.set(name, new Queue(name, { connection: { url: redisUrl() }, prefix: pipeline.prefix }));
    }
    await pipeline.startWorker();
  });

  afterAll(async () => {
    for (const queue of queues.values()) await queue.close();
    client.disconnect();
    await pipeline.tearDown();
  });

  /** How often the queue told that it put a job off. */
  async function delaysOf(queue: Queue | undefined, id: string): Promise<number> {
    const told = await client.xrange(queue?.toKey('events') ?? '', '-', '+');
    return told.filter(([, fields]) => {
      return fields[fields.indexOf('event') + 1] === 'delayed' && fields.includes(id);
    }).length;
  }

  it.each<[JobLane, BullQueueName]>([
    ['priority', 'notifications'],
    ['bulk', BULK_NOTIFICATIONS],
  ])('waits as delayed (%s), with its attempts and the last error (S223)', async (lane, name) => {
    let goOn = (): void => undefined;
    const looked = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let tries = 0;
    // it is delayed for half a second and for one: what is looked at lasts until the third attempt, which waits
    pipeline.sink.atRecipient = async () => {
      tries += 1;
      if (tries < 3) return '451';
      await looked;
      return 'accept';
    };
    const mail = await pipeline.seed.queueMail({ lane });
    const queue = queues.get(name);
    const id = `o${mail.outboxId}-0`;
    const look = async (): Promise<unknown> => {
      const job = await queue?.getJob(id);
      const completed = await queue?.getCompletedCount();
      return {
        delays: await delaysOf(queue, id),
        attempts: job?.attemptsMade,
        error: job?.failedReason,
        completed,
      };
    };
    await expect.poll(look).toEqual({ delays: 2, attempts: 2, error: 'smtp_451', completed: 0 });
    expect(
      await pipeline.seed.count('outbox', `id = ${mail.outboxId} AND state = 'published' AND epoch = 0`),
    ).toBe(1);
    expect(await pipeline.dumpRedis()).not.toContain(mail.to);
    goOn();
    await expect.poll(() => pipeline.sink.to(mail.to).length).toBe(1);
    await expect.poll(async () => (await queue?.getJob(id))?.returnvalue).toBe('sent');
  });

  it('is sent in its time where the queue forgot it meanwhile', async () => {
    let refused = true;
    pipeline.sink.atRecipient = () => (refused ? '451' : 'accept');
    const mail = await pipeline.seed.queueMail({ lane: 'priority' });
    const queue = queues.get('notifications');
    const id = `o${mail.outboxId}-0`;
    const forget = async () => (await queue?.getJobState(id)) === 'delayed' && (await queue?.remove(id));
    await expect.poll(forget, { interval: 50 }).toBe(1);
    refused = false;
    await expect.poll(() => pipeline.sink.to(mail.to).length).toBe(1);
  });
});
