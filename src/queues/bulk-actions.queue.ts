import { z } from 'zod';
import { RUN_BULK_ACTION } from '../domain/bulk-actions/begin-bulk-action.js';
import { HOURS_OF_TRIES, outboxId, subjectId, type JobContract } from './job-contract.js';

/** Deals with the next hundred users of an action on many. */
export const runBulkActionJob: JobContract<{ bulkActionId: string; outboxId: string }> = {
  queue: 'imports',
  name: RUN_BULK_ACTION,
  version: 1,
  payload: z.object({
    bulkActionId: subjectId,
    outboxId,
  }),
  options: HOURS_OF_TRIES,
};
