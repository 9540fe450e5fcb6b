import { z } from 'zod';
import { ApiError } from '../../domain/shared/errors.js';
import type { Cursor } from '../../domain/shared/page.js';
import { sha256 } from '../../domain/shared/random.js';

/** So long a cursor may be: a display name of 401 characters, of which each may be four bytes (or two in JSON), and an id. */
const LONGEST_CURSOR = 4000;

/** Where a page begins, as the call that asks for it has it. */
export const cursorField = z
  .string({ error: 'must be a string' })
  .max(LONGEST_CURSOR, 'is too long')
  .optional()
  .meta({
    description:
      '`nextCursor` of the page before, of a list in the same order and with the same filters. Rows that come or go ' +
      'meanwhile make no page skip or repeat any.',
  });

/** What answers call it. */
export const nextCursorField = z
  .string()
  .optional()
  .meta({ description: 'For the next page, where there is one.' });

interface OrderAsked {
  readonly by?: string | undefined;
  readonly ascending: boolean;
}

/** One name for a list in one order and with these filters. */
export function nameOfList(
  { by = 'createdAt', ascending }: OrderAsked,
  ...filters: readonly unknown[]
): string {
  return shortHash(JSON.stringify([by, ascending, ...filters]));
}

/** Long enough to distinguish the queries of one caller. */
export function shortHash(text: string): string {
  return sha256(text).toString('base64url').slice(0, 12);
}

/**
 * Its encoded form, up to the position in the list, which `cursor-places.ts` appends: nothing in it is secret, and a forged
 * one returns no more than a search would.
 */
export function writeCursor({ list, key, id }: Cursor): string {
  return `${Buffer.from(JSON.stringify([list, key, id])).toString('base64url')}${BEFORE_PLACE}`;
}

/** Stands between the two; base64url does not have it. */
export const BEFORE_PLACE = '.';

/** @throws ApiError invalid-argument when it is none, or of another list */
export function cursorOf(text: string, list: string, offset = 0): Cursor {
  if (offset > 0) throw new ApiError('invalid-argument', 'cursor and offset cannot be given together');
  const [written = '', place] = text.split(BEFORE_PLACE);
  const parts = place === undefined ? undefined : partsOf(written);
  if (parts === undefined)
    throw new ApiError('invalid-argument', 'cursor is not one that this release gave: begin without one');
  const [of, key, id] = parts;
  if (of === list) return { list, key, id };
  throw new ApiError(
    'invalid-argument',
    'cursor is of a list in another order or with other filters: begin without one',
  );
}

function partsOf(text: string): readonly [list: string, key: string, id: string] | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  // PostgreSQL takes no such character, in whatever place
  if (!parts.every((part) => typeof part === 'string' && !part.includes('\0'))) return undefined;
  return parts as unknown as readonly [string, string, string];
}
