import type { Job } from 'bullmq';
import { expect, it } from 'vitest';
import type { RunBulkAction } from '../../../src/domain/bulk-actions/run-bulk-action.js';
import type { ImportPace } from '../../../src/domain/imports/chunks/import-pace.js';
import { runBulkActionJob } from '../../../src/queues/bulk-actions.queue.js';
import type { ImportChunkJobs } from '../../../workers/import-chunk-jobs.js';
import { ImportsProcessor } from '../../../workers/imports.processor.js';

it('actions on many users wait for their turn, as chunks of imports do', async () => {
  const order: string[] = [];
  const pace = {
    run: async <T>(work: () => Promise<T>) => {
      order.push('turn');
      return await work();
    },
  } as ImportPace;
  const bulkActions = {
    step: async () => {
      order.push('step');
      return '100 users, goes on';
    },
  } as unknown as RunBulkAction;
  const none = {} as never;
  const chunks = { showShareOfTime: () => undefined } as unknown as ImportChunkJobs;
  const processor = new ImportsProcessor(chunks, none, none, bulkActions, pace, none);
  const job = { name: runBulkActionJob.name, data: { bulkActionId: 'a', outboxId: '1' } } as Job;
  expect(await processor.process(job)).toBe('100 users, goes on');
  expect(order).toEqual(['turn', 'step']);
});
