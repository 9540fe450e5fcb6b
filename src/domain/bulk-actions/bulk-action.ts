import type { EventType } from '../events/event-types.js';
import type { AuditEvent } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import type { RequestingToken } from '../permissions/requesting-token.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { BulkActionId, OrgId, UserId } from '../shared/ids.js';
import type { UserListQuery } from '../users/user-list.js';

/**
 * One action on many users: chosen in one call, done by workers, each user in a transaction of their own with what became of
 * them. States: running → done, or running → cancelled. What was done stays done.
 */
export const BULK_ACTIONS = ['lock', 'unlock', 'deactivate', 'reactivate', 'sign_out', 'delete'] as const;
export type BulkActionKind = (typeof BULK_ACTIONS)[number];
export const BULK_ACTION_STATES = ['running', 'cancelled', 'done'] as const;
export type BulkActionState = (typeof BULK_ACTION_STATES)[number];

/** More than this is for the import, or for several calls. */
export const MOST_CHOSEN = 10_000;
/** Of one organization that are running: one after the other, so that no tenant's stand before the imports of others. */
export const MOST_RUNNING = 20;
/** Of one organization that are over and still kept: each has a row for every user. */
export const MOST_KEPT = 100;
/** Of the users that an action failed for, so many are named. */
export const MOST_FAILURES = 100;

export interface BulkFailure {
  readonly userId: UserId;
  /** What the single call would have answered. */
  readonly reason: string;
}

/** One that stands in a list, with the name that the user has now; empty where the user is gone. */
export interface ListedBulkFailure extends BulkFailure {
  readonly name: string;
}

export interface BulkAction {
  readonly id: BulkActionId;
  readonly action: BulkActionKind;
  readonly state: BulkActionState;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly BulkFailure[];
  readonly details: ResourceDetails;
}

/** Named one by one, or all that a search finds. */
export type ChosenUsers =
  | { readonly userIds: readonly UserId[] }
  | {
      readonly search: Omit<UserListQuery, 'after' | 'limit'>;
      /** How many that is to find: as many as whoever asks has seen. */
      readonly expected?: number | undefined;
    };

export interface NewBulkAction extends Acting, RequestingToken {
  readonly orgId: OrgId;
  readonly action: BulkActionKind;
}

/** What was asked for by whom, and what came of it. */
export interface EndedBulkAction {
  readonly id: BulkActionId;
  readonly orgId: OrgId;
  readonly action: BulkActionKind;
  readonly createdBy: UserId;
  readonly counts: { readonly total: number; readonly done: number; readonly failed: number };
  readonly details: ResourceDetails;
}

/** A user whose turn it is, and what is to be done to them. */
export interface NextUser extends Acting {
  readonly orgId: OrgId;
  readonly action: BulkActionKind;
  readonly userId: UserId;
  /** Whoever asked for it is still there and may sign in, and so may their organization. */
  readonly callerActive: boolean;
  readonly tokenRevoked: boolean;
}

/** Of an action that is over. */
export function bulkActionEnd(
  ended: EndedBulkAction,
  type: 'bulk_action.done' | 'bulk_action.cancelled',
  actorId: UserId,
): AuditEvent {
  const { total: users, done, failed } = ended.counts;
  return bulkActionEvent(ended, type, actorId, { users, done, failed });
}

/** Of the action as a whole: what was done to each user is an event of theirs. */
export function bulkActionEvent(
  { id, orgId, action, details }: Pick<EndedBulkAction, 'id' | 'orgId' | 'action' | 'details'>,
  type: EventType,
  actorId: UserId,
  counts: Readonly<Record<string, number>>,
): AuditEvent {
  const subject = { orgId, aggregateType: 'bulk_action' as const, aggregateId: id };
  return { ...subject, sequence: details.sequence, type, actorId, data: { action, ...counts } };
}

export function bulkActionNotFound(): ApiError {
  return new ApiError('not-found', 'Bulk action not found', 'QUERY-bA3nf');
}
