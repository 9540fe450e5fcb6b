import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../domain/shared/errors.js';
import { findOrganization } from './caller.js';
import { BEFORE_PLACE, shortHash } from './cursors.js';
import { isJsonBody, readJsonBody } from './server/json-body.js';

// A cursor names an order and filters, and many lists have the same ones. So it also holds where its list is: the address and
// the organization that the call acts in. Rows of another place than the caller may see are never read either way.

/** @throws ApiError invalid-argument with the cursor of another list */
export function requireOwnCursor(request: FastifyRequest): void {
  const cursor = cursorIn(request.query) ?? cursorIn(queryOf(request));
  // what has no place is no cursor of a list: its own schema says so
  const [, place] = cursor?.split(BEFORE_PLACE) ?? [];
  if (place === undefined || place === placeOf(request)) return;
  throw new ApiError('invalid-argument', 'cursor is of another list: begin without one');
}

/** The answer of a list, whose cursor is for no other. */
export function withPlace(wire: unknown, request: FastifyRequest): unknown {
  const cursor = fieldOf(wire, 'nextCursor');
  if (typeof cursor !== 'string' || !cursor.endsWith(BEFORE_PLACE)) return wire;
  return { ...(wire as object), nextCursor: `${cursor}${placeOf(request)}` };
}

function placeOf(request: FastifyRequest): string {
  const [path] = request.url.split('?', 1);
  return shortHash(JSON.stringify([path, findOrganization(request)]));
}

function queryOf({ body }: FastifyRequest): unknown {
  return isJsonBody(body) ? fieldOf(readJsonBody({ body }), 'query') : undefined;
}

function cursorIn(fields: unknown): string | undefined {
  const cursor = fieldOf(fields, 'cursor');
  return typeof cursor === 'string' ? cursor : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
