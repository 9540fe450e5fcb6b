import type { Queue } from 'bullmq';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import * as bulkActions from '../../../src/queues/bulk-actions.queue.js';
import * as imports from '../../../src/queues/imports.queue.js';
import {
  queueFor,
  queuesOf,
  type BullQueueName,
  type JobContract,
} from '../../../src/queues/job-contract.js';
import { JobQueues } from '../../../src/queues/job-queues.js';
import * as maintenance from '../../../src/queues/maintenance.queue.js';
import * as notifications from '../../../src/queues/notifications.queue.js';
import { KeptLog } from '../../support/sending.js';

/** Those that name the row of the outbox that they were published from. */
const fromTheOutbox = [bulkActions, imports, maintenance, notifications]
  .flatMap((contracts) => Object.values(contracts) as unknown[])
  .filter((one): one is JobContract<object> => typeof one === 'object' && one !== null && 'payload' in one)
  .filter(({ payload }) => payload instanceof z.ZodObject && 'outboxId' in payload.shape);

it('knows of several', () => {
  expect(fromTheOutbox.length).toBeGreaterThan(5);
});

it.each(fromTheOutbox.map((contract) => [contract.name, contract] as const))(
  'adds %s with the options of its contract',
  async (jobName, { queue, options }) => {
    const addBulk = vi.fn<Queue['addBulk']>(() => Promise.resolve([]));
    const made = { on: () => undefined, waitUntilReady: () => Promise.reject(new Error('none')), addBulk };
    const queues = new Map(queuesOf(queue).map((name): [BullQueueName, Queue] => [name, made as never]));
    const job = { id: '5', epoch: 0, queue, jobName, payload: {}, lane: 'priority' } as const;
    expect(queues.has(queueFor(job))).toBe(true);
    await new JobQueues(queues, new KeptLog()).publish(queue, [job]);
    expect(addBulk.mock.lastCall?.[0]).toMatchObject([{ name: jobName, opts: options }]);
  },
);
