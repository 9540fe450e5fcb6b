import type { ObjectType } from 'typeorm';
import { columnNames, type Changes } from '../table.js';

/** What such a row has beside what was decided. */
const KEPT_BESIDE = new Set(['id', 'orgId', 'isSet', 'sequence', 'createdAt', 'changedAt']);

/** The properties of an entity that are decisions: each is a member of the policy under the same name. */
export function decisionsOf(entity: ObjectType<object>): readonly string[] {
  return [...columnNames(entity).keys()].filter((property) => !KEPT_BESIDE.has(property));
}

/** Null in the row is what was left open. */
export function decided(row: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>(Object.entries(row));
  const given = names.map((name) => [name, values.get(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null));
}

/** What is left open goes back to null. */
export function decisions<Entity>(policy: object, names: readonly string[]): Changes<Entity> {
  const values = new Map<string, unknown>(Object.entries(policy));
  return Object.fromEntries(names.map((name) => [name, values.get(name) ?? null])) as Changes<Entity>;
}
