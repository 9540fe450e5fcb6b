import type { AuditEvent } from '../events/events.store.js';
import type { OrganizationBranding } from '../organizations/organization-branding.js';
import type { Claim, Marked, NotClaimed } from '../outbox/delivery.js';
import type { ResourceDetails } from '../shared/details.js';
import type { NotificationId, OrgId, ProviderId, RegistrationId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Accepted, FailedWith } from './channels.js';
import type { NotificationTemplate } from './notification-template.js';
import type { OwnTexts } from './templates/message-texts.js';

export const NOTIFICATION_CHANNELS = ['email', 'sms'] as const;
export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];

/**
 * What becomes of a message: pending → sending → sent, and where a provider reports back → delivered | failed.
 * After an attempt that failed it is `retrying` until its next; `abandoned` is given up, with the reason.
 * What `sending` and a claim are: outbox/delivery.ts.
 */
export type NotificationState =
  'pending' | 'sending' | 'retrying' | 'sent' | 'delivered' | 'failed' | 'abandoned';

export interface NewNotification {
  readonly id: NotificationId;
  readonly orgId: OrgId;
  /** Null for somebody who is not a user yet: then there is a registration. Null also for who is none any more. */
  readonly userId: UserId | null;
  readonly registrationId?: RegistrationId;
  /** Where it was asked for, of a message that is counted by that, as `digestOfSource` says it. */
  readonly source?: Buffer;
  readonly channel: NotificationChannel;
  readonly template: NotificationTemplate;
  /** Null for a notice, as the next two. */
  readonly codeId: string | null;
  /**
   * The code in clear (for `email_changed` the notified address, for `reset_choice` see reset-choice.ts); stored encrypted for this row,
   * and erased when the message is sent or nobody can use it any more. Null also where the provider makes the code.
   */
  readonly code: string | null;
  readonly expiresAt: Date | null;
  readonly outboxId: string;
}

/** What a claim gives: everything one message needs, read in the statement that made the claim. */
export interface ClaimedNotification extends Claim {
  readonly id: NotificationId;
  /** Attempts that failed, but for those that a provider only put off. */
  readonly failures: number;
  /** How often it was handed to a provider with an unknown outcome: a worker died, or the answer was lost. */
  readonly handOvers: number;
  readonly channel: NotificationChannel;
  readonly template: NotificationTemplate;
  /** Empty for a notice. */
  readonly codeId: string;
  /** Undefined for a notice, where the provider makes it, and when what was sealed does not open any more. */
  readonly code: string | undefined;
  /** The provider that makes this code and checks it: no other can send it. */
  readonly codeProviderId: ProviderId | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly expired: boolean;
  /** The code was used, replaced by a newer one, or withdrawn; false for a notice. */
  readonly codeEnded: boolean;
  /** Null for somebody who registers. */
  readonly userId: UserId | null;
  readonly registrationId: RegistrationId | null;
  /** Neither the user nor their organization is deactivated or locked. */
  readonly userActive: boolean;
  readonly organization: OrganizationBranding;
  /** Empty for somebody who registers, as the login name: a stranger may have typed both. */
  readonly displayName: string;
  /** User name and primary domain, as it is typed to sign in. */
  readonly loginName: string;
  readonly email: string;
  /** The number that a code is for, which need not be the user's any more. */
  readonly phone: string | null;
  readonly preferredLanguage: string | null;
  /** Words for this message that others have set, in every language: which one it is, is not known before. */
  readonly ownTexts: readonly OwnTexts[];
}

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly notification: ClaimedNotification }
  | NotClaimed
  /** Of a newer release than this program, which does not know what to write. */
  | { readonly kind: 'unknown-template' }
  /** It goes by a channel that is not among those asked for. `expired`: nobody can use it any more. */
  | {
      readonly kind: 'no-channel';
      readonly channel: NotificationChannel;
      readonly expired: boolean;
      readonly expiresInMs: number | null;
    };

/** How a claim is given back after an attempt that did not succeed. */
export interface Postponed {
  readonly reason: string;
  readonly with?: FailedWith | undefined;
  /** Those that a provider may have accepted, this attempt's included if it is one. */
  readonly handOvers: number;
  readonly failures: number;
  readonly delayMs: number;
}

/** How a message ended that nobody sends any more. */
export interface Abandoned {
  readonly reason: string;
  readonly with?: FailedWith | undefined;
  /** Somebody wanted it: it is kept, with its content, to be replayed while the code lives. */
  readonly deadLetter: boolean;
  /** A provider may have taken it all the same. */
  readonly ambiguous: boolean;
}

