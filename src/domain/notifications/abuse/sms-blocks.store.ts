import type { ResourceDetails } from '../../shared/details.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Tx } from '../../shared/unit-of-work.js';

/** A block of numbers that gets no SMS for now. */
export interface SmsBlock {
  /** A number without its last digits. */
  readonly prefix: string;
  /** `low_conversion`, or what a provider said. */
  readonly reason: string;
  readonly blockedUntil: Date;
  readonly details: ResourceDetails;
}

/** What operators see of the prefixes that `SmsPrefixes` shut out. */
export abstract class SmsBlocksStore {
  /** Those that are blocked at this moment. */
  abstract list(query: PageQuery): Promise<Page<SmsBlock>>;

  /**
   * Ends a block now. What was queued before then no longer counts against the prefix.
   * @returns undefined when the prefix is not blocked
   */
  abstract lift(tx: Tx, prefix: string): Promise<SmsBlock | undefined>;
}
