import { Injectable } from '@nestjs/common';
import { OutboxStore } from '../outbox/outbox.store.js';
import type { Acting } from '../permissions/acting.js';
import type { ImportJobId, UserId } from '../shared/ids.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { EndImport } from './end-import.js';
import { ImportAftercareStore, type FinishedChunk, type ImportAftercare } from './import-aftercare.store.js';
import type { ImportJob } from './import-job.js';
import { ImportJobsStore } from './import-jobs.store.js';
import { ImportPermission } from './import-permission.js';
import { QueueImports } from './queue-imports.js';

/** What one step did; undefined when there was nothing to do. */
export type AftercareStep<Done> = Done | 'ended' | 'held' | undefined;

/**
 * Goes through the chunks of an import that has ended, one transaction and one job of the queue each, for as long as
 * whoever asked for it may (security S164, F46).
 */
@Injectable()
export class RunImportAftercare {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly jobs: ImportJobsStore,
    private readonly store: ImportAftercareStore,
    private readonly permission: ImportPermission,
    private readonly queue: QueueImports,
    private readonly outbox: OutboxStore,
    private readonly end: EndImport,
  ) {}

  /**
   * @param work what is done for one chunk, which it marks in the same transaction
   * @param actorId who asked for it
   */
  async step<Done>(
    aftercare: ImportAftercare,
    jobId: ImportJobId,
    outboxId: string,
    work: (tx: Tx, job: ImportJob, chunk: FinishedChunk, actorId: UserId) => Promise<Done>,
  ): Promise<AftercareStep<Done>> {
    const job = await this.jobs.findById(jobId);
    const reason = job && (await this.permission.reasonToHold(job, askedBy(job, aftercare)));
    return await this.unitOfWork.run(async (tx): Promise<AftercareStep<Done>> => {
      if (!(await this.outbox.take(tx, outboxId)) || job === undefined || !isRunning(job, aftercare))
        return undefined;
      const { actorId } = askedBy(job, aftercare);
      if (reason !== undefined) {
        const held = await this.store.hold(tx, aftercare, jobId);
        if (held !== undefined)
          await this.end.record(tx, held, `import.${aftercare}.held`, { reason }, actorId);
        return 'held';
      }
      const chunk = await this.store.next(tx, aftercare, jobId);
      if (chunk === undefined) {
        const ended = await this.store.end(tx, aftercare, jobId);
        if (ended !== undefined) await this.recordEnd(tx, ended, aftercare, actorId);
        return 'ended';
      }
      const done = await work(tx, job, chunk, actorId);
      await this.queue.aftercare(tx, aftercare, jobId, chunk.number);
      return done;
    });
  }

  private async recordEnd(
    tx: Tx,
    job: ImportJob,
    aftercare: ImportAftercare,
    actorId: UserId,
  ): Promise<void> {
    const { removed = 0, kept = 0 } = job.undo ?? {};
    if (aftercare === 'undo') await this.end.record(tx, job, 'import.undone', { removed, kept }, actorId);
    else await this.end.record(tx, job, 'import.notified', {}, actorId);
  }
}

function isRunning(job: ImportJob, aftercare: ImportAftercare): boolean {
  return (aftercare === 'undo' ? job.undo?.state : job.notified) === 'running';
}

/** They need not be who imported. */
function askedBy(job: ImportJob, aftercare: ImportAftercare): Acting {
  const { undoneBy, notifiedBy, createdBy, createdThrough } = job;
  const imported = { actorId: createdBy, through: createdThrough };
  if (aftercare === 'undo') {
    return undoneBy === undefined ? imported : { actorId: undoneBy, through: job.undoneThrough };
  }
  return notifiedBy === undefined ? imported : { actorId: notifiedBy, through: job.notifiedThrough };
}
