import type { OrganizationLook } from '../orgs/organization-look.js';
import type { NotificationId, OrgId, RegistrationId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/**
 * Messages owed to people. States: waiting (no channel can take it yet) → pending → sending → sent | abandoned.
 * `sending` carries a fencing number and a deadline: a worker that lost its claim can no longer write the outcome.
 */
/** Messages with a code, each good for the page of its own. */
export type CodeTemplate = 'initialise' | 'verify_email' | 'verify_phone' | 'reset_password' | 'register';
/** Messages that only tell something. */
export type NoticeTemplate = 'password_changed' | 'account_exists' | 'email_changed';
export type NotificationTemplate = CodeTemplate | NoticeTemplate;
export type NotificationChannel = 'email' | 'sms';

export interface NewNotification {
  readonly id: NotificationId;
  readonly orgId: OrgId;
  /** Null for somebody who is not a user yet: then there is a registration. */
  readonly userId: UserId | null;
  readonly registrationId?: RegistrationId;
  readonly channel: NotificationChannel;
  readonly template: NotificationTemplate;
  /** Null for a notice, as the next two. */
  readonly codeId: string | null;
  /** The code in clear (for `email_changed` the address that is told), sealed for this row; erased when the message is sent or given up. */
  readonly code: string | null;
  readonly expiresAt: Date | null;
  readonly state: 'waiting' | 'pending';
  readonly outboxId: string | null;
}

/** What a claim gives: everything one message needs, read in the statement that made the claim. */
export interface ClaimedNotification {
  readonly id: NotificationId;
  readonly fence: string;
  /** This claim included. */
  readonly attempts: number;
  /** Reason of the last failed attempt. */
  readonly lastError: string | null;
  /** How often it was handed to a provider that may have accepted it: nobody lived, or heard enough, to tell. */
  readonly handOvers: number;
  readonly outboxId: string | null;
  readonly channel: NotificationChannel;
  readonly template: NotificationTemplate;
  /** Empty for a notice. */
  readonly codeId: string;
  /** Undefined for a notice, and when what was sealed does not open any more. */
  readonly code: string | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly expired: boolean;
  /** The code was used, replaced by a newer one, or withdrawn; false for a notice. */
  readonly codeEnded: boolean;
  readonly orgId: OrgId;
  /** Null for somebody who registers. */
  readonly userId: UserId | null;
  readonly registrationId: RegistrationId | null;
  /** Neither the user nor their organization is deactivated or locked. */
  readonly userActive: boolean;
  readonly organization: OrganizationLook;
  /** Empty for somebody who registers, as the login name: a stranger may have typed both. */
  readonly displayName: string;
  /** User name and primary domain, as it is typed to sign in. */
  readonly loginName: string;
  readonly email: string;
  readonly phone: string | null;
  readonly preferredLanguage: string | null;
}

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly notification: ClaimedNotification }
  /** Sent or abandoned already, or not there: nothing to do. */
  | { readonly kind: 'finished' }
  /** It waits for a channel that is not among those asked for. */
  | { readonly kind: 'no-channel' }
  /** Another worker holds it until then. */
  | { readonly kind: 'busy'; readonly retryInMs: number };

export abstract class NotificationsStore {
  abstract add(tx: Tx, notification: NewNotification): Promise<void>;

  /**
   * One conditional UPDATE, committed on its own: pending, or sending with a lapsed deadline → sending with the
   * next fence. Of any number of callers at once, one claims and the others are told `busy`.
   */
  abstract claim(
    id: NotificationId,
    channels: readonly NotificationChannel[],
    holdMs: number,
  ): Promise<ClaimResult>;

  /**
   * Counts a hand-over before it begins, committed on its own, so that a worker that dies in it leaves a trace.
   * @returns false when the fence is no longer this one: then it must not be handed over
   */
  abstract markHandedOver(claim: ClaimedNotification): Promise<boolean>;

  /** Erases the sealed content. @returns false when the fence is no longer this one: then nothing was written */
  abstract markSent(tx: Tx, claim: ClaimedNotification): Promise<boolean>;

  /** Erases the sealed content. @returns false when the fence is no longer this one: then nothing was written */
  abstract markAbandoned(tx: Tx, claim: ClaimedNotification, reason: string): Promise<boolean>;

  /**
   * Gives the claim back after a failed attempt, so that a retry need not wait for the deadline.
   * @param handOvers those that the provider may have accepted, this attempt's included if it is one
   */
  abstract release(claim: ClaimedNotification, reason: string, handOvers: number): Promise<boolean>;
}
