import type { NotificationId, OrgId } from '../../shared/ids.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { NotificationTemplate } from '../notification-template.js';
import type { NotificationChannel, NotificationState } from '../notifications.store.js';
import type { Delivery, DeliveryFilter } from './delivery.js';

/** What decides whether a message can be sent once more. */
export interface Replayable {
  readonly id: NotificationId;
  readonly orgId: OrgId;
  readonly channel: NotificationChannel;
  readonly template: NotificationTemplate;
  readonly state: NotificationState;
  readonly deadLetter: boolean;
  readonly ambiguous: boolean;
  /** The code or whatever else it cannot be sent without is still there. */
  readonly hasContent: boolean;
  readonly expired: boolean;
  readonly codeEnded: boolean;
  readonly userActive: boolean;
}

/** What a provider reports of a message that it took. */
export interface DeliveryReport {
  readonly id: NotificationId;
  readonly providerId: string;
  readonly providerMessageId: string;
  readonly outcome: 'delivered' | 'failed';
  readonly reason: string | null;
}

/** The ledger as administrators see it, and as providers add to it. */
export abstract class DeliveriesStore {
  /** Newest first unless asked otherwise. @throws ApiError resource-exhausted when it takes too long */
  abstract search(filter: DeliveryFilter, page: PageQuery): Promise<Page<Delivery>>;

  /** @param orgId undefined for any organization */
  abstract find(id: NotificationId, orgId: OrgId | undefined): Promise<Delivery | undefined>;

  /** Dead letters that have not expired, oldest first. */
  abstract deadLetters(filter: DeliveryFilter, limit: number): Promise<readonly NotificationId[]>;

  /** Locks those there are until the transaction ends. */
  abstract lock(
    tx: Tx,
    ids: readonly NotificationId[],
    orgId: OrgId | undefined,
  ): Promise<readonly Replayable[]>;

  /** Queued anew, from its first attempt. @returns the row's own number of changes */
  abstract requeue(tx: Tx, id: NotificationId, outboxId: string): Promise<string>;

  /** Which provider was handed this message last; undefined when there is no such message, or nobody was. */
  abstract providerOf(id: NotificationId): Promise<string | undefined>;

  /**
   * Writes a report down, in the state machine's order: only of a message that this provider has under this name, and
   * a delivery is never taken back. One that comes before its message is marked sent is kept for that moment.
   *
   * @returns the row when its state changed
   */
  abstract report(
    tx: Tx,
    report: DeliveryReport,
  ): Promise<
    { readonly orgId: OrgId; readonly userId: string | null; readonly sequence: string } | undefined
  >;
}
