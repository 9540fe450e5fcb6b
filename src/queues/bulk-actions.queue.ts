import { z } from 'zod';
import { RUN_BULK_ACTION } from '../domain/bulk-actions/begin-bulk-action.js';
import { KEEP_FINISHED, RETRY_WITH_CEILING, type JobContract } from './job-contract.js';

/** Deals with the next hundred users of an action on many. */
export const runBulkActionJob: JobContract<{ bulkActionId: string; outboxId: string }> = {
  queue: 'imports',
  name: RUN_BULK_ACTION,
  version: 1,
  payload: z.object({
    bulkActionId: z.string().min(1).max(200),
    outboxId: z.string().regex(/^[0-9]{1,19}$/),
  }),
  options: { ...KEEP_FINISHED, attempts: 20, backoff: RETRY_WITH_CEILING },
};
