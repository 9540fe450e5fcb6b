import type { Tx } from '../shared/unit-of-work.js';

/**
 * The outbox: work that a committed change enqueues. A row is written in the business transaction, published to the
 * queue by the relay, and deleted by the transaction that does the work. While a row exists its work is not done;
 * losing Redis loses nothing, because the row is still here.
 *
 * States: pending → published → (row deleted). A published row whose job the queue no longer holds goes back to
 * pending under the next epoch.
 */
export const JOB_QUEUES = ['imports', 'notifications', 'keys', 'maintenance'] as const;
export type JobQueue = (typeof JOB_QUEUES)[number];
/** The most urgent first. */
export const JOB_LANES = ['priority', 'normal', 'bulk'] as const;
export type JobLane = (typeof JOB_LANES)[number];
/** Ids and small numbers only: never a name, address, phone number, code, hash or token. */
type JobPayload = Readonly<Record<string, string | number>>;

export interface OutboxEntry {
  readonly queue: JobQueue;
  readonly jobName: string;
  readonly payload: JobPayload;
  readonly lane: JobLane;
}

/**
 * The row that a job says it came from, and the work that it would have to be. A job is not trusted, whoever reaches Redis
 * writes one by hand: only a row that is exactly this work is ended by it.
 */
export interface EnqueuedWork extends Omit<OutboxEntry, 'lane'> {
  readonly outboxId: string;
}

export interface OutboxJob extends OutboxEntry {
  readonly id: string;
  /** Raised at each re-publication, so that a retained old job can never swallow a new one. */
  readonly epoch: number;
  /** Of what added it (W3C Trace Context); absent where that was not traced. */
  readonly traceparent?: string;
}

/** One number of each kind is capped at 100,000, so that looking never costs a scan of a great backlog. */
export interface OutboxBacklog {
  readonly queue: JobQueue;
  readonly pending: number;
  readonly published: number;
  /** Age of the oldest pending row, those of the lane `bulk` apart; 0 when there is none. */
  readonly oldestPendingSeconds: number;
  /** The same of the lane `bulk`, which waits in PostgreSQL as it should: only a part of it is published at a time. */
  readonly oldestBulkSeconds: number;
}

/** The outbox, for whoever enqueues, publishes and completes jobs. */
export abstract class OutboxStore {
  /** @returns the new row's id */
  abstract add(tx: Tx, entry: OutboxEntry): Promise<string>;

  /** Which lanes of these queues have rows to publish, the urgent ones first. One cheap look, made every second. */
  abstract findDueLanes(
    queues: readonly JobQueue[],
  ): Promise<readonly { readonly queue: JobQueue; readonly lane: JobLane }[]>;

  /**
   * Marks up to `limit` due rows published and returns them, oldest first, in one statement of its own. Rows that
   * another relay is taking are skipped.
   */
  abstract takePending(queue: JobQueue, lane: JobLane, limit: number): Promise<readonly OutboxJob[]>;

  /** How many rows of the lane are published, due and not done: the relay keeps this bounded for `bulk`. */
  abstract countPublished(queue: JobQueue, lane: JobLane): Promise<number>;

  /**
   * Up to `limit` published rows that nobody looked at for `olderThanMs`: candidates for having been forgotten by
   * the queue. Taking them counts as looking, so that several relays share the work.
   */
  abstract takeStale(queue: JobQueue, olderThanMs: number, limit: number): Promise<readonly OutboxJob[]>;

  /**
   * Puts rows back to pending under the next epoch, unless another relay did so already.
   *
   * @param when `backed-off` waits longer with each epoch (5 s to 1 h): for jobs that ended without doing their work
   * @returns how many rows were put back
   */
  abstract returnToPending(jobs: readonly OutboxJob[], when: 'now' | 'backed-off'): Promise<number>;

  /**
   * Enqueues it again later: for work whose next attempt is due at a time of its own.
   *
   * @returns `held`: the job that made this attempt waits in the queue and makes the next; where the queue forgets it,
   * it is missed soon after that time. `queued`: that job is over, and the row is published under the next epoch when
   * it is time, because of the lane's jobs as many wait as may be in the queue.
   */
  abstract postpone(tx: Tx, outboxId: string, delayMs: number): Promise<'held' | 'queued'>;

  /**
   * Deletes the row, in the transaction that did the work.
   * @param outboxId as the row of that work holds it in PostgreSQL; what a job says goes to `take`
   */
  abstract finish(tx: Tx, outboxId: string): Promise<void>;

  /**
   * Deletes the row that a job names, in the transaction that does the work.
   * @returns false when another did it, or is none of this work: what has no row of its own to be claimed has
   * nothing to do then
   */
  abstract take(tx: Tx, work: EnqueuedWork): Promise<boolean>;

  /** Deletes the row of work that turned out to be done. */
  abstract discard(work: EnqueuedWork): Promise<void>;

  abstract backlog(queues: readonly JobQueue[]): Promise<readonly OutboxBacklog[]>;
}
