import { Injectable } from '@nestjs/common';
import { OutboxStore } from '../../outbox/outbox.store.js';
import type { ImportJobId } from '../../shared/ids.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { EndImport } from '../end-import.js';
import { reasonToStop } from '../import-eligibility.js';
import { ENDED_STATES, type ImportJob } from '../import-job.js';
import { ImportsStore } from '../imports.store.js';
import { enqueuedFollow, QueueImports } from '../queue-imports.js';
import { ImportChunksStore } from './import-chunks.store.js';

/** How an import stands, and when to look again; never when it has ended. */
interface ImportLook {
  readonly job: ImportJob | undefined;
  readonly nextInMs: number | undefined;
}

const RUNNING_MS = 1_000;
/** Many may stand in line, or be paused, and looking is not free. */
const WAITING_MS = 10_000;

/**
 * Looks after one import from beside its chunks: what they do when all goes well is theirs, this makes up for what
 * got lost. A chunk whose job the queue and the outbox know nothing of is queued again, a window that two chunks
 * left open at the same moment is filled, and an import that has nothing left to do is ended.
 */
@Injectable()
export class FollowImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly imports: ImportsStore,
    private readonly chunks: ImportChunksStore,
    private readonly queue: QueueImports,
    private readonly outbox: OutboxStore,
    private readonly end: EndImport,
  ) {}

  async look(jobId: ImportJobId, outboxId: string): Promise<ImportLook> {
    const eligibility = await this.imports.findEligibility(jobId);
    const reason = eligibility && reasonToStop(eligibility);
    // also of an import that is paused, or waits: no chunk of it would find out
    if (reason !== undefined) await this.unitOfWork.run((tx) => this.end.stop(tx, jobId, reason));
    const job = await this.imports.findById(jobId);
    if (job === undefined || ENDED_STATES.includes(job.state)) {
      await this.outbox.discard(enqueuedFollow(jobId, outboxId));
      return { job, nextInMs: undefined };
    }
    await this.unitOfWork.run(async (tx) => {
      await this.chunks.requeueLost(tx, jobId);
      await this.queue.fillWindow(tx, job.orgId);
    });
    const ended = await this.end.settle(jobId);
    if (ended === undefined) return { job, nextInMs: job.state === 'running' ? RUNNING_MS : WAITING_MS };
    await this.outbox.discard(enqueuedFollow(jobId, outboxId));
    return { job: ended, nextInMs: undefined };
  }
}
