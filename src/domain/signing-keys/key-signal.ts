/** Tells every replica that keys have changed, a moment after it was committed. It may be missed: the lease is what holds. */
export abstract class KeySignal {
  /**
   * @param onChange also called whenever the line stands again, since a word may have been missed meanwhile
   * @returns how to stop
   */
  abstract listen(onChange: () => void): () => Promise<void>;
}
