import { isDeepStrictEqual } from 'node:util';

/** Names of the fields in which two policies differ, sorted; absent and undefined are the same. */
export function changedFields<Policy extends object>(before: Policy, after: Policy): readonly string[] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const later = new Map<string, unknown>(Object.entries(after));
  const names = new Set([...earlier.keys(), ...later.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(earlier.get(name), later.get(name))).sort();
}

type EventPolicy = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A policy as an event has it, whose values are no lists. */
export function policyForEvent(policy: object): EventPolicy {
  const members = Object.entries(policy as Record<string, unknown>);
  const told = members.map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') : value]);
  return Object.fromEntries(told) as EventPolicy;
}
