import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError, ChallengingError, type ApiErrorKind } from '../../domain/shared/errors.js';
import type { Log } from '../../domain/shared/log.js';
import { UnreadableBody } from './server/json-body.js';

/** An error of the API family as it goes out (protocol §0.2). */
interface ApiErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ApiErrorBody;
}

export const apiErrorSchema = z.strictObject({
  code: z.int().min(1).max(16).meta({ description: 'Number of the gRPC status.' }),
  message: z
    .string()
    .meta({ description: 'What is wrong, with the field’s name; then the error’s id, if it has one.' }),
  details: z.array(z.strictObject({ '@type': z.string(), id: z.string(), message: z.string() })).optional(),
});
type ApiErrorBody = z.output<typeof apiErrorSchema>;

const KINDS: Readonly<Record<ApiErrorKind, { readonly status: number; readonly code: number }>> = {
  'invalid-argument': { status: 400, code: 3 },
  unprocessable: { status: 422, code: 3 },
  'not-found': { status: 404, code: 5 },
  'already-exists': { status: 409, code: 6 },
  'permission-denied': { status: 403, code: 7 },
  'resource-exhausted': { status: 429, code: 8 },
  // RFC 4918 §11.5: nothing that the caller may wait a moment for
  'storage-full': { status: 507, code: 8 },
  'failed-precondition': { status: 400, code: 9 },
  aborted: { status: 409, code: 10 },
  // RFC 9110 §15.5.13: what If-Match says holds no longer
  'precondition-failed': { status: 412, code: 10 },
  'method-not-allowed': { status: 405, code: 12 },
  unavailable: { status: 503, code: 14 },
  unauthenticated: { status: 401, code: 16 },
  'deadline-exceeded': { status: 504, code: 4 },
};

const INTERNAL = { status: 500, code: 13 };
const ERROR_DETAIL = 'type.googleapis.com/zitadel.v1.ErrorDetail';

/** Headers of every API answer: nothing of it may be kept (protocol §0.1). */
export function uncached(): Record<string, string> {
  return { 'cache-control': 'no-store', pragma: 'no-cache', expires: new Date().toUTCString() };
}

/** Unknown errors are reported as internal; the reference finds them in the log. */
export function apiErrorAnswer(error: unknown, requestId: string): ApiErrorAnswer {
  if (error instanceof ApiError) return answerOf(error);
  const fault = clientFault(error);
  if (fault !== undefined) {
    const { status, code, message } = fault;
    return { status, headers: uncached(), body: { code, message } };
  }
  const { status, code } = INTERNAL;
  return { status, headers: uncached(), body: { code, message: `internal error (ref ${requestId})` } };
}

function answerOf(error: ApiError): ApiErrorAnswer {
  const { status, code } = KINDS[error.kind];
  const headers = uncached();
  if (status === 401) {
    headers['www-authenticate'] = error instanceof ChallengingError ? error.challenge : error.message;
  }
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  const { id, text, message } = error;
  if (id === undefined) return { status, headers, body: { code, message } };
  return {
    status,
    headers,
    body: { code, message, details: [{ '@type': ERROR_DETAIL, id, message: text }] },
  };
}

/** Request errors found by Fastify or Nest: reported by their status alone, not with their texts. */
function clientFault(error: unknown): { status: number; code: number; message: string } | undefined {
  if (error instanceof UnreadableBody) {
    return { status: error.status, code: error.code, message: error.text };
  }
  const status = error instanceof HttpException ? error.getStatus() : fastifyStatus(error);
  if (status === undefined || status < 400 || status > 499) return undefined;
  const code = Object.values(KINDS).find((kind) => kind.status === status)?.code ?? 3;
  return { status, code, message: STATUS_CODES[status] ?? 'Bad Request' };
}

function fastifyStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** Answers with the error; logs it when it is not one that a caller can bring about. */
export function sendApiError(request: FastifyRequest, reply: FastifyReply, error: unknown, log: Log): void {
  const { status, headers, body } = apiErrorAnswer(error, request.id);
  if (status === INTERNAL.status) log.error('request failed', error, { requestId: request.id });
  void reply.code(status).headers(headers).send(body);
}
