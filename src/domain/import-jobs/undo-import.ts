import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { OutboxStore } from '../outbox/outbox.store.js';
import type { ImportJobId, UserId } from '../shared/ids.js';
import { type Tx, UnitOfWork } from '../shared/unit-of-work.js';
import { packOutcomes, unpackOutcomes } from './chunk-text.js';
import { EndImport } from './end-import.js';
import { type FinishedChunk, ImportChunksStore } from './import-chunks.store.js';
import type { ImportJob } from './import-job.js';
import { ImportJobsStore } from './import-jobs.store.js';
import { ImportPermission } from './import-permission.js';
import { ImportUsersStore } from './import-users.store.js';
import { QueueImports, UNDO_IMPORT_CHUNK } from './queue-imports.js';

/** What one step of undoing an import did; undefined when there was nothing to do. */
export type UndoStep = { readonly removed: number; readonly kept: number } | 'ended' | 'held' | undefined;

/**
 * Takes the users of an import out again, a chunk at a time. Whoever has signed in since, or was changed or given
 * anything, is kept and listed (security S169). Users that were updated stay as they are: what they were before is
 * not known.
 */
@Injectable()
export class UndoImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly jobs: ImportJobsStore,
    private readonly chunks: ImportChunksStore,
    private readonly users: ImportUsersStore,
    private readonly queue: QueueImports,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
    private readonly end: EndImport,
    private readonly permission: ImportPermission,
  ) {}

  async step(jobId: ImportJobId, outboxId: string): Promise<UndoStep> {
    const job = await this.jobs.findById(jobId);
    const reason = job && (await this.permission.reasonToHold(job, askedBy(job)));
    return await this.unitOfWork.run(async (tx): Promise<UndoStep> => {
      if (!(await this.outbox.take(tx, outboxId)) || job?.undo?.state !== 'running') return undefined;
      if (reason !== undefined) {
        const held = await this.jobs.holdUndo(tx, jobId);
        if (held !== undefined) await this.end.record(tx, held, 'import.undo.held', { reason }, askedBy(job));
        return 'held';
      }
      const chunk = await this.chunks.nextToUndo(tx, jobId);
      if (chunk === undefined) {
        const ended = await this.jobs.endUndo(tx, jobId);
        if (ended !== undefined)
          await this.end.record(tx, ended, 'import.undone', { ...countsOf(ended) }, askedBy(ended));
        return 'ended';
      }
      const counts = await this.undoChunk(tx, job, chunk);
      await this.queue.chunk(tx, UNDO_IMPORT_CHUNK, jobId, chunk.number);
      return counts;
    });
  }

  private async undoChunk(
    tx: Tx,
    job: ImportJob,
    chunk: FinishedChunk,
  ): Promise<{ readonly removed: number; readonly kept: number }> {
    const outcomes = await unpackOutcomes(chunk.outcomes);
    const created = outcomes.flatMap(({ outcome, userId, sequence }) =>
      outcome === 'created' && userId !== undefined ? [{ id: userId, sequence: sequence ?? 1 }] : [],
    );
    const removed = await this.users.removeUntouched(tx, created);
    await this.events.append(
      tx,
      ...removed.map(({ id, orgId, sequence }) => ({
        orgId,
        aggregateType: 'user' as const,
        aggregateId: id,
        sequence,
        type: 'user.removed',
        actorId: askedBy(job),
        data: { import: job.id },
      })),
    );
    const gone = new Set<UserId>(removed.map(({ id }) => id));
    const after = outcomes.map((one) =>
      one.outcome === 'created' && one.userId !== undefined
        ? { ...one, undone: gone.has(one.userId) ? ('removed' as const) : ('kept' as const) }
        : one,
    );
    const counts = { removed: gone.size, kept: created.length - gone.size };
    const written = { number: chunk.number, outcomes: await packOutcomes(after) };
    await this.chunks.markUndone(tx, job.id, written, counts);
    return counts;
  }
}

/** Who undoes need not be who imported. */
function askedBy({ undoneBy, createdBy }: ImportJob): UserId {
  return undoneBy ?? createdBy;
}

function countsOf({ undo }: ImportJob): { readonly removed: number; readonly kept: number } {
  return { removed: undo?.removed ?? 0, kept: undo?.kept ?? 0 };
}
