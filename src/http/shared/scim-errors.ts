import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ApiErrorKind } from '../../domain/shared/errors.js';
import type { Log } from '../../domain/shared/log.js';
import { apiErrorAnswer } from './api-errors.js';

/** RFC 7644 §3.12, table 9. */
type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** A fault of a request that only SCIM has a word for. */
export class ScimError extends Error {
  constructor(
    readonly scimType: ScimType,
    readonly detail: string,
  ) {
    super(detail);
    this.name = 'ScimError';
  }
}

interface ScimErrorBody {
  readonly schemas: readonly string[];
  readonly status: string;
  readonly scimType?: ScimType;
  readonly detail: string;
}

interface ScimErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ScimErrorBody;
}

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';
const SCIM_TYPES: Readonly<Partial<Record<ApiErrorKind, ScimType>>> = {
  'invalid-argument': 'invalidValue',
  'already-exists': 'uniqueness',
};

/** An error in SCIM format; with the status and the headers that it has at the other APIs. */
export function scimErrorAnswer(error: unknown, requestId: string): ScimErrorAnswer {
  if (error instanceof ScimError) return answer(400, {}, error.detail, error.scimType);
  const { status, headers, body } = apiErrorAnswer(error, requestId);
  const scimType = error instanceof ApiError ? SCIM_TYPES[error.kind] : undefined;
  const challenge = status === 401 ? { ...headers, 'www-authenticate': 'Bearer realm="SCIM"' } : headers;
  return answer(status, challenge, body.message, scimType);
}

function answer(
  status: number,
  headers: Readonly<Record<string, string>>,
  detail: string,
  scimType?: ScimType,
): ScimErrorAnswer {
  const body = { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType && { scimType }) };
  return { status, headers, body: { ...body, detail: detail || (STATUS_CODES[status] ?? 'Error') } };
}

/** Answers with the error; logs it when it is not one that a caller can bring about. */
export function sendScimError(request: FastifyRequest, reply: FastifyReply, error: unknown, log: Log): void {
  const { status, headers, body } = scimErrorAnswer(error, request.id);
  if (status === 500) log.error('request failed', error, { requestId: request.id });
  void reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      ...headers,
      'content-type': 'application/scim+json; charset=utf-8',
    })
    .send(JSON.stringify(body));
}
