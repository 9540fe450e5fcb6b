/** Signals to a relay that outbox rows were committed. Best effort: a periodic sweep must back it up. */
export abstract class OutboxSignal {
  /**
   * Calls `onRows` soon after a commit that added rows, and once after every reconnection, since signals of the
   * gap are lost.
   *
   * @returns ends listening; resolves when the connection is closed
   */
  abstract listen(onRows: () => void): () => Promise<void>;
}
