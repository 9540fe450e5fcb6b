import { Queue } from 'bullmq';
import { describe, expect, it, vi } from 'vitest';
import type { ImportJobId } from '../../../src/domain/shared/ids.js';
import { NamedQueue } from '../../../src/http/admin-api/named-queue.js';

describe('a job of the dashboard, by its name', () => {
  const jobId = '1' as ImportJobId;
  const nameWith = async (progress: object): Promise<string> => {
    const job = { name: 'import', data: { jobId, work: 'import' }, progress };
    const getJob = vi.fn<() => Promise<typeof job>>().mockResolvedValue(job);
    const queue = new NamedQueue(
      Object.assign(Object.create(Queue.prototype) as Queue, { name: 'import-progress', getJob }),
      async () => [{ jobId, fileName: undefined, organization: 'Acme' }],
      { writable: false },
    );
    await queue.getJob(jobId);
    return String(queue.format('name', job));
  };
  const receiving = { state: 'reading', unit: 'bytes' };

  it('says how much has arrived of a file whose size nobody announced', async () => {
    const title = 'import: file without a name · Acme';
    expect(await nameWith({ ...receiving, progress: 0, done: 7_340_032 })).toBe(
      `${title} (receiving the file, 7.0 MiB so far)`,
    );
    expect(await nameWith({ ...receiving, progress: 0, done: 2_047 })).toBe(
      `${title} (receiving the file, 1 KiB so far)`,
    );
  });

  it('leaves that to the ring where the size is known, and for records', async () => {
    expect(await nameWith({ ...receiving, progress: 40, done: 4, total: 10 })).toMatch(
      /\(receiving the file\)$/,
    );
    expect(await nameWith({ state: 'paused', unit: 'records', progress: 0, done: 4 })).toMatch(/\(paused\)$/);
  });
});
