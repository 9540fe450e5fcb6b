import { expect } from 'vitest';
import { BULL_QUEUE_NAMES } from '../../../src/queues/job-queues.js';
import { eventually } from './eventually.js';
import { Imports } from './imports.js';
import { Pipeline } from './pipeline.js';

/** Asked in case it is allowed: the eviction policy, and a courtesy of the driver's. */
const MAY_BE_REFUSED = new Set(['config|get', 'client|setinfo']);

/** Imports, sends at both priorities, retries and beats in every queue. @param look is called once all is done */
export async function workOfAllKinds(
  redisUrl: string,
  settings: Readonly<Record<string, string>> = {},
  look: (pipeline: Pipeline) => Promise<void> = async () => undefined,
): Promise<void> {
  const imports = await Imports.build(redisUrl, settings);
  const pipeline = await Pipeline.build(redisUrl, settings);
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
  expect(await imports.countUsers()).toBe(people.length);
  await eventually('every mail', 60_000, () => mails.every(({ to }) => pipeline.sink.to(to).length === 1));
  await eventually('a heartbeat of each queue', 30_000, async () => {
    const { rows } = await pipeline.pool.query('SELECT FROM heartbeats');
    return rows.length === BULL_QUEUE_NAMES.length;
  });
  await look(pipeline);
  await imports.tearDown();
  await pipeline.tearDown();
}

/** Of the commands that Redis refused to a user, those that the service needs. */
export function missed(refused: readonly string[]): readonly string[] {
  return refused.filter((command) => !MAY_BE_REFUSED.has(command));
}
