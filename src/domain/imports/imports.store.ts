import type { RequestingToken } from '../permissions/requesting-token.js';
import type { ApplicationId, ImportJobId, OrgId, UserId } from '../shared/ids.js';
import type { Page } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ImportEligibility } from './import-eligibility.js';
import type {
  ImportChange,
  ImportFailure,
  ImportJob,
  ImportJobState,
  ImportOptions,
  ImportQuery,
  ImportStop,
  PostImportWork,
} from './import-job.js';
import type { ImportWork } from './import-progress.js';
import type { ImportPass } from './records/passes.js';
import type { OutcomeKind } from './write/record-outcome.js';

export interface NewImportJob extends ImportOptions, RequestingToken {
  readonly id: ImportJobId;
  readonly orgId: OrgId;
  readonly instanceWide: boolean;
  readonly createdBy: UserId;
  readonly createdThrough: ApplicationId | null;
  /** SHA-256 of the Idempotency-Key. */
  readonly callerKey?: Buffer | undefined;
  readonly retryOf?: ImportJobId | undefined;
  /** Of the upload as it is on the wire; undefined where its sender did not say. */
  readonly bytesExpected?: number | undefined;
  /** Until when its receiver is believed to live. */
  readonly leaseMs: number;
}

export interface NewImportChunk {
  readonly number: number;
  readonly firstLine: number;
  readonly records: number;
  readonly pass: ImportPass;
  /** Organization of the records that name none. */
  readonly recordsOrgId?: OrgId | undefined;
  /** As `packRecords` makes it; sealed for its place. */
  readonly packed: Buffer;
}

/** A chunk as listed, in the order of the file. */
export interface ChunkInFile extends Readonly<Record<OutcomeKind, number>> {
  readonly number: number;
  readonly pass: ImportPass;
  readonly recordsOrgId?: OrgId | undefined;
}

export interface ImportAtWork {
  readonly jobId: ImportJobId;
  readonly work: ImportWork;
}

export interface ImportTitle {
  readonly jobId: ImportJobId;
  readonly fileName: string | undefined;
  readonly organization: string;
}

/** How fast records were settled in the step that ended at a time. */
export interface PaceStep {
  readonly at: Date;
  /** Records a second. */
  readonly rate: number;
}

export interface ChunkName {
  readonly jobId: ImportJobId;
  readonly number: number;
}

/** A chunk whose users are there, with what became of its records as `packOutcomes` made it. */
export interface FinishedChunk {
  readonly number: number;
  readonly outcomes: Buffer;
}

/** What imports take at one moment. */
export interface ImportUsage {
  /** Held by the imports of the organization: records that wait, and what is kept of those that were done. */
  readonly organizationBytes: number;
  /** The same of all organizations. */
  readonly instanceBytes: number;
  /** Of the organization: imports that are read, wait, run, or are paused. */
  readonly unfinished: number;
}

/** Imports: each as a job that is received, done and ended, what may follow its end, and the space that they take. */
export abstract class ImportsStore {
  /** @returns false when the same caller began a job with the same key in that organization before */
  abstract add(tx: Tx, job: NewImportJob): Promise<boolean>;

  abstract findByKey(orgId: OrgId, createdBy: UserId, callerKey: Buffer): Promise<ImportJob | undefined>;

  abstract find(orgId: OrgId, id: ImportJobId, tx?: Tx): Promise<ImportJob | undefined>;

  /** For the service's own jobs: whoever asks for somebody names their organization. */
  abstract findById(id: ImportJobId): Promise<ImportJob | undefined>;

  /** As `findById`, for whoever looks at many: what is asked in one turn of the event loop is one statement. */
  abstract look(id: ImportJobId): Promise<ImportJob | undefined>;

  /** What there is to be watched of all imports at this moment: the oldest first, and what is paused after all others. */
  abstract listAtWork(limit: number): Promise<readonly ImportAtWork[]>;

  /** The words by which people know imports. */
  abstract titles(ids: readonly ImportJobId[]): Promise<readonly ImportTitle[]>;

  /**
   * Undefined when there is no such job.
   *
   * @param postImport what follows it, instead of the import
   */
  abstract findEligibility(
    id: ImportJobId,
    postImport?: PostImportWork,
  ): Promise<ImportEligibility | undefined>;

  /** @param instanceWide whether jobs of the whole instance are among them */
  abstract list(orgId: OrgId, query: ImportQuery, instanceWide: boolean): Promise<Page<ImportJob>>;

  /**
   * Renews the lease of its receiver, and notes how many bytes have arrived.
   * @returns false when the job is not being read any more
   */
  abstract renewLease(id: ImportJobId, leaseMs: number, bytesArrived: number): Promise<boolean>;

  /** Reading → failed, where the lease of its receiver has lapsed; undefined otherwise. */
  abstract giveUp(tx: Tx, id: ImportJobId, retentionMs: number): Promise<ImportJob | undefined>;

