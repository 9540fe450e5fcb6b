import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobLane } from '../../src/domain/outbox/outbox.store.js';
import { BULK_NOTIFICATIONS, type BullQueueName } from '../../src/queues/job-contract.js';
import { redisUrl } from '../support/redis.js';
import { Pipeline } from './support/pipeline.js';

describe('a mail that is tried again', () => {
  let pipeline: Pipeline;
  const queues = new Map<BullQueueName, Queue>();

  beforeAll(async () => {
    pipeline = await Pipeline.build(redisUrl());
    for (const name of ['notifications', BULK_NOTIFICATIONS] as const) {
      queues.set(name, new Queue(name, { connection: { url: redisUrl() }, prefix: pipeline.prefix }));
    }
    await pipeline.startWorker();
  });

  afterAll(async () => {
    for (const queue of queues.values()) await queue.close();
    await pipeline.tearDown();
  });

  it.each<[JobLane, BullQueueName]>([
    ['priority', 'notifications'],
    ['bulk', BULK_NOTIFICATIONS],
  ])('waits as delayed (%s), with its attempts and the last error (S223)', async (lane, name) => {
    let refused = true;
    pipeline.sink.atRecipient = () => (refused ? '451' : 'accept');
    const mail = await pipeline.seed.queueMail({ lane });
    const queue = queues.get(name);
    const look = async (): Promise<unknown> => {
      const [job] = (await queue?.getJobs(['delayed'])) ?? [];
      const completed = await queue?.getCompletedCount();
      return { attempts: job?.attemptsMade, error: job?.failedReason, id: job?.id, completed };
    };
    const id = `o${mail.outboxId}-0`;
    const waiting = (attempts: number): object => ({ attempts, error: 'smtp_451', id, completed: 0 });
    await expect.poll(look, { interval: 50 }).toEqual(waiting(1));
    expect(
      await pipeline.seed.count('outbox', `id = ${mail.outboxId} AND state = 'published' AND epoch = 0`),
    ).toBe(1);
    expect(await pipeline.dumpRedis()).not.toContain(mail.to);
    await expect.poll(look, { interval: 50 }).toEqual(waiting(2));
    refused = false;
    await expect.poll(() => pipeline.sink.to(mail.to).length).toBe(1);
    await expect.poll(async () => (await queue?.getJob(id))?.returnvalue).toBe('sent');
  });

  it('is sent in its time where the queue forgot it meanwhile', async () => {
    let refused = true;
    pipeline.sink.atRecipient = () => (refused ? '451' : 'accept');
    const mail = await pipeline.seed.queueMail({ lane: 'priority' });
    const queue = queues.get('notifications');
    const id = `o${mail.outboxId}-0`;
    await expect.poll(async () => await queue?.getJobState(id), { interval: 50 }).toBe('delayed');
    await queue?.remove(id);
    refused = false;
    await expect.poll(() => pipeline.sink.to(mail.to).length).toBe(1);
  });
});
