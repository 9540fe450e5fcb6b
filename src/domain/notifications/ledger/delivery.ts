import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { NotificationId, OrgId, UserId } from '../../shared/ids.js';
import type { FailedWith } from '../channels.js';
import type { NotificationTemplate } from '../notification-template.js';
import type { NotificationChannel, NotificationState } from '../notifications.store.js';

/** One line of the ledger: what became of a message. Nothing of what it says, and of whom it is for only the id. */
export interface Delivery {
  readonly id: NotificationId;
  readonly orgId: OrgId;
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
  readonly states?: readonly NotificationState[] | undefined;
  readonly channel?: NotificationChannel | undefined;
  readonly template?: NotificationTemplate | undefined;
  readonly providerId?: string | undefined;
  readonly reason?: string | undefined;
  readonly deadLetter?: boolean | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

export function deliveryNotFound(): ApiError {
  return new ApiError('not-found', 'Notification could not be found', 'QUERY-nT4d7');
}

/**
 * An address or number of which whoever knows it recognizes the rest: `a***@e***.org`, `+49***78`.
 */
export function maskTarget(target: string): string {
  const at = target.lastIndexOf('@');
  if (at < 0) return `${target.slice(0, 3)}***${target.slice(-2)}`;
  const domain = target.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  return `${target.slice(0, 1)}***@${domain.slice(0, 1)}***${dot < 0 ? '' : domain.slice(dot)}`;
}
