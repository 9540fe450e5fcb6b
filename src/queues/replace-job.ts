import type { JobsOptions, Queue } from 'bullmq';

/**
 * For jobs whose ids come again: in place of one that has ended, and of one that stands in no list any more. BullMQ
 * takes the latter for a job that is there, and adds nothing; a Redis that evicts keys leaves such behind (security F05).
 */
export async function replaceJob(
  queue: Queue,
  name: string,
  data: object,
  options: JobsOptions & { readonly jobId: string },
): Promise<void> {
  const state = await queue.getJobState(options.jobId);
  if (state === 'completed' || state === 'failed' || state === 'unknown') await queue.remove(options.jobId);
  await queue.add(name, data, options);
}
