import { isDeepStrictEqual } from 'node:util';

/**
 * Names of the settings that are not so already, sorted. What they leave out stays as it is, and what else is known of the
 * thing is not theirs to change.
 */
export function changesTo(before: object, given: object): readonly string[] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return named
    .filter(([name, value]) => !isDeepStrictEqual(earlier.get(name) ?? null, value))
    .map(([name]) => name)
    .sort();
}
