import type { ImportJobId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ImportAsker } from './import-eligibility.js';
import type { ImportChange, ImportJob } from './import-job.js';

/**
 * What somebody asks for once an import has ended, and is done a chunk at a time: its users are taken out again, or
 * get the messages that were kept back.
 */
export type PostImportWork = 'undo' | 'notify';

/** A chunk whose users are there, with what became of its records as `packOutcomes` made it. */
export interface FinishedChunk {
  readonly number: number;
  readonly outcomes: Buffer;
}

export abstract class PostImportStore {
  /**
   * No chunk of the job is at work after that. Undefined when it was begun before, when the job has not ended or has
   * nothing of the kind to do, or while the other one is under way.
   */
  abstract begin(tx: Tx, postImport: PostImportWork, change: ImportChange): Promise<ImportJob | undefined>;

  /** Undefined when it had ended. */
  abstract end(tx: Tx, postImport: PostImportWork, id: ImportJobId): Promise<ImportJob | undefined>;

  /** As if it had not been asked for: somebody who may can ask again, for what is left. Undefined when it had ended. */
  abstract withdraw(tx: Tx, postImport: PostImportWork, id: ImportJobId): Promise<ImportJob | undefined>;

  /** Somebody who asked for it. Undefined when there is no such job. */
  abstract findAsker(id: ImportJobId, userId: UserId): Promise<ImportAsker | undefined>;

  /** The next chunk that it is still to be done for, held; undefined when there is none left. */
  abstract next(tx: Tx, postImport: PostImportWork, id: ImportJobId): Promise<FinishedChunk | undefined>;

  /** Writes down what became of the users of a chunk; `outcomes` takes the place of what was kept. */
  abstract markUndone(
    tx: Tx,
    id: ImportJobId,
    chunk: FinishedChunk,
    counts: { readonly removed: number; readonly kept: number },
  ): Promise<void>;

  abstract markNotified(tx: Tx, id: ImportJobId, number: number): Promise<void>;
}
