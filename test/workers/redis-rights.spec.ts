import { expect, it } from 'vitest';
import { BULL_QUEUE_NAMES } from '../../src/queues/job-queues.js';
import { limitedRedis } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Imports } from './support/imports.js';
import { Pipeline } from './support/pipeline.js';

/** Asked in case it is allowed: the eviction policy, and a courtesy of the driver's. */
const MAY_BE_REFUSED = new Set(['config|get', 'client|setinfo']);

it('imports, sends, retries and keeps its schedules with the rights of deploy/redis/users.acl', async () => {
  const redis = await limitedRedis();
  const imports = await Imports.build(redis.url);
  const pipeline = await Pipeline.build(redis.url);
  await Promise.all([imports.startWorker(), pipeline.startWorker()]);
  let refusals = 0;
  pipeline.sink.atRecipient = () => {
    refusals += 1;
    return refusals <= 2 ? '451' : 'accept';
  };
  const people = Array.from({ length: 120 }, (_, n) => ({
    userName: `person${n}`,
    profile: { firstName: 'P', lastName: `${n}` },
    email: { email: `person${n}@example.com`, isEmailVerified: true },
  }));
  const job = await imports.receive(people);
  const lanes = ['priority', 'bulk'] as const;
  const mails = await Promise.all(
    Array.from(
      { length: 12 },
      async (_, n) => await pipeline.seed.queueMail({ lane: lanes[n % 2] ?? 'bulk' }),
    ),
  );
  expect((await imports.untilEnded(job, 60_000)).state).toBe('done');
  await eventually('every mail', 60_000, () => mails.every(({ to }) => pipeline.sink.to(to).length === 1));
  await eventually('a heartbeat of each queue', 30_000, async () => {
    const { rows } = await pipeline.pool.query('SELECT FROM heartbeats');
    return rows.length === BULL_QUEUE_NAMES.length;
  });
  await imports.tearDown();
  await pipeline.tearDown();
  expect((await redis.refused()).filter((command) => !MAY_BE_REFUSED.has(command))).toEqual([]);
});
