import { ApiError } from '../shared/errors.js';

/** All slots and the whole queue are taken; the caller answers 503 with Retry-After. */
export class HashingOverloaded extends ApiError {
  constructor() {
    super('unavailable', 'Too many sign-ins at once, try again shortly', 'PASSWORD-h3Wq8', 1);
    this.name = 'HashingOverloaded';
  }
}

/**
 * Bounded concurrency for hashing. The work itself runs on threads: digest loops on their own, of which there are as
 * many as slots at most (`primitives/digest-threads.ts`), all else on libuv's, which DNS, files and signatures
 * share: `slots` must stay below UV_THREADPOOL_SIZE (default 4), or a burst of sign-ins stops those too.
 * Slots also bound the memory that Argon2 takes at once. First come, first served.
 */
export class HashingPool {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(
    private readonly slots: number,
    private readonly queueLimit: number,
  ) {
    if (slots < 1) throw new RangeError('a hashing pool needs one slot at least');
  }

  /** Jobs that wait for a slot. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Runs `work` as soon as a slot is free; throws HashingOverloaded at once when the queue is full. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.takeSlot();
    try {
      return await work();
    } finally {
      this.passSlotOn();
    }
  }

  private async takeSlot(): Promise<void> {
    if (this.running < this.slots) {
      this.running += 1;
      return;
    }
    if (this.queue.length >= this.queueLimit) throw new HashingOverloaded();
    await new Promise<void>((resolve) => this.queue.push(resolve));
  }

  /** A waiting job inherits the slot, so `running` changes only when nobody waits. */
  private passSlotOn(): void {
    const next = this.queue.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}
