import type { Job, JobsOptions } from 'bullmq';
import { z } from 'zod';
import type { ImportProgress, ImportWork } from '../domain/imports/import-progress.js';
import type { ImportAtWork } from '../domain/imports/imports.store.js';
import { KEEP_FINISHED, subjectId } from './job-contract.js';

/**
 * One job for each running import: active from the first byte of its file to its end, its progress that of
 * Postgres. It carries the id and what is done, no name; losing it loses nothing.
 */
export const importProgressJob = {
  payload: z.object({
    jobId: subjectId,
    work: z.enum(['import', 'undo', 'notify']) satisfies z.ZodType<ImportWork>,
  }),
  // a look that fails is made again a second later; more than that is not worth a try
  options: { ...KEEP_FINISHED, attempts: 1 } as JobsOptions,
};

/** Made of what is watched, so that however many workers add it there is one. */
export function importProgressJobId({ jobId, work }: ImportAtWork): string {
  return `${work}-${jobId}`;
}

/** As it stands in the job: `progress` is what the dashboard draws its ring by. */
interface ShownProgress extends Omit<ImportProgress, 'percent' | 'ended'> {
  readonly progress: number;
}

export function shownProgress(found: ImportProgress): ShownProgress {
  const { state, percent, unit, done, total, failed, perSecond } = found;
  return { progress: percent, state, unit, done, total, failed, perSecond };
}

/** What a job shows already; nothing of one that has shown nothing. */
export function shownBefore({ progress }: Pick<Job, 'progress'>): Partial<ShownProgress> {
  return typeof progress === 'object' ? progress : {};
}
