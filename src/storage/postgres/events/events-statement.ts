// SQL by hand: each combination of filters has a statement of its own, not prepared, so that the planner sees the values
import { EVENT_TYPES } from '../../../domain/events/event-types.js';
import type {
  EventFilter,
  EventPlace,
  EventsAsked,
  LoggedEvent,
} from '../../../domain/events/events.store.js';
import { microsecondsOf } from '../microseconds.js';
import { columns, pick } from '../table.js';
import { EventEntity } from '../tables/event.entity.js';

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
  ${microsecondsOf('e.created_at')} AS at`;

export type EventRow = Pick<LoggedEvent, (typeof EVENT)[number]> & EventPlace;

export function eventOf(row: EventRow): LoggedEvent {
  return { place: pick(row, ['at', 'position']), ...pick(row, EVENT) };
}

export const FIND_EVENT = {
  name: 'event-log-find',
  text: `SELECT ${COLUMNS} FROM events e WHERE e.created_at = $1::timestamptz AND e.position = $2`,
};

/** Microseconds since 1970 as PostgreSQL reads a time: a constant to the planner, which prunes months by it. */
export function timestampOf(at: string): string {
  const micros = BigInt(at);
  return `${new Date(Number(micros / 1000n)).toISOString().slice(0, -1)}${String(micros % 1000n).padStart(3, '0')}Z`;
}

/** All types of an aggregate, if nothing else narrows the search: then the index by type is used. */
function typesOf({ types, aggregateType, aggregateId }: EventFilter): readonly string[] | undefined {
  if (types !== undefined || aggregateType === undefined || aggregateId !== undefined) return types;
  return Object.entries(EVENT_TYPES).flatMap(([type, [of]]) => (of === aggregateType ? [type] : []));
}

interface EventsStatement {
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
  if (settledUntil !== undefined) add(timestampOf(settledUntil), (p) => `e.created_at < ${p}`, 'timestamptz');
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

/** The row comparison does not prune partitions; the condition on created_at does. */
function beyond(
  { at, position }: EventPlace,
  ascending: boolean,
  parameter: (value: unknown, type: string) => string,
): string {
  const sign = ascending ? '>' : '<';
  const moment = parameter(timestampOf(at), 'timestamptz');
  return `e.created_at ${sign}= ${moment}
    AND (e.created_at, e.position) ${sign} (${moment}, ${parameter(position, 'bigint')})`;
}
