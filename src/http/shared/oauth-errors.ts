import { HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProofChallenge } from '../../domain/dpop/check-presented-token.js';
import {
  ApiError,
  OAuthError,
  OAuthForbiddenError,
  type OAuthErrorCode,
} from '../../domain/shared/errors.js';
import type { Log } from '../../domain/shared/log.js';
import { oncePer } from '../../domain/shared/once-per.js';

/** An error of the OAuth family as JSON (RFC 6749 §5.2). */
interface OAuthErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: OAuthErrorCode; readonly error_description: string };
}

/** For whatever is away or overloaded: long enough not to make it worse. */
export const RETRY_AFTER_SECONDS = '5';

const TRIED_BASIC = /^\s*basic(?:\s|$)/i;

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  server_error: 500,
  temporarily_unavailable: 503,
};

/** Unavailable or full resources are logged at intervals: every caller can cause it, so it must not fill the log. */
const warnUnavailable = oncePer(10_000, (log: Log, reason: string) => {
  log.warn('temporarily unavailable', { reason });
});

/** Errors that are not ours to explain become server_error; the reference finds them in the log. */
export function toOAuthError(error: unknown, requestId: string, log: Log): OAuthError {
  if (error instanceof OAuthError) return error;
  const status = clientFault(error);
  if (status !== undefined) return new OAuthError('invalid_request', status);
  const unavailable = error instanceof ApiError && error.kind === 'unavailable';
  if (unavailable) warnUnavailable(log, error.text);
  else log.error('request failed', error, { requestId });
  return new OAuthError(
    unavailable ? 'temporarily_unavailable' : 'server_error',
    `${unavailable ? 'temporarily unavailable' : 'internal error'}, reference ${requestId}`,
  );
}

/**
 * Faults that Fastify found before a handler ran: body too large, unknown content type, malformed request. Nest hands
 * them on as exceptions of its own.
 */
function clientFault(error: unknown): string | undefined {
  const status = error instanceof HttpException ? error.getStatus() : fastifyStatus(error);
  if (status === undefined || status < 400 || status > 499) return undefined;
  if (status === 413) return 'the body is too large';
  if (status === 415) return 'the body must be application/x-www-form-urlencoded';
  return 'the request is malformed';
}

function fastifyStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** @param authorization the header of the request: the scheme that was tried is challenged, no other (RFC 6749 §5.2) */
export function oauthErrorAnswer(error: OAuthError, authorization?: string): OAuthErrorAnswer {
  const challenge: Record<string, string> =
    error instanceof ProofChallenge
      ? { 'www-authenticate': error.challenge }
      : error.code === 'invalid_client'
        ? TRIED_BASIC.test(authorization ?? '')
          ? { 'www-authenticate': 'Basic realm="token", charset="UTF-8"' }
          : {}
        : error.code === 'invalid_token'
          ? { 'www-authenticate': `Bearer error="invalid_token", error_description="${error.description}"` }
          : error.code === 'temporarily_unavailable'
            ? { 'retry-after': RETRY_AFTER_SECONDS }
            : {};
  return {
    status:
      error instanceof OAuthForbiddenError
        ? 403
        : error instanceof ProofChallenge
          ? 401
          : (STATUS[error.code] ?? 400),
    headers: { 'cache-control': 'no-store', pragma: 'no-cache', ...challenge },
    body: { error: error.code, error_description: error.description },
  };
}

export function sendOAuthError(reply: FastifyReply, error: OAuthError): FastifyReply {
  const { status, headers, body } = oauthErrorAnswer(error, reply.request.headers.authorization);
  return reply.code(status).headers(headers).send(body);
}
