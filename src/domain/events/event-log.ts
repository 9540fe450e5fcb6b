import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import { keyOf, subjectOf, targetOf } from './event-names.js';
import {
  EventsStore,
  type EventFilter,
  type EventPlace,
  type LoggedEvent,
  type ObjectName,
  type ObjectReference,
} from './events.store.js';

/** A stream asks the database for so many at a time. */
const EVENTS_AT_ONCE = 1_000;

/** An object with its current name, where that is known. */
export interface NamedObject extends Partial<ObjectName> {
  readonly type: string;
  readonly id: string;
}

/** An event with the current names of what it refers to. */
export interface NamedEvent extends LoggedEvent {
  readonly subject: NamedObject;
  readonly target: NamedObject | undefined;
}

export interface EventPage {
  readonly events: readonly NamedEvent[];
  /** For the rest, where there is more. */
  readonly nextCursor: string | undefined;
  /** Of the last event here: what comes later follows it. */
  readonly lastCursor: string | undefined;
  readonly processedSequence: string;
  readonly viewedAt: Date;
}

/** The audit log as somebody reads it: by pages, or from end to end. */
@Injectable()
export class EventLog {
  constructor(private readonly events: EventsStore) {}

  /** @throws ApiError invalid-argument for a cursor of another search */
  async page(
    filter: EventFilter,
    asked: { readonly cursor: string | undefined; readonly limit: number; readonly ascending: boolean },
  ): Promise<EventPage> {
    const { cursor, limit, ascending } = asked;
    const after = cursor === undefined ? undefined : placeIn(cursor, filter);
    const found = await this.events.search(filter, { after, ascending, limit: limit + 1 });
    const events = found.events.slice(0, limit);
    const last = events.at(-1);
    const lastCursor = last === undefined ? cursor : cursorOf(last.place, filter);
    const { processedSequence, viewedAt } = found;
    const nextCursor = found.events.length > limit ? lastCursor : undefined;
    return { events: await this.named(events), nextCursor, lastCursor, processedSequence, viewedAt };
  }

  /** The log holds ids alone: names are those of now, and whoever was removed has none. */
  private async named(events: readonly LoggedEvent[]): Promise<readonly NamedEvent[]> {
    const things = new Map<string, ObjectReference>();
    for (const event of events) {
      for (const thing of [subjectOf(event), targetOf(event)]) {
        if (thing !== undefined) things.set(keyOf(thing), thing);
      }
    }
    const found = await this.events.namesOf([...things.values()]);
    const names = new Map([...things.keys()].map((key, place) => [key, found[place]]));
    const called = (thing: ObjectReference): NamedObject => ({
      type: thing.type,
      id: thing.id,
      ...names.get(keyOf(thing)),
    });
    return events.map((event) => {
      const target = targetOf(event);
      return { ...event, subject: called(subjectOf(event)), target: target && called(target) };
    });
  }

  /**
   * All of them, some at a time; nothing is held between two of them. Without names: this leaves the service as a file, and
   * is what the log holds.
   * @throws ApiError as `page`, with the first
   */
  async *all(
    filter: EventFilter,
    { cursor, ascending }: { readonly cursor: string | undefined; readonly ascending: boolean },
  ): AsyncGenerator<readonly LoggedEvent[]> {
    let after = cursor === undefined ? undefined : placeIn(cursor, filter);
    for (;;) {
      const { events } = await this.events.search(filter, { after, ascending, limit: EVENTS_AT_ONCE });
      if (events.length > 0) yield events;
      if (events.length < EVENTS_AT_ONCE) return;
      after = events.at(-1)?.place;
    }
  }
}

/** A place in the log, for these conditions and no others. */
function cursorOf({ at, position }: EventPlace, filter: EventFilter): string {
  return Buffer.from(`${at}.${position}.${markOf(filter)}`).toString('base64url');
}

/** It reads nothing beyond the conditions: the marker distinguishes a mistake from a search. */
function placeIn(cursor: string, filter: EventFilter): EventPlace {
  const [, at, position, mark] =
    /^(\d{1,17})\.(\d{1,18})\.([\w-]{16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (at === undefined || position === undefined) {
    throw new ApiError('invalid-argument', 'query.cursor is not one of a search of events', 'QUERY-eV2c1');
  }
  if (mark !== markOf(filter)) {
    throw new ApiError(
      'invalid-argument',
      'query.cursor belongs to another search: the organization and all conditions must be the same',
      'QUERY-eV2c2',
    );
  }
  return { at, position };
}

function markOf({ types, ...filter }: EventFilter): string {
  const { orgId, actorId, aggregateType, aggregateId, createdFrom, createdBefore } = filter;
  const conditions = [
    orgId,
    actorId,
    aggregateType,
    aggregateId,
    createdFrom,
    createdBefore,
    types?.toSorted(),
  ];
  const text = JSON.stringify(conditions.map((condition) => condition ?? null));
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
