import { expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.js';
import type { Log } from '../../../src/domain/shared/log.js';
import type { JobQueues } from '../../../src/queues/job-queues.js';
import { Heartbeats } from '../../../workers/heartbeats.js';

/** The ids under which one process enqueues, over as many beats. */
async function idsOfProcess(beats: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let enough: () => void;
  const done = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const queue = {
    removeJobScheduler: async () => true,
    getJobState: async () => 'unknown',
    remove: async () => 0,
    add: async (_name: string, _data: object, { jobId }: { jobId: string }) => {
      ids.push(jobId);
      if (ids.length === beats) enough();
    },
  };
  const queues = { isLinked: () => true, queue: () => queue } as unknown as JobQueues;
  const config = { app: { queues: { worked: ['keys'], heartbeatIntervalMs: 1 } } } as unknown as Config;
  const heartbeats = new Heartbeats(queues, config, { warn: () => undefined } as unknown as Log);
  heartbeats.start();
  await done;
  await heartbeats.beforeApplicationShutdown();
  return ids;
}

it('a process uses a few heartbeat ids in turn, and no other process uses one of them (F08)', async () => {
  const [one, other] = [await idsOfProcess(12), await idsOfProcess(12)];
  expect(new Set(one).size).toBe(4);
  expect(new Set(one.slice(0, 4))).toEqual(new Set(one.slice(4, 8)));
  expect(new Set([...one, ...other]).size).toBe(8);
});
