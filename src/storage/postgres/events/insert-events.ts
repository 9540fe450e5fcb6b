// SQL by hand: the beginning of statements that record an event for each row that they change
import { columnOf, tableOf } from '../table.js';
import { EventEntity } from '../tables/event.entity.js';

const ALWAYS = ['aggregateType', 'aggregateId', 'sequence', 'type'] as const;

function insertOf(properties: readonly (keyof EventEntity)[]): string {
  const columns = properties.map((property) => columnOf(EventEntity, property));
  return `INSERT INTO ${tableOf(EventEntity)} (${columns.join(', ')})`;
}

/**
 * SQL: an INSERT of events, which a SELECT of the values follows, in this order: the organization, type and id of the aggregate, its
 * sequence, the type of the event, and what is named here.
 */
export function insertEvents(...more: readonly ('actorId' | 'data')[]): string {
  return insertOf(['orgId', ...ALWAYS, ...more]);
}

/** The same for an event of the instance, which has no organization. */
export function insertEventOfInstance(...more: readonly 'data'[]): string {
  return insertOf([...ALWAYS, ...more]);
}
