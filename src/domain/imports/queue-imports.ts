import { Injectable } from '@nestjs/common';
import { OutboxStore, type EnqueuedWork } from '../outbox/outbox.store.js';
import type { ImportJobId, OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { PostImportWork } from './import-job.js';
import { ImportsStore } from './imports.store.js';

export const IMPORT_CHUNK = 'import-chunk';
export const FOLLOW_IMPORT = 'follow-import';
export const UNDO_IMPORT_CHUNK = 'undo-import-chunk';
export const NOTIFY_IMPORT_CHUNK = 'notify-import-chunk';
const POST_IMPORT_JOBS = { undo: UNDO_IMPORT_CHUNK, notify: NOTIFY_IMPORT_CHUNK } as const;

/** What the job of a step says. The step is decided by what PostgreSQL holds, never by this. */
export interface PostImportJob {
  readonly jobId: ImportJobId;
  readonly number: number;
  readonly outboxId: string;
}

/**
 * Chunks of one organization that are in the queue or at work at a time. So the queue stays short, whoever has two
 * hundred files waiting does not stand before somebody who has one, and a pause holds after these few.
 */
const WINDOW = 8;

/** Enqueues the jobs of imports, in the transaction that makes them due. */
@Injectable()
export class QueueImports {
  constructor(
    private readonly imports: ImportsStore,
    private readonly outbox: OutboxStore,
  ) {}

  /** Queues as many chunks of the organization as its window has room for. @returns how many */
  async fillWindow(tx: Tx, orgId: OrgId): Promise<number> {
    const chunks = await this.imports.takeNext(tx, orgId, WINDOW);
    for (const { jobId, number } of chunks) await this.chunk(tx, IMPORT_CHUNK, jobId, number);
    return chunks.length;
  }

  /** The job that looks after the import. */
  async follow(tx: Tx, jobId: ImportJobId): Promise<void> {
    await this.outbox.add(tx, { ...followWork(jobId), lane: 'priority' });
  }

  /** The next step of what was asked for after the end: `number` is that of the last chunk, 0 for the first step. */
  async postImport(tx: Tx, postImport: PostImportWork, jobId: ImportJobId, number: number): Promise<void> {
    await this.chunk(tx, POST_IMPORT_JOBS[postImport], jobId, number);
  }

  private async chunk(tx: Tx, jobName: string, jobId: ImportJobId, number: number): Promise<void> {
    await this.outbox.add(tx, { ...chunkWork(jobName, jobId, number), lane: 'normal' });
  }
}

export function enqueuedFollow(jobId: ImportJobId, outboxId: string): EnqueuedWork {
  return { ...followWork(jobId), outboxId };
}

export function enqueuedChunk(jobId: ImportJobId, number: number, outboxId: string): EnqueuedWork {
  return { ...chunkWork(IMPORT_CHUNK, jobId, number), outboxId };
}

export function enqueuedPostImport(
  postImport: PostImportWork,
  { jobId, number, outboxId }: PostImportJob,
): EnqueuedWork {
  return { ...chunkWork(POST_IMPORT_JOBS[postImport], jobId, number), outboxId };
}

function followWork(jobId: ImportJobId): Omit<EnqueuedWork, 'outboxId'> {
  return { queue: 'imports', jobName: FOLLOW_IMPORT, payload: { jobId } };
}

function chunkWork(jobName: string, jobId: ImportJobId, number: number): Omit<EnqueuedWork, 'outboxId'> {
  return { queue: 'imports', jobName, payload: { jobId, number } };
}
