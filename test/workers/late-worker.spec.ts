import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyDatabase } from '../support/databases.js';
import { redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';

describe('what was committed while no worker ran', () => {
  let pipeline: Pipeline;

  beforeAll(async () => {
    pipeline = await Pipeline.build(redisUrl());
  });

  afterAll(async () => {
    await pipeline.tearDown();
  });

  it('is done once a worker runs: 100 processes that died right after their commit (F19)', async () => {
    const { seed } = pipeline;
    const mails = [];
    for (let index = 0; index < 100; index += 1) {
      const mail = await seed.queueMail();
      mails.push(mail);
    }
    expect(await seed.count('outbox', `state = 'pending'`)).toBe(100);
    await pipeline.startWorker();
    await eventually('every mail', 60_000, () => mails.every((mail) => pipeline.sink.to(mail.to).length > 0));
    await eventually('nothing owed', 5_000, async () => (await seed.count('outbox')) === 0);
    expect(pipeline.sink.received).toHaveLength(100);
  });
});
