import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ApiErrorKind } from '../../domain/shared/errors.js';
import type { Log } from '../../domain/shared/log.js';

/** Kind → gRPC code and HTTP status (contract §0.2). */
const CODES: Readonly<Record<ApiErrorKind, readonly [code: number, status: number]>> = {
  'invalid-argument': [3, 400],
  unprocessable: [3, 422],
  'not-found': [5, 404],
  'already-exists': [6, 409],
  'permission-denied': [7, 403],
  'resource-exhausted': [8, 429],
  'failed-precondition': [9, 400],
  aborted: [10, 409],
  'method-not-allowed': [12, 405],
  unavailable: [14, 503],
  unauthenticated: [16, 401],
};

/** What Fastify found wrong before a handler ran. */
const FASTIFY_FAULTS: Readonly<Record<number, readonly [code: number, text: string]>> = {
  400: [3, 'the request is malformed'],
  413: [8, 'the body is larger than 4 MiB'],
  415: [3, 'the body must be application/json'],
};

/** Headers of every answer of the APIs (contract §0.1). */
export const API_HEADERS = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** Sends any error in the API's form; what is not an ApiError is logged once and told to nobody. */
export function sendApiError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  log: Log,
): FastifyReply {
  void reply.headers(API_HEADERS);
  if (error instanceof ApiError) {
    const [code, status] = CODES[error.kind];
    if (status === 401) void reply.header('www-authenticate', error.message);
    if (error.retryAfterSeconds !== undefined) {
      void reply.header('retry-after', String(error.retryAfterSeconds));
    }
    return reply.code(status).send(body(code, error));
  }
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const fault = FASTIFY_FAULTS[status];
  if (fault !== undefined) return reply.code(status).send({ code: fault[0], message: fault[1] });
  log.error('request failed', error, { requestId: request.id });
  return reply.code(500).send({ code: 13, message: `internal error, reference ${request.id}` });
}

function body(code: number, error: ApiError): object {
  if (error.id === undefined) return { code, message: error.message };
  const detail = {
    '@type': 'type.googleapis.com/zitadel.v1.ErrorDetail',
    id: error.id,
    message: error.text,
  };
  return { code, message: error.message, details: [detail] };
}
