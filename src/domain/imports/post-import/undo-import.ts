import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { packOutcomes, unpackOutcomes } from '../chunks/chunk-text.js';
import type { ImportJob } from '../import-job.js';
import { ImportsStore, type FinishedChunk } from '../imports.store.js';
import type { PostImportJob } from '../queue-imports.js';
import { ImportUsersStore } from '../write/import-users.store.js';
import { RunPostImport, type PostImportStep } from './run-post-import.js';

interface UndoneChunk {
  readonly removed: number;
  readonly kept: number;
}

/**
 * Takes the users of an import out again, a chunk at a time. Whoever has signed in since, or was changed or given
 * anything, is kept and listed (security S169). Users that were updated stay as they are: what they were before is
 * not known.
 */
@Injectable()
export class UndoImport {
  constructor(
    private readonly postImport: RunPostImport,
    private readonly imports: ImportsStore,
    private readonly users: ImportUsersStore,
    private readonly events: EventsStore,
  ) {}

  async step(from: PostImportJob): Promise<PostImportStep<UndoneChunk>> {
    return await this.postImport.step('undo', from, (...chunk) => this.undo(...chunk));
  }

  private async undo(tx: Tx, job: ImportJob, chunk: FinishedChunk, actorId: UserId): Promise<UndoneChunk> {
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
        type: 'user.removed' as const,
        actorId,
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
    await this.imports.markUndone(tx, job.id, written, counts);
    return counts;
  }
}
