import type { OrgId } from '../shared/ids.js';
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

/** Conditions that must all hold. */
export interface EventFilter {
  readonly orgId?: OrgId | undefined;
  /** Who did it. */
  readonly actorId?: string | undefined;
  readonly aggregateType?: AggregateType | undefined;
  readonly aggregateId?: string | undefined;
  /** Any of them. */
  readonly types?: readonly EventType[] | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

/** Where an event stands in the log. */
export interface EventPlace {
  /** Microseconds since 1970, which is as exact as the log is. */
  readonly at: string;
  /** Orders events of the same time. */
  readonly position: string;
}

export interface LoggedEvent {
  readonly place: EventPlace;
  readonly createdAt: Date;
  readonly orgId: OrgId | null;
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly sequence: string;
  /** One of `EVENT_TYPES`, or of an older release. */
  readonly type: string;
  readonly actorId: string | null;
  readonly fields: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Something that an event names by its id. */
export interface ObjectReference {
  readonly type: string;
  readonly id: string;
  /** Of the event: nothing of another organization is named. Null for an event of the instance, which names any. */
  readonly orgId: OrgId | null;
}

export interface ObjectName {
  readonly name: string;
  /** Of an application: the project that it is in. */
  readonly projectId: string | null;
}

export interface EventsAsked {
  /** Beyond this one, in the order asked for. */
  readonly after: EventPlace | undefined;
  readonly ascending: boolean;
  readonly limit: number;
}

export interface LoggedEvents {
  readonly events: readonly LoggedEvent[];
  /** The newest event of all at that time. */
  readonly processedSequence: string;
  readonly viewedAt: Date;
}

export type AlarmKind = 'guessing_alarm' | 'key_set_full';

/** What an alarm is about, where it is not the whole instance. */
export interface AlarmSubject {
  readonly aggregateType: 'claims_webhook' | 'client_guesses' | 'user_migration' | 'webhook';
  readonly aggregateId: string;
  /** Null for what is about the instance. */
  readonly orgId: OrgId | null;
}

/** The audit log: written with each change, and read by those who may. It also contains alarms. */
export abstract class EventsStore {
  /** Appends in the transaction of the change, in the given order, with one statement. */
  abstract append(tx: Tx, ...events: readonly AuditEvent[]): Promise<void>;

  /**
   * Events in the order of their time. Ascending, it ends before the oldest transaction that may still write one, so
   * that continuing after the last event misses none.
   *
   * @throws ApiError resource-exhausted when the conditions make it take too long
   */
  abstract search(filter: EventFilter, asked: EventsAsked): Promise<LoggedEvents>;

  /**
   * What things are called now, by one statement and in the order asked for; undefined for what has no name or is gone.
   */
  abstract namesOf(things: readonly ObjectReference[]): Promise<readonly (ObjectName | undefined)[]>;

  /** The one that stands there; undefined where it was cleared away. */
  abstract find(place: EventPlace): Promise<LoggedEvent | undefined>;

  /**
   * An alarm of the whole instance: raises it and writes its event `instance.<kind>` in one statement, unless it was raised within the
   * last `pauseSeconds`, however many replicas notice.
   * @param data counts and settings worth keeping, nothing personal
   * @returns whether this call raised it
   */
  abstract raiseAlarm(
    kind: AlarmKind,
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean>;

  /** The same for one object of an organization, in whose audit log it is written: `<aggregateType>.alarm`. */
  abstract raiseAlarmAbout(
    about: AlarmSubject,
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean>;
}
