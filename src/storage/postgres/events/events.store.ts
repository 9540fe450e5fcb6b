// SQL by hand: every change appends, and many events go in one statement, in their order
import { Injectable } from '@nestjs/common';
import { EventsStore, type AuditEvent } from '../../../domain/events/events.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';

export const EVENT_COLUMNS = 'org_id, aggregate_type, aggregate_id, sequence, type, actor_id, fields, data';
/** The same as a record that was JSON. */
export const EVENT_RECORD = `org_id text, aggregate_type text, aggregate_id text, sequence bigint, type text,
  actor_id text, fields text[], data jsonb`;

// rows come out of the list in its order, and positions are drawn in that order
const APPEND = {
  name: 'events-append',
  text: `
    INSERT INTO events (${EVENT_COLUMNS})
    SELECT e.org_id, e.aggregate_type, e.aggregate_id, e.sequence, e.type, e.actor_id, e.fields, e.data
    FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (${EVENT_RECORD})) WITH ORDINALITY
      AS e (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, fields, data, place)
    ORDER BY e.place`,
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
  constructor(private readonly sql: Sql) {
    super();
  }

  override async append(tx: Tx, ...events: readonly AuditEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.sql.change(APPEND, [JSON.stringify(events.map(eventRecord))], tx);
  }
}
