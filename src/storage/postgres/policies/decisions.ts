import type { ObjectType } from 'typeorm';
import { columnNames, type Changes } from '../table.js';

/** Properties of a policy's row that are no settings. */
const KEPT_BESIDE = new Set(['id', 'orgId', 'isSet', 'sequence', 'createdAt', 'changedAt']);

/** The properties of an entity that are settings: each is a member of the policy with the same name. */
export function decisionsOf(entity: ObjectType<object>): readonly string[] {
  return [...columnNames(entity).keys()].filter((property) => !KEPT_BESIDE.has(property));
}

/** The settings of a row that were set, without those that are null. */
export function decided(row: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>(Object.entries(row));
  const given = names.map((name) => [name, values.get(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null));
}

/** The values of all settings; null for one that the policy does not set. */
export function decisions<Entity>(policy: object, names: readonly string[]): Changes<Entity> {
  const values = new Map<string, unknown>(Object.entries(policy));
  return Object.fromEntries(names.map((name) => [name, values.get(name) ?? null])) as Changes<Entity>;
}
