import { DelayedError, type Job } from 'bullmq';

const LEAST_MS = 250;

/** Hands the job back for a while without counting an attempt. Never returns. */
export async function delayJob(job: Job, token: string | undefined, delayMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + Math.ceil(Math.max(LEAST_MS, delayMs)), token);
  throw new DelayedError();
}

/** For jobs of a newer version than this worker: one of its newer siblings takes them. */
export async function deferToNewerWorker(job: Job, token: string | undefined): Promise<never> {
  return await delayJob(job, token, 5_000);
}
