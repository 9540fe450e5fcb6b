// SQL by hand: each search has a statement of its own shape, which the planner sees with its values
import { Injectable } from '@nestjs/common';
import {
  EventLogStore,
  type EventFilter,
  type EventPlace,
  type EventsAsked,
  type LoggedEvent,
  type LoggedEvents,
} from '../../../domain/events/event-log.store.js';
import { EVENT_TYPES } from '../../../domain/events/event-types.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { columns, pick } from '../table.js';
import { EventEntity } from '../tables/event.entity.js';
import { withinTime } from '../within-time.js';

const EVENT = [
  'createdAt',
  'orgId',
  'aggregateType',
  'aggregateId',
  'sequence',
  'type',
  'actorId',
  'fields',
  'data',
] as const satisfies readonly (keyof LoggedEvent)[];
const COLUMNS = `${columns(EventEntity, 'e', ['position', ...EVENT])}, e.created_at,
  (extract(epoch FROM e.created_at) * 1000000)::bigint::text AS at`;

const VIEW = {
  name: 'event-log-view',
  text: `SELECT app_now() AS "viewedAt",
           (SELECT last_value::text FROM events_position_seq) AS "processedSequence"`,
};

/**
 * Since when every transaction of this role that may still write has run. What began later writes a later time than
 * that; those of other roles write no events. It must be asked before the search begins: a transaction that commits in
 * between is then in both, and one that commits later in neither.
 */
const SETTLED = {
  name: 'event-log-settled',
  text: `
    SELECT (extract(epoch FROM app_now() - (clock_timestamp() - min(xact_start))) * 1000000)::bigint::text AS until
    FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'`,
};

type EventRow = Pick<LoggedEvent, (typeof EVENT)[number]> & EventPlace;

function eventOf(row: EventRow): LoggedEvent {
  return { place: pick(row, ['at', 'position']), ...pick(row, EVENT) };
}

/** Microseconds since 1970 as PostgreSQL reads a time: a constant to the planner, which prunes months by it. */
function momentOf(at: string): string {
  const micros = BigInt(at);
  return `${new Date(Number(micros / 1000n)).toISOString().slice(0, -1)}${String(micros % 1000n).padStart(3, '0')}Z`;
}

/** Everything that can be said of an aggregate, where nothing else narrows the search. */
function typesOf({ types, aggregateType, aggregateId }: EventFilter): readonly string[] | undefined {
  if (types !== undefined || aggregateType === undefined || aggregateId !== undefined) return types;
  return Object.entries(EVENT_TYPES).flatMap(([type, [of]]) => (of === aggregateType ? [type] : []));
}

export interface EventsStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * One page. Each of several types is read by its own piece of an index, no further than the page is long: an index by
 * type has them in the order of time only one by one.
 *
 * @param settledUntil of an ascending page
 */
export function eventsStatement(
  filter: EventFilter,
  { after, ascending, limit }: EventsAsked,
  settledUntil?: string,
): EventsStatement {
  const values: unknown[] = [];
  const parameter = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const texts: string[] = [];
  const add = (value: unknown, text: (given: string) => string, type = 'text'): void => {
    if (value !== undefined) texts.push(text(parameter(value, type)));
  };
  add(filter.orgId, (p) => `e.org_id = ${p}`);
  add(filter.actorId, (p) => `e.actor_id = ${p}`);
  add(filter.aggregateType, (p) => `e.aggregate_type = ${p}`);
  add(filter.aggregateId, (p) => `e.aggregate_id = ${p}`);
  add(filter.createdFrom, (p) => `e.created_at >= ${p}`, 'timestamptz');
  add(filter.createdBefore, (p) => `e.created_at < ${p}`, 'timestamptz');
  if (settledUntil !== undefined) add(momentOf(settledUntil), (p) => `e.created_at < ${p}`, 'timestamptz');
  if (after !== undefined) texts.push(beyond(after, ascending, parameter));
  const types = typesOf(filter);
  const [onlyType, ...otherTypes] = types ?? [];
  if (onlyType !== undefined && otherTypes.length === 0) add(onlyType, (p) => `e.type = ${p}`);
  const direction = ascending ? 'ASC' : 'DESC';
  const order = `ORDER BY e.created_at ${direction}, e.position ${direction} LIMIT ${parameter(limit, 'bigint')}`;
  const select = (conditions: readonly string[]): string =>
    `SELECT ${COLUMNS} FROM events e WHERE ${conditions.length === 0 ? 'true' : conditions.join(' AND ')} ${order}`;
  if (otherTypes.length === 0) return { text: select(texts), values };
  const wanted = parameter(types, 'text[]');
  return {
    text: `
      SELECT e.* FROM unnest(${wanted}) AS wanted (type)
      CROSS JOIN LATERAL (${select([...texts, 'e.type = wanted.type'])}) e ${order}`,
    values,
  };
}

/** A comparison of rows prunes no months, its first half does. */
function beyond(
  { at, position }: EventPlace,
  ascending: boolean,
  parameter: (value: unknown, type: string) => string,
): string {
  const sign = ascending ? '>' : '<';
  const moment = parameter(momentOf(at), 'timestamptz');
  return `e.created_at ${sign}= ${moment}
    AND (e.created_at, e.position) ${sign} (${moment}, ${parameter(position, 'bigint')})`;
}

@Injectable()
export class PgEventLogStore extends EventLogStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async search(filter: EventFilter, asked: EventsAsked): Promise<LoggedEvents> {
    return await withinTime(this.sql, async (tx) => {
      const settled = asked.ascending ? await this.settledUntil(tx) : undefined;
      const view = await this.sql.row<{ viewedAt: Date; processedSequence: string }>(VIEW, [], tx);
      if (view === undefined) throw new Error('a statement without FROM gives one row');
      const { text, values } = eventsStatement(filter, asked, settled);
      const rows = await this.sql.rows<EventRow & Record<string, unknown>>({ name: '', text }, values, tx);
      return { events: rows.map(eventOf), ...view };
    });
  }

  private async settledUntil(tx: Tx): Promise<string> {
    const row = await this.sql.row<{ until: string }>(SETTLED, [], tx);
    if (row === undefined) throw new Error('an aggregate gives one row');
    return row.until;
  }
}
