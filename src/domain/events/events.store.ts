import type { Tx } from '../shared/unit-of-work.js';
import type { AggregateType, EventType } from './event-types.js';

/**
 * The actor of what somebody with access to the database does by a command, for whom the service has no account. No user
 * can have this id: theirs hold no blanks (`given-id.ts`).
 */
export const OPERATOR = 'operator at the command line';

/**
 * The audit log: who did what to which object. Names of changed personal fields, never their values; no secret.
 */
export interface AuditEvent {
  readonly orgId: string | null;
  readonly aggregateType: AggregateType;
  readonly aggregateId: string;
  /** The object's own number of changes after this one. */
  readonly sequence: string | number;
  /** past tense, dotted: `user.human.imported` */
  readonly type: EventType;
  readonly actorId: string | null;
  /** Names of the fields that changed. */
  readonly fields?: readonly string[];
  /** Ids, states and counts worth keeping. */
  readonly data?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

export abstract class EventsStore {
  /** Appends in the transaction of the change, in the given order, with one statement. */
  abstract append(tx: Tx, ...events: readonly AuditEvent[]): Promise<void>;
}
