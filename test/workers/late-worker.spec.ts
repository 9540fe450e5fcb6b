import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';
import type { QueuedMail } from './support/seed.js';

describe('what was committed while nobody could enqueue it (F19)', () => {
  let pipeline: Pipeline;

  beforeAll(async () => {
    pipeline = await Pipeline.build(redisUrl());
  });

  afterAll(async () => {
    await pipeline.tearDown();
  });

  it('is done when workers come, once each, however many of them', async () => {
    const { seed, sink } = pipeline;
    const mails: QueuedMail[] = [];
    for (let index = 0; index < 100; index += 1) mails.push(await seed.queueMail());
    expect(await seed.count('outbox', `state = 'pending'`)).toBe(100);
    await Promise.all([pipeline.startWorker(), pipeline.startWorker()]);
    await eventually('every mail', 30_000, () => mails.every((mail) => sink.to(mail.to).length > 0));
    await eventually('nothing queued', 20_000, async () => (await seed.count('outbox')) === 0);
    expect(sink.received).toHaveLength(100);
    expect(await seed.count('events', `type = 'notification.sent'`)).toBe(100);
  });
});
