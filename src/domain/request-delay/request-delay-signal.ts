/** Says from process to process how long requests wait. Nothing is kept: a word that is missed is followed by the next. */
export abstract class RequestDelaySignal {
  /** The cheapest thing that requests do: one answer by key. */
  abstract probe(): Promise<void>;

  abstract notify(delayMs: number): Promise<void>;

  /**
   * @param onDelay called about once a second for each API process that has requests
   * @returns how to stop
   */
  abstract listen(onDelay: (delayMs: number) => void): () => Promise<void>;
}