  /**
   * Adds a chunk, and renews the lease of its receiver.
   * @returns false when the job is not being read any more, or the chunk is more than the job may take (`reserveSpace`)
   */
  abstract addChunk(id: ImportJobId, chunk: NewImportChunk, leaseMs: number): Promise<boolean>;

  /** Sets the organization of chunks whose file names it only after their records. */
  abstract assignOrganization(id: ImportJobId, numbers: readonly number[], orgId: OrgId): Promise<void>;

  /** Reading → queued, with the number of records in its chunks; undefined when it is not being read any more. */
  abstract complete(
    tx: Tx,
    id: ImportJobId,
    source: { readonly bytes: number; readonly checksum: Buffer },
  ): Promise<ImportJob | undefined>;

  /** Reading → failed, and drops what waits. Undefined when it is not being read any more. */
  abstract failReading(
    tx: Tx,
    id: ImportJobId,
    reason: ImportFailure,
    retentionMs: number,
  ): Promise<ImportJob | undefined>;

  /** Any state that is not an end → failed, and drops what waits. Undefined when it had ended. */
  abstract fail(
    tx: Tx,
    id: ImportJobId,
    reason: ImportFailure,
    retentionMs: number,
  ): Promise<ImportJob | undefined>;

  /** The same → cancelled. */
  abstract stop(
    tx: Tx,
    id: ImportJobId,
    reason: ImportStop,
    retentionMs: number,
  ): Promise<ImportJob | undefined>;

  /** One conditional statement. @returns the job afterwards; undefined when it was in no such state */
  abstract moveOn(
    tx: Tx,
    orgId: OrgId,
    id: ImportJobId,
    from: readonly ImportJobState[],
    to: 'paused' | 'running' | 'cancelling',
  ): Promise<ImportJob | undefined>;

  /** Drops the chunks that nobody has begun. */
  abstract dropWaiting(tx: Tx, id: ImportJobId): Promise<void>;

  /**
   * Running → done and cancelling → cancelled, once no chunk is left to be run.
   * @returns the job when this call was the one that ended it
   */
  abstract settle(tx: Tx, id: ImportJobId, retentionMs: number): Promise<ImportJob | undefined>;

  /**
   * Takes chunks out of the waiting ones of an organization into the queue, until `window` of them are queued or
   * running. Its jobs take turns; those that are paused wait, and so do chunks while one of an earlier pass is left.
   */
  abstract takeNext(tx: Tx, orgId: OrgId, window: number): Promise<readonly ChunkName[]>;

  /** Of the whole instance, for the metrics: how many jobs have not ended, by state. */
  abstract countUnfinished(): Promise<readonly { readonly state: ImportJobState; readonly count: number }[]>;

  /** In the order of the file, those that are done. */
  abstract listChunks(id: ImportJobId): Promise<readonly ChunkInFile[]>;

  /** Since it began, in steps of one length: at most `most`. Nothing where it has not begun. */
  abstract pace(id: ImportJobId, most: number): Promise<readonly PaceStep[]>;

  /** As `packOutcomes` made it. */
  abstract readResults(id: ImportJobId, number: number): Promise<Buffer | undefined>;

  /** As `packRecords` made it; undefined when no record of the chunk failed. */
  abstract readFailed(id: ImportJobId, number: number): Promise<Buffer | undefined>;

  /**
   * No chunk of the job is at work after that. Undefined when it was begun before, when the job has not ended or has
   * nothing of the kind to do, or while the other one is under way.
   */
  abstract beginPostImport(
    tx: Tx,
    postImport: PostImportWork,
    change: ImportChange,
  ): Promise<ImportJob | undefined>;

  /** All of it is done. Undefined when it had ended. */
  abstract endPostImport(tx: Tx, postImport: PostImportWork, id: ImportJobId): Promise<ImportJob | undefined>;

  /** As if it had not been asked for: somebody who may can ask again, for what is left. Undefined when it had ended. */
  abstract withdrawPostImport(
    tx: Tx,
    postImport: PostImportWork,
    id: ImportJobId,
  ): Promise<ImportJob | undefined>;

  /** The next chunk that the work is still to be done for, held; undefined when there is none left. */
  abstract nextFinishedChunk(
    tx: Tx,
    postImport: PostImportWork,
    id: ImportJobId,
  ): Promise<FinishedChunk | undefined>;

  /** Writes down what became of the users of a chunk; `outcomes` takes the place of what was kept. */
  abstract markUndone(
    tx: Tx,
    id: ImportJobId,
    chunk: FinishedChunk,
    counts: { readonly removed: number; readonly kept: number },
  ): Promise<void>;

  abstract markNotified(tx: Tx, id: ImportJobId, number: number): Promise<void>;

  /** Keeps everybody else from taking more space until the transaction ends: for whoever lets an import take more. */
  abstract lockSpace(tx: Tx): Promise<void>;

  abstract spaceUsage(tx: Tx, orgId: OrgId): Promise<ImportUsage>;

  /** The import may take so many bytes more. @returns false when it is not being read any more */
  abstract reserveSpace(tx: Tx, jobId: ImportJobId, bytes: number): Promise<boolean>;
}
