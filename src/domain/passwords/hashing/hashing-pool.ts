import { ApiError } from '../../shared/errors.js';
import type { HashingLane } from '../schemes/password-scheme.js';
import { FairQueue } from './fair-queue.js';
import type { HashingBill } from './hashing-bill.js';
import type { HashingMeter } from './hashing-meter.js';

/**
 * Whoever is billed for it has more work waiting than is done in good time, so this is refused at once; the caller
 * answers 503 with Retry-After.
 */
export class HashingOverloaded extends ApiError {
  constructor(retryAfterSeconds = 1) {
    const text = 'Too many sign-ins at once, try again shortly';
    super('unavailable', text, 'PASSWORD-h3Wq8', retryAfterSeconds);
    this.name = 'HashingOverloaded';
  }
}

interface HashingPoolSettings {
  /** Hashings at the same time, in either lane. */
  readonly slots: number;
  /** Hashings that may wait in all. */
  readonly queueLimit: number;
  /** What a native hash costs (`hashing-work.ts`). */
  readonly nativeWork: number;
}

/** What costs more than an ordinary hash twice over is slow: nobody waits for more than that with a quick one. */
const QUICK_NATIVE_HASHES = 2;
/** Where native hashes are set to be quicker than the default, as tests do. */
const LEAST_QUICK_WORK = 32;

/** What a slow hash may well cost: bcrypt of cost 14. */
const SLOW_WORK = 1_000;

/** An organization's or an address's own work that may wait, in milliseconds of real time until it is done. */
const MOST_WAITING_MS: Readonly<Record<HashingLane, number>> = { quick: 2_000, slow: 10_000 };
/** With so many busy organizations that a share of the slots is next to nothing, nobody is kept waiting for longer. */
const LONGEST_WAIT_MS: Readonly<Record<HashingLane, number>> = { quick: 15_000, slow: 30_000 };

/**
 * Bounded concurrency for hashing, shared fairly (`fair-lane.ts`). There are two lanes with as many slots each: what
 * costs about as much as a native hash is quick, what costs more is slow. A hash once begun cannot be interrupted, so
 * in one lane a tenant's hashes of three seconds would keep everybody else from the slots, however fairly these are
 * handed on. The slow lane has threads of its own that stand back behind the others: there it is the system that
 * interrupts. And in it nobody holds the last slot beside their own.
 *
 * Digest loops run on threads of their own, of which there are as many as slots at most
 * (`primitives/digest-threads.ts`), all other quick hashes on libuv's, which DNS, files and signatures share: `slots`
 * must stay below UV_THREADPOOL_SIZE (default 4), or a burst of sign-ins stops those too. Slots also bound the memory
 * that hashes take at once. Each process has a pool of its own, and what is fair in each is fair in all of them.
 */
export class HashingPool {
  private readonly mostQuickWork: number;
  private readonly lanes: Readonly<Record<HashingLane, FairQueue>>;

  constructor(
    { slots, queueLimit, nativeWork }: HashingPoolSettings,
    meter?: HashingMeter,
    now: () => number = () => performance.now(),
  ) {
    if (slots < 1) throw new RangeError('a hashing pool needs one slot at least');
    this.mostQuickWork = Math.max(LEAST_QUICK_WORK, QUICK_NATIVE_HASHES * nativeWork);
    const lane = (name: HashingLane, slotsOfOne: number): FairQueue =>
      new FairQueue({
        name,
        slots,
        slotsOfOne,
        queueLimit,
        turnWork: name === 'quick' ? this.mostQuickWork : SLOW_WORK,
        // of what a native hash costs much, some must be able to wait all the same
        mostWaitingMs: Math.max(MOST_WAITING_MS[name], 4 * this.mostQuickWork),
        longestWaitMs: LONGEST_WAIT_MS[name],
        overloaded: (seconds) => new HashingOverloaded(seconds),
        now,
        ...(meter && { meter }),
      });
    this.lanes = { quick: lane('quick', slots), slow: lane('slow', Math.max(1, slots - 1)) };
  }

  /** Jobs that wait for a slot. */
  get waiting(): number {
    return this.lanes.quick.waiting + this.lanes.slow.waiting;
  }

  /**
   * Runs `job` as soon as it is its turn; throws HashingOverloaded when the one who is billed has too much waiting.
   * @param work what it is estimated to cost
   */
  async run<T>(bill: HashingBill, work: number, job: (lane: HashingLane) => Promise<T>): Promise<T> {
    const name = work > this.mostQuickWork ? 'slow' : 'quick';
    return await this.lanes[name].run(bill, work, () => job(name));
  }
}
