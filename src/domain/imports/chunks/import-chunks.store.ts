import type { Acting } from '../../permissions/acting.js';
import type { ApplicationId, ImportJobId, OrgId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { ImportEligibility } from '../import-eligibility.js';
import type { ImportCounts, ImportedState, ImportMode, ImportNotify } from '../import-job.js';
import type { ImportPass } from '../records/passes.js';

/** A chunk that is this worker's until the claim lapses, with what its job says about it. */
export interface ClaimedChunk {
  readonly jobId: ImportJobId;
  readonly number: number;
  readonly orgId: OrgId;
  readonly fence: string;
  /** This one and those that nobody gave back. */
  readonly attempts: number;
  readonly records: number;
  readonly pass: ImportPass;
  readonly recordsOrgId: OrgId;
  /** Undefined when what was sealed does not open any more. */
  readonly packed: Buffer | undefined;
  readonly mode: ImportMode;
  readonly dryRun: boolean;
  readonly notify: ImportNotify;
  readonly initialState: ImportedState | undefined;
  readonly updatePasswords: boolean;
  readonly instanceWide: boolean;
  readonly createdBy: UserId;
  /** The application by whose token they asked; null for a token of their own. */
  readonly createdThrough: ApplicationId | null;
  readonly eligibility: ImportEligibility;
}

/** Who asked for the import, and through what. */
export function actingOf({ createdBy, createdThrough }: ClaimedChunk): Acting {
  return { actorId: createdBy, through: createdThrough };
}

export type ChunkClaim =
  | { readonly kind: 'claimed'; readonly chunk: ClaimedChunk }
  /** Done, dropped or not there: nothing to do. */
  | { readonly kind: 'finished' }
  /** The job was paused or ended before the chunk's turn: it is put back, or dropped. */
  | { readonly kind: 'held-back' }
  /** Another worker is at it until then. */
  | { readonly kind: 'busy'; readonly retryInMs: number };

export interface ChunkResults {
  readonly counts: ImportCounts;
  /** As `packOutcomes` makes it. */
  readonly outcomes: Buffer;
  /** As `packRecords` makes it: the records that failed. */
  readonly failed: Buffer | undefined;
}

export interface HalfChunk {
  readonly firstLine: number;
  readonly records: number;
  readonly packed: Buffer;
}

/**
 * The work on one chunk, by the worker that has claimed it: no change is made for a claim that another worker has taken over. What is
 * done to a chunk before and after belongs to the import (`ImportsStore`).
 */
export abstract class ImportChunksStore {
  /** One conditional statement, committed on its own: queued, or running with a lapsed claim → running. */
  abstract claim(jobId: ImportJobId, number: number, holdMs: number): Promise<ChunkClaim>;

  /** @returns false when the chunk is another worker's by now */
  abstract renew(chunk: ClaimedChunk, holdMs: number): Promise<boolean>;

  /** Back into the queue after an error: as if it had not been begun, unless its records are to blame. */
  abstract release(chunk: ClaimedChunk, blame: 'records' | 'circumstances'): Promise<void>;

  /**
   * Keeps the chunk from every other worker until the transaction ends.
   * @returns the time; undefined when it is another worker's by now: then nothing may be written
   */
  abstract lockForUpdate(tx: Tx, chunk: ClaimedChunk): Promise<Date | undefined>;

  /** Running → done: what became of the records in, the records out. */
  abstract finish(tx: Tx, chunk: ClaimedChunk, results: ChunkResults): Promise<void>;

  /** Running → cancelled, of a job that failed. */
  abstract drop(tx: Tx, chunk: ClaimedChunk): Promise<void>;

  /** Puts two smaller ones in its place, which are split again at the next death of a worker. */
  abstract split(tx: Tx, chunk: ClaimedChunk, halves: readonly HalfChunk[], attempts: number): Promise<void>;

  /**
   * Chunks in the queue, or at work with a lapsed claim, that the outbox has nothing queued for: put back to be queued.
   */
  abstract requeueLost(tx: Tx, jobId: ImportJobId): Promise<number>;
}
