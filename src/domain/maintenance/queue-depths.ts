/** How many jobs of a queue are in which state. */
interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  readonly completed: number;
}

export interface QueueDepth {
  readonly name: string;
  /** Undefined while Redis does not answer. */
  readonly counts?: QueueCounts | undefined;
  readonly isPaused?: boolean | undefined;
}

/** What the queues hold at this moment. Answers at once also while Redis is away. */
export abstract class QueueDepths {
  abstract read(): Promise<readonly QueueDepth[]>;
}
