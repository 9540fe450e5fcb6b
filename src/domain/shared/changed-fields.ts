import { isDeepStrictEqual } from 'node:util';

/** Names of the fields in which two versions of a thing differ, sorted; absent and undefined are the same. */
export function changedFields<Thing extends object>(before: Thing, after: Thing): readonly string[] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const later = new Map<string, unknown>(Object.entries(after));
  const names = new Set([...earlier.keys(), ...later.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(earlier.get(name), later.get(name))).sort();
}

/**
 * Names of the settings that a change gives another value, sorted. A setting that `given` leaves out keeps its value; one that
 * `before` does not have is null.
 */
export function changesTo(before: object, given: object): readonly string[] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return named
    .filter(([name, value]) => !isDeepStrictEqual(earlier.get(name) ?? null, value))
    .map(([name]) => name)
    .sort();
}
