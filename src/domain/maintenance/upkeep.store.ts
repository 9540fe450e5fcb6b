/** What the database needs done to it by and by. Validity never depends on this: expiry is checked on read. */
export abstract class UpkeepStore {
  /**
   * Deletes up to `limit` rows of each kind that can no longer matter. Safe to run twice at once and to kill.
   *
   * @returns rows deleted per table
   */
  abstract removeExpired(limit: number): Promise<Readonly<Record<string, number>>>;

  /** Makes this month's and the next months' partitions of the audit log where they are missing. */
  abstract ensureEventPartitions(): Promise<void>;
}
