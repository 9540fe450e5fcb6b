/** An open transaction. Only storage knows what is inside; the domain passes it from store to store. */
export interface Tx {
  readonly tx: unique symbol;
}

/** One transaction per change: state rows, their event and their outbox rows commit together or not at all. */
export abstract class UnitOfWork {
  /** Runs `work` in one transaction (READ COMMITTED); commits when it resolves, rolls back when it rejects. */
  abstract run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;

  /** Acts as soon as the transaction has committed; not at all where it does not. What throws here would undo nothing. */
  abstract afterCommit(tx: Tx, act: () => void): void;
}
