import { z } from 'zod';
import { KEEP_FINISHED, RETRY_WITH_CEILING, type JobContract } from './job-contract.js';

/** Takes whatever step of the keys is due. It carries nothing: what is due stands in Postgres. */
export const rotateKeysJob: JobContract<object> = {
  queue: 'keys',
  name: 'rotate-keys',
  version: 1,
  payload: z.object({}),
  // one a minute: yesterday's are of no use to anybody
  options: {
    ...KEEP_FINISHED,
    removeOnComplete: { age: 3_600, count: 100 },
    attempts: 5,
    backoff: RETRY_WITH_CEILING,
  },
};
