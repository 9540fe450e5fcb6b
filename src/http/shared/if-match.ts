import { applyDecorators, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../domain/shared/errors.js';
import type { ReadAt } from '../../domain/shared/precondition.js';
import { Described } from './schemas/described.js';

/**
 * `If-Match` (RFC 9110 §13.1.1): a change is made only where the thing is still as the caller read it. Its tag is the
 * `details.sequence` that GET answers, in quotation marks.
 */
const TAKES = 'takes-if-match';
const TAG = /^"(0|[1-9][0-9]{0,18})"$/;
const MOST_TAGS = 10;

export function TakesIfMatch(): MethodDecorator {
  return applyDecorators(
    SetMetadata(TAKES, true),
    Described(({ ApiExtension }) => [ApiExtension('x-if-match', true)]),
  );
}

/**
 * What the header says; undefined for nothing, and for `*`, since what is not there is not changed anyway.
 *
 * @throws ApiError invalid-argument for another form, and at a call that takes none: it must not be ignored
 */
export function ifMatchOf(context: ExecutionContext): ReadAt | undefined {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  if (Reflect.getMetadata(TAKES, context.getHandler()) !== true) {
    throw new ApiError('invalid-argument', 'this call takes no If-Match');
  }
  const tags = header.split(',').map((tag) => TAG.exec(tag.trim())?.[1]);
  const known = tags.filter((tag) => tag !== undefined);
  if (known.length === tags.length && tags.length <= MOST_TAGS) return known;
  throw new ApiError('invalid-argument', 'If-Match must be a sequence in quotation marks, such as "5"');
}

/** The tag of a thing that is read by itself. */
export function tagOf(wire: unknown): string | undefined {
  const sequence = sequenceOf(wire) ?? sequenceOf(onlyMember(wire));
  return sequence === undefined ? undefined : `"${sequence}"`;
}

function sequenceOf(thing: unknown): string | undefined {
  const { details } = (thing ?? {}) as { readonly details?: { readonly sequence?: unknown } };
  return typeof details?.sequence === 'string' ? details.sequence : undefined;
}

/** `{"user": …}` */
function onlyMember(wire: unknown): unknown {
  const members = typeof wire === 'object' && wire !== null ? Object.values(wire) : [];
  return members.length === 1 && !Array.isArray(members[0]) ? (members[0] as unknown) : undefined;
}
