import type { Tx } from './unit-of-work.js';

/** A part of a transaction that may fail without the rest. */
export abstract class Savepoint {
  /**
   * Runs `work`; if it rejects, all that it wrote is rolled back and the transaction continues.
   *
   * @throws what `work` threw; ApiError failed-precondition where the database refuses what would have been written,
   * unavailable where the database was in trouble itself
   */
  abstract run<T>(tx: Tx, work: () => Promise<T>): Promise<T>;
}
