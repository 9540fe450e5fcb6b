import { z } from 'zod';
import { type JobContract, KEEP_FINISHED, RETRY_WITH_CEILING } from './job-contract.js';

/** What the service does to itself. Each of these may run twice, be lost or be killed: the next one makes up for it. */
const upkeepOptions = { ...KEEP_FINISHED, attempts: 3, backoff: RETRY_WITH_CEILING } as const;
const nothing = z.object({});

export const removeExpiredRowsJob: JobContract<object> = {
  queue: 'maintenance',
  name: 'remove-expired-rows',
  version: 1,
  payload: nothing,
  options: upkeepOptions,
};

export const ensureEventPartitionsJob: JobContract<object> = {
  queue: 'maintenance',
  name: 'ensure-event-partitions',
  version: 1,
  payload: nothing,
  options: upkeepOptions,
};
