import type { ResourceDetails } from '../../shared/details.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Tx } from '../../shared/unit-of-work.js';

/** What is counted for one cap and whom it counts for. */
export interface SmsQuota {
  /** Rule, window and subject; of numbers and addresses a MAC only. */
  readonly id: string;
  readonly windowSeconds: number;
  /**
   * How finely it is counted: what is counted counts for the window and up to so much longer. With 0 all of it counts
   * until a window after the first, which is the same for a cap of one.
   */
  readonly partSeconds: number;
}

/** What was counted in one part of a window. */
export interface SmsCount {
  readonly amount: number;
  /** As long as it counts. */
  readonly secondsLeft: number;
}

export interface SmsQuotaState {
  /** What counts, oldest first. */
  readonly counts: readonly SmsCount[];
  /** That it is used up was said already, not long ago. */
  readonly exhaustionReported: boolean;
}

/** Too few of the messages to a block of numbers were answered. */
export const LOW_CONVERSION = 'low_conversion';

/** What is asked of a block before a message. */
export interface LiveSmsBlock {
  readonly reason: string;
  readonly secondsLeft: number;
}

/** A block of numbers that gets no SMS for now. */
export interface SmsBlock {
  /** A number without its last digits. */
  readonly prefix: string;
  /** `low_conversion`, or what a provider said. */
  readonly reason: string;
  readonly blockedUntil: Date;
  readonly details: ResourceDetails;
}

/** What it took to say that a block of numbers does not answer. */
export interface Conversion {
  readonly sent: number;
  readonly verified: number;
}

/**
 * Which SMS may be queued: counts of those that were, and blocks of numbers that get none. In Postgres, where they hold
 * over replicas and survive whatever happens to Redis; a count that cannot be read lets nothing through.
 */
export abstract class SmsLimitsStore {
  /** Without a lock: what was counted a moment ago. Quotas that nothing was counted for are left out. */
  abstract peekQuotas(quotas: readonly SmsQuota[]): Promise<ReadonlyMap<string, SmsQuotaState>>;

  /**
   * Locks the quotas until the transaction ends, in one order for all, so that what is read stays true for
   * `addToQuotas`.
   */
  abstract lockQuotas(tx: Tx, quotas: readonly SmsQuota[]): Promise<ReadonlyMap<string, SmsQuotaState>>;

  /** @param reached quotas whose exhaustion is recorded as an event in the same transaction */
  abstract addToQuotas(
    tx: Tx,
    amounts: ReadonlyMap<string, number>,
    reached: ReadonlySet<string>,
  ): Promise<void>;

  /** Of these prefixes those that are blocked. */
  abstract blocks(prefixes: readonly string[], tx?: Tx): Promise<ReadonlyMap<string, LiveSmsBlock>>;

  /**
   * Blocks a prefix from now, unless it has more than half of that time left.
   * @returns how often it was blocked by now; undefined when nothing changed
   */
  abstract block(tx: Tx, prefix: string, reason: string, seconds: number): Promise<string | undefined>;

  /** Those that are blocked at this moment. */
  abstract listBlocks(query: PageQuery): Promise<Page<SmsBlock>>;

  /**
   * Ends a block now. What was queued before then no longer counts against the prefix.
   * @returns undefined when the prefix is not blocked
   */
  abstract liftBlock(tx: Tx, prefix: string): Promise<SmsBlock | undefined>;

  /** Remembers for the conversion of its prefix that a message was queued. */
  abstract recordSend(tx: Tx, codeId: string, prefix: string): Promise<void>;

  /** The message was answered by its code. */
  abstract recordVerified(tx: Tx, codeId: string): Promise<void>;

  /** Of messages queued in the window that ended `graceSeconds` ago, and since the prefix was last blocked. */
  abstract conversion(prefix: string, windowSeconds: number, graceSeconds: number): Promise<Conversion>;
}
