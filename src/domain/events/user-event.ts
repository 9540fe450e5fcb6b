import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { EventType } from './event-types.js';
import type { AuditEvent } from './events.store.js';

/** Whose event it is, and who did it. */
interface UserChange {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly actorId: UserId | null;
}

/** A change of a user without details. */
export function userEvent(
  { orgId, userId, actorId }: UserChange,
  { sequence }: Pick<ResourceDetails, 'sequence'>,
  type: EventType,
): AuditEvent {
  return { orgId, aggregateType: 'user', aggregateId: userId, sequence, type, actorId };
}
