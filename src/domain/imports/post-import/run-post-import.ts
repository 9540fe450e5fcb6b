import { Injectable } from '@nestjs/common';
import { OutboxStore } from '../../outbox/outbox.store.js';
import type { Acting } from '../../permissions/acting.js';
import type { UserId } from '../../shared/ids.js';
import { UnitOfWork, type Tx } from '../../shared/unit-of-work.js';
import { ImportEvents } from '../import-events.js';
import type { ImportJob, PostImportWork } from '../import-job.js';
import { ImportPermission } from '../import-permission.js';
import { ImportsStore, type FinishedChunk } from '../imports.store.js';
import { enqueuedPostImport, QueueImports, type PostImportJob } from '../queue-imports.js';

/** What one step did; undefined when there was nothing to do. */
export type PostImportStep<Done> = Done | 'ended' | 'held' | undefined;

/**
 * Goes through the chunks of an import that has ended, one transaction and one job of the queue each, for as long as
 * whoever asked for it may (security S164, F46).
 */
@Injectable()
export class RunPostImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly imports: ImportsStore,
    private readonly permission: ImportPermission,
    private readonly queue: QueueImports,
    private readonly outbox: OutboxStore,
    private readonly events: ImportEvents,
  ) {}

  /**
   * @param work what is done for one chunk, which it marks in the same transaction
   * @param actorId who asked for it
   */
  async step<Done>(
    postImport: PostImportWork,
    from: PostImportJob,
    work: (tx: Tx, job: ImportJob, chunk: FinishedChunk, actorId: UserId) => Promise<Done>,
  ): Promise<PostImportStep<Done>> {
    const { jobId } = from;
    const job = await this.imports.findById(jobId);
    const reason = job && (await this.permission.reasonToHold(job, postImport, askedBy(job, postImport)));
    return await this.unitOfWork.run(async (tx): Promise<PostImportStep<Done>> => {
      if (
        !(await this.outbox.take(tx, enqueuedPostImport(postImport, from))) ||
        job === undefined ||
        !isRunning(job, postImport)
      )
        return undefined;
      const { actorId } = askedBy(job, postImport);
      if (reason !== undefined) {
        const held = await this.imports.withdrawPostImport(tx, postImport, jobId);
        if (held !== undefined)
          await this.events.append(tx, held, `import.${postImport}.held`, { reason }, actorId);
        return 'held';
      }
      const chunk = await this.imports.nextFinishedChunk(tx, postImport, jobId);
      if (chunk === undefined) {
        const ended = await this.imports.endPostImport(tx, postImport, jobId);
        if (ended !== undefined) await this.recordEnd(tx, ended, postImport, actorId);
        return 'ended';
      }
      const done = await work(tx, job, chunk, actorId);
      await this.queue.postImport(tx, postImport, jobId, chunk.number);
      return done;
    });
  }

  private async recordEnd(
    tx: Tx,
    job: ImportJob,
    postImport: PostImportWork,
    actorId: UserId,
  ): Promise<void> {
    const { removed = 0, kept = 0 } = job.undo ?? {};
    if (postImport === 'undo') await this.events.append(tx, job, 'import.undone', { removed, kept }, actorId);
    else await this.events.append(tx, job, 'import.notified', {}, actorId);
  }
}

function isRunning(job: ImportJob, postImport: PostImportWork): boolean {
  return (postImport === 'undo' ? job.undo?.state : job.notified) === 'running';
}

/** They need not be who imported. */
function askedBy(job: ImportJob, postImport: PostImportWork): Acting {
  const { undoneBy, notifiedBy, createdBy, createdThrough } = job;
  const imported = { actorId: createdBy, through: createdThrough };
  if (postImport === 'undo') {
    return undoneBy === undefined ? imported : { actorId: undoneBy, through: job.undoneThrough };
  }
  return notifiedBy === undefined ? imported : { actorId: notifiedBy, through: job.notifiedThrough };
}
