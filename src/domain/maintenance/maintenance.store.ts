import type { UpkeepCounts } from './upkeep-counts.js';

/** Token under which the configuration provides how long things are kept that matter no longer. */
export abstract class RetentionSettings {
  /** Sessions and grants after their end: they show who was signed in, which undoing an import needs. */
  abstract readonly sessionSeconds: number;
  /** What was sent, by mail, SMS and to logout endpoints. */
  abstract readonly noticeSeconds: number;
  /** The audit log; undefined keeps it. */
  abstract readonly eventSeconds: number | undefined;
  /** Results of an import that ended without ever having begun. */
  abstract readonly importSeconds: number;
}

export type Retention = Omit<RetentionSettings, 'eventSeconds'>;

/** What is found by walking through the rows by age, because nothing in the row itself says that it is over. */
export type WalkedKind = 'sessions' | 'grants';

export interface Walk {
  readonly kind: WalkedKind;
  readonly limit: number;
  /** Over for so long, and no younger. */
  readonly unusedSeconds: number;
  /** Of sessions: how long one signs its user in. */
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
}

/**
 * The proof that work is taken: a heartbeat job travels through each queue and the worker that consumes it writes
 * the time here. A queue that accepts jobs but is not consumed shows up as an old heartbeat.
 */
export interface Heartbeat {
  readonly queue: string;
  /** Since a heartbeat job of the queue was last consumed, by the database's clock. */
  readonly ageMs: number;
  /** Host and process id of the worker that consumed it. */
  readonly worker: string;
}

/** A worker process as it announces itself. */
export interface Worker {
  /** New for each process. */
  readonly id: string;
  readonly host: string;
  readonly version: string;
  /** The queues that it serves. */
  readonly queues: readonly string[];
}

export interface AnnouncedWorker extends Worker {
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** Time since its last heartbeat, by the database's clock. */
  readonly ageMs: number;
}

/** Whether its last heartbeat is recent: workers send four in this time. */
export function isAlive({ ageMs }: Pick<AnnouncedWorker, 'ageMs'>): boolean {
  return ageMs < 60_000;
}

/**
 * What the database needs done to it by and by, and whether the queues are worked off. Validity never depends on this:
 * expiry is checked on read. Each call is one statement of its own for each kind, so it may run twice at once and be
 * killed anywhere.
 */
export abstract class MaintenanceStore {
  /**
   * Deletes up to `limit` rows of each kind that can no longer matter.
   *
   * @returns rows deleted per table
   */
  abstract removeExpired(limit: number, retention: Retention): Promise<UpkeepCounts>;

  /**
   * Checks the next `limit` rows and deletes those that can no longer be used. The position is stored, and
   * after the last row it starts over.
   */
  abstract removeUnused(walk: Walk): Promise<{ readonly looked: number; readonly removed: number }>;

  /**
   * Enqueues lost outbox rows again, and deletes rows whose work is done: up to `limit` of each kind.
   *
   * @returns how many of each kind
   */
  abstract sweepStuck(limit: number): Promise<UpkeepCounts>;

  /** Makes this month's and the next months' partitions of the audit log where they are missing. */
  abstract ensureEventPartitions(): Promise<void>;

  /**
   * Drops whole months of the audit log that are older, and up to `limit` rows that no month was made for.
   *
   * @returns months dropped and rows deleted
   */
  abstract removeOldEvents(limit: number, olderThanSeconds: number): Promise<UpkeepCounts>;

  abstract recordHeartbeat(queue: string, worker: string): Promise<void>;

  /** Queues that never had a heartbeat are absent. */
  abstract listHeartbeats(): Promise<readonly Heartbeat[]>;

  /** Notes that it is there, and forgets those that have said nothing for an hour: they died. */
  abstract announceWorker(worker: Worker): Promise<void>;

  /** At an orderly shutdown. */
  abstract forgetWorker(id: string): Promise<void>;

  /** Oldest first; a hundred at most. */
  abstract listWorkers(): Promise<readonly AnnouncedWorker[]>;
}
