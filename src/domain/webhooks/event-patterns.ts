import { EVENT_TYPE_NAMES } from '../events/event-types.js';

const PREFIX_END = '.*';

/** Every event there is, those of later releases included. */
const ALL_EVENTS = '*';
export const MOST_PATTERNS = 50;

/** @param pattern a type, the beginning of types (`user.*`, `user.human.*`), or `*` */
export function wants(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => covers(pattern, type));
}

/** A pattern that no event can match is a mistake, and a silent webhook would not reveal it. */
export function isKnownPattern(pattern: string): boolean {
  return EVENT_TYPE_NAMES.some((type) => covers(pattern, type));
}

function covers(pattern: string, type: string): boolean {
  if (pattern === ALL_EVENTS) return true;
  // the dot belongs to it: `user.*` is not about `user_grant.added`
  return pattern.endsWith(PREFIX_END) ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
