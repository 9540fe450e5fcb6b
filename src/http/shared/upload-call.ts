import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requireIdempotencyKey } from '../../domain/idempotency/idempotency-key.js';
import { canUnpack, ENCODINGS, type SourceEncoding } from '../../domain/imports/formats/unpack.js';
import type { ImportFormat } from '../../domain/imports/import-job.js';
import type { Acting } from '../../domain/permissions/acting.js';
import type { RequestingToken } from '../../domain/permissions/requesting-token.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import { callerOf, organizationOf } from './caller.js';
import { allowSlowBody } from './server/body-deadline.js';
import { UnreadableBody } from './server/json-body.js';
import { streamedBody } from './server/streamed-body.js';

/** A call that brings a file along, which nobody has read yet. */
export interface UploadCall {
  readonly caller: UserId;
  /** The caller, and through what they act. */
  readonly acting: Acting;
  readonly orgId: OrgId;
  readonly askedWith: RequestingToken;
  /** What may be repeated with the same file: the Idempotency-Key, bound to its route and what it names. */
  readonly key: string | undefined;
  readonly body: Readable | undefined;
  /** Lower case, without parameters. */
  readonly type: string | undefined;
  readonly encoding: SourceEncoding;
  /** Of the body as it is on the wire; undefined for one that was not announced. */
  readonly length: number | undefined;
}

/** Parameter decorator for an `UploadCall`, of a route that is `Streamed`. */
export const Upload = createParamDecorator((_: unknown, context: ExecutionContext): UploadCall => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const call = {
    caller: callerOf(request).userId,
    acting: callerOf(request).acting,
    askedWith: callerOf(request).askedWith,
    orgId: organizationOf(request),
    key: keyOf(request),
    body: bodyOf(request),
    type: typeOf(request),
    encoding: encodingOf(request),
    length: lengthOf(request),
  };
  allowSlowBody(request);
  return call;
});

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  return `${request.method} ${pathOf(request)}\n${requireIdempotencyKey(key)}`;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

/** An empty JSON object says as little as no body, and is what many clients send for one. */
function bodyOf(request: FastifyRequest): Readable | undefined {
  const body = streamedBody(request);
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (length !== 0 && !(length === 2 && typeOf(request) === 'application/json')) {
    if (body === undefined && request.body !== undefined && request.body !== null) throw unknownType();
    return body;
  }
  body?.resume();
  return undefined;
}

function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : undefined;
}

function typeOf({ headers }: FastifyRequest): string | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) {
    throw new UnreadableBody(415, 3, 'the file must be UTF-8');
  }
  return type.trim() || undefined;
}

function encodingOf({ headers }: FastifyRequest): SourceEncoding {
  const given = (headers['content-encoding'] ?? 'identity').toLowerCase().trim();
  const encoding = ENCODINGS.find((known) => known === given);
  if (encoding !== undefined && canUnpack(encoding)) return encoding;
  const possible = ENCODINGS.filter((known) => canUnpack(known)).join(', ');
  throw new UnreadableBody(415, 3, `Content-Encoding must be one of ${possible}`);
}

const TYPES: ReadonlyMap<string, ImportFormat> = new Map([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['text/csv', 'csv'],
]);

/** What is asked for by name counts more than the Content-Type, which many programs set to something of their own. */
export function formatOf({ type }: UploadCall, asked: ImportFormat | undefined): ImportFormat {
  const format = asked ?? TYPES.get(type ?? '');
  if (format === undefined) throw unknownType();
  return format;
}

function unknownType(): UnreadableBody {
  const types = 'application/json, application/x-ndjson or text/csv';
  return new UnreadableBody(415, 3, `the Content-Type must be ${types}`);
}
