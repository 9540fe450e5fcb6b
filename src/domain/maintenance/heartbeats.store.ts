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

export abstract class HeartbeatsStore {
  abstract record(queue: string, worker: string): Promise<void>;

  /** Queues that never had a heartbeat are absent. */
  abstract list(): Promise<readonly Heartbeat[]>;
}