/** One line of the ledger: what became of a message. Nothing of what it says, and of whom it is for only the id. */
export interface Delivery {
  readonly id: NotificationId;
  readonly orgId: OrgId;
  /** Null where the organization is gone. */
  readonly orgName: string | null;
  readonly userId: UserId | null;
  readonly channel: NotificationChannel;
  readonly template: NotificationTemplate;
  readonly state: NotificationState;
  /** Where the user is reached now, with most of it left out; undefined where there is no user any more. */
  readonly target: string | undefined;
  readonly attempts: number;
  /** Of the last attempt that failed, or of the end. */
  readonly reason: string | null;
  /** With whom that was, where somebody was asked. */
  readonly failedWith: FailedWith | null;
  readonly nextAttemptAt: Date | null;
  readonly providerId: string | null;
  readonly providerMessageId: string | null;
  readonly ambiguous: boolean;
  readonly deadLetter: boolean;
  readonly expiresAt: Date | null;
  readonly finishedAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly details: ResourceDetails;
}

/** All that are given must hold. */
export interface DeliveryFilter {
  readonly orgId?: OrgId | undefined;
  readonly userId?: UserId | undefined;
  /** The whole address or number: that of a user now, or of somebody who registers. Finds nothing without `orgId`. */
  readonly recipient?: string | undefined;
  readonly states?: readonly NotificationState[] | undefined;
  readonly channel?: NotificationChannel | undefined;
  readonly template?: NotificationTemplate | undefined;
  readonly providerId?: string | undefined;
  readonly reason?: string | undefined;
  readonly deadLetter?: boolean | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

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

/** Messages: as workers send them, as administrators see them in the ledger, and as providers add to that. */
export abstract class NotificationsStore {
  abstract add(tx: Tx, notification: NewNotification): Promise<void>;

  /**
   * One conditional UPDATE, committed before this returns (it may share the statement with others): pending, retrying and due, or
   * sending with a lapsed deadline → sending with the next fence. Of any number of callers at once, one claims and the others get `busy`.
   */
  abstract claim(
    id: NotificationId,
    channels: readonly NotificationChannel[],
    holdMs: number,
  ): Promise<ClaimResult>;

  /**
   * Counts a hand-over before it begins and renews the claim, committed before this returns, so that a worker that
   * dies in it leaves a trace.
   *
   * @param handOvers with this one
   * @returns false when the fence is no longer this one: then it must not be handed over
   */
  abstract markHandedOver(
    claim: ClaimedNotification,
    providerId: ProviderId,
    handOvers: number,
    holdMs: number,
  ): Promise<boolean>;

  /**
   * State, event and the end of the outbox row, committed together; the sealed content is erased.
   * @returns false when the fence is no longer this one: then nothing was written
   */
  abstract finishSent(claim: ClaimedNotification, accepted: Accepted, event: AuditEvent): Promise<boolean>;

  /** One of which its provider has reported meanwhile ends as that report says, and counts as taken. */
  abstract markAbandoned(tx: Tx, claim: ClaimedNotification, end: Abandoned): Promise<Marked>;

  /**
   * Ends the claim until the next attempt is due, at the latest when the message expires. Without a further failure it is no
   * attempt.
   * @returns how long that is; undefined when the fence is no longer this one
   */
  abstract postpone(tx: Tx, claim: ClaimedNotification, postponed: Postponed): Promise<number | undefined>;

  /**
   * Ends the claim as if it had not been made, because no provider is to be had.
   * @param reason what the provider that refused last said; undefined when none was asked
   */
  abstract giveBack(
    claim: ClaimedNotification,
    reason: string | undefined,
    failedWith?: FailedWith,
  ): Promise<void>;

  /** How many dead letters there are; counted up to 10,000. */
  abstract countDead(): Promise<number>;

  /** Newest first unless asked otherwise. @throws ApiError resource-exhausted when it takes too long */
  abstract search(filter: DeliveryFilter, page: PageQuery): Promise<Page<Delivery>>;

  /** @param orgId undefined for any organization */
  abstract find(id: NotificationId, orgId: OrgId | undefined): Promise<Delivery | undefined>;

  /** Dead letters that have not expired, oldest first. */
  abstract listDeadLetters(filter: DeliveryFilter, limit: number): Promise<readonly NotificationId[]>;

  /** Locks those there are until the transaction ends. */
  abstract lock(
    tx: Tx,
    ids: readonly NotificationId[],
    orgId: OrgId | undefined,
  ): Promise<readonly Replayable[]>;

  /** Queued again, from its first attempt. @returns the row's own number of changes */
  abstract requeue(tx: Tx, id: NotificationId, outboxId: string): Promise<string>;

  /** Where somebody is reached who has shown that the address is theirs; undefined for everybody else. */
  abstract findVerifiedAddress(
    userId: UserId,
  ): Promise<{ readonly orgId: OrgId; readonly address: string } | undefined>;

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
