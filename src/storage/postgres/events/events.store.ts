// SQL by hand: one INSERT appends several events in their order
import { Injectable } from '@nestjs/common';
import {
  EventsStore,
  type AlarmKind,
  type AlarmSubject,
  type AuditEvent,
  type EventFilter,
  type EventPlace,
  type EventsAsked,
  type LoggedEvent,
  type LoggedEvents,
  type ObjectName,
  type ObjectReference,
} from '../../../domain/events/events.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { LaggingReads } from '../lagging-reads.js';
import { microsecondsOf } from '../microseconds.js';
import { withinTime } from '../search-time-limit.js';
import { Sql } from '../sql.js';
import { RAISE_ALARM, RAISE_ALARM_ABOUT } from './alarm-statements.js';
import { FIND_EVENT_NAMES } from './event-names-statement.js';
import { eventOf, eventsStatement, FIND_EVENT, timestampOf, type EventRow } from './events-statement.js';

export const EVENT_COLUMNS = 'org_id, aggregate_type, aggregate_id, sequence, type, actor_id, fields, data';
/** The same as a record that was JSON. */
export const EVENT_RECORD = `org_id text, aggregate_type text, aggregate_id text, sequence bigint, type text,
  actor_id text, fields text[], data jsonb`;

// ORDER BY, since positions are drawn in the order of insertion
const APPEND = {
  name: 'events-append',
  text: `
    INSERT INTO events (${EVENT_COLUMNS})
    SELECT e.org_id, e.aggregate_type, e.aggregate_id, e.sequence, e.type, e.actor_id, e.fields, e.data
    FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (${EVENT_RECORD})) WITH ORDINALITY
      AS e (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, fields, data, place)
    ORDER BY e.place`,
};

const VIEW = {
  name: 'event-log-view',
  text: `SELECT app_now() AS "viewedAt",
           (SELECT last_value::text FROM events_position_seq) AS "processedSequence"`,
};

/**
 * When the oldest open transaction of this role began. Transactions that begin later write later times, and other roles write no events:
 * so all events before that time are visible. It must be read before the search begins, so that no transaction commits in between
 * unseen.
 */
const SETTLED = {
  name: 'event-log-settled',
  text: `
    SELECT ${microsecondsOf('app_now() - (clock_timestamp() - min(xact_start))')} AS until
    FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'`,
};

/** An event as JSON, for the columns above. */
export function eventRecord(event: AuditEvent) {
  return {
    org_id: event.orgId,
    aggregate_type: event.aggregateType,
    aggregate_id: event.aggregateId,
    sequence: String(event.sequence),
    type: event.type,
    actor_id: event.actorId,
    fields: event.fields ?? [],
    data: event.data ?? {},
  };
}

@Injectable()
export class PgEventsStore extends EventsStore {
  constructor(
    private readonly sql: Sql,
    private readonly reads: LaggingReads,
  ) {
    super();
  }

  override async append(tx: Tx, ...events: readonly AuditEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.sql.change(APPEND, [JSON.stringify(events.map(eventRecord))], tx);
  }

  override async search(filter: EventFilter, asked: EventsAsked): Promise<LoggedEvents> {
    // a client that follows the log must miss no event, and only the primary knows its open transactions
    const reads = asked.ascending ? this.sql : this.reads;
    return await withinTime(reads, async (tx) => {
      const settled = asked.ascending ? await this.settledUntil(tx) : undefined;
      const view = await reads.row<{ viewedAt: Date; processedSequence: string }>(VIEW, [], tx);
      if (view === undefined) throw new Error('a statement without FROM gives one row');
      const { text, values } = eventsStatement(filter, asked, settled);
      const rows = await reads.rows<EventRow & Record<string, unknown>>({ name: '', text }, values, tx);
      return { events: rows.map(eventOf), ...view };
    });
  }

  override async namesOf(things: readonly ObjectReference[]): Promise<readonly (ObjectName | undefined)[]> {
    if (things.length === 0) return [];
    const values = [
      things.map(({ type }) => type),
      things.map(({ id }) => id),
      things.map(({ orgId }) => orgId),
    ];
    const found = await this.reads.rows<ObjectName & { place: number } & Record<string, unknown>>(
      FIND_EVENT_NAMES,
      values,
    );
    const names = new Map(found.map(({ place, ...name }) => [place, name]));
    return things.map((_, place) => names.get(place));
  }

  override async find({ at, position }: EventPlace): Promise<LoggedEvent | undefined> {
    const row = await this.sql.row<EventRow & Record<string, unknown>>(FIND_EVENT, [
      timestampOf(at),
      position,
    ]);
    return row && eventOf(row);
  }

  override async raiseAlarm(
    kind: AlarmKind,
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean> {
    return (await this.sql.change(RAISE_ALARM, [kind, pauseSeconds, JSON.stringify(data)])) === 1;
  }

  override async raiseAlarmAbout(
    { aggregateType, aggregateId, orgId }: AlarmSubject,
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean> {
    const values = [aggregateType, pauseSeconds, JSON.stringify(data), aggregateId, orgId];
    return (await this.sql.change(RAISE_ALARM_ABOUT, values)) === 1;
  }

  private async settledUntil(tx: Tx): Promise<string> {
    const row = await this.sql.row<{ until: string }>(SETTLED, [], tx);
    if (row === undefined) throw new Error('an aggregate gives one row');
    return row.until;
  }
}
