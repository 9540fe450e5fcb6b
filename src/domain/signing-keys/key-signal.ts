/** Notifies every replica that keys have changed, just after the commit. Best effort: the lease is the guarantee. */
export abstract class KeySignal {
  /**
   * @param onChange also called after every reconnection, since a notification may have been missed meanwhile
   * @returns how to stop
   */
  abstract listen(onChange: () => void): () => Promise<void>;
}
