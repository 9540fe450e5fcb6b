import { DelayedError, ErrorCode, type Job } from 'bullmq';
import { describe, expect, it } from 'vitest';
import type { ImportJobState } from '../../../src/domain/imports/import-job.js';
import type { ImportsStore } from '../../../src/domain/imports/imports.store.js';
import { AT_ONCE, ImportProgressProcessor } from '../../../workers/import-progress.processor.js';
import type { RecordHeartbeat } from '../../../workers/record-heartbeat.js';

/** As BullMQ says it. */
async function lost(): Promise<never> {
  throw await Promise.resolve(
    Object.assign(new Error('Missing key for job import-1'), { code: ErrorCode.JobNotExist }),
  );
}

function processing(count: number) {
  let looks = 0;
  let delayed = 0;
  // PostgreSQL is away, so that no import ends
  const look = async () => {
    looks += 1;
    return await Promise.reject(new Error('away'));
  };
  const processor = new ImportProgressProcessor({ look } as unknown as ImportsStore, {} as RecordHeartbeat);
  const jobs = Array.from({ length: count }, async (_, index) => {
    const job = {
      id: `import-${index}`,
      name: 'import',
      data: { jobId: `${index}`, work: 'import' },
      moveToDelayed: async () => void (delayed += 1),
    } as unknown as Job;
    await processor.process(job).catch((error: unknown) => {
      if (!(error instanceof DelayedError)) throw error;
    });
  });
  return { processor, jobs, delayed: () => delayed, looksOfEach: () => looks / count };
}

describe('the jobs that show imports', () => {
  // a worker whose places are all taken asks for no job: to its probe it is silent, and heartbeats do not get through
  it('give up their places in turn where there are as many as a worker holds', async () => {
    const { processor, jobs, delayed } = processing(AT_ONCE);
    await expect.poll(delayed).toBeGreaterThan(0);
    processor.beforeApplicationShutdown();
    await Promise.all(jobs);
  });

  it('keep them where others have room', async () => {
    const { processor, jobs, delayed, looksOfEach } = processing(AT_ONCE - 1);
    // one a second
    await expect.poll(looksOfEach).toBeGreaterThan(7);
    expect(delayed()).toBe(0);
    processor.beforeApplicationShutdown();
    await Promise.all(jobs);
  });

  // ended, it would take the job with it that was added in its place meanwhile, under the same id and the same lock (F05)
  it.each<[string, Partial<Job>, ImportJobState]>([
    ['while it shows how far its import is', { updateProgress: async () => await lost() }, 'running'],
    ['while it hands a paused import on', { moveToDelayed: async () => await lost() }, 'paused'],
  ])('are left alone where Redis has lost one %s', async (_name, methods, state) => {
    const counts = { created: 1, updated: 0, skipped: 0, failed: 0 };
    const look = async () => await Promise.resolve({ state, counts, total: 2 });
    const processor = new ImportProgressProcessor({ look } as unknown as ImportsStore, {} as RecordHeartbeat);
    const job = {
      id: 'import-1',
      name: 'import',
      data: { jobId: '1', work: 'import' },
      log: async () => await Promise.resolve(1),
      updateProgress: async () => await Promise.resolve(),
      isActive: async () => await Promise.resolve(true),
      ...methods,
    } as unknown as Job;
    await expect(processor.process(job)).rejects.toBeInstanceOf(DelayedError);
  });
});
