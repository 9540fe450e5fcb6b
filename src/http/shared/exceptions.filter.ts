import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REPORTS_PATH } from '../../domain/notifications/status-report-path.js';
import { ApiError } from '../../domain/shared/errors.js';
import { Log } from '../../domain/shared/log.js';
import { sendApiError } from './api-errors.js';
import { oauthErrorAnswer, sendOAuthError, toOAuthError } from './oauth-errors.js';
import { ErrorPages } from './pages/error-pages.js';
import { sendScimError } from './scim-errors.js';
import { TooManyRequests } from './server/address-limits.js';
import { KnownRoutes } from './server/known-routes.js';

const API = /^\/(?:management|admin|auth)\/v1(?:[/?]|$)/;
const SCIM = /^\/scim(?:[/?]|$)/;
const OAUTH =
  /^\/(?:oauth\/v2\/(?:token|par|device_authorization|register|introspect|revoke|keys)|oidc\/v1\/userinfo|\.well-known)(?:[/?]|$)/;
/** First segments under which programs call, whatever version they ask for. */
const CALLED_BY_PROGRAMS = /^\/(?:management|admin|auth|oauth|oidc|\.well-known|v[0-9][^/?]*)(?:[/?]|$)/i;
const JSON_TYPE = /\bjson\b/i;
/** What posts there reads nothing but the status. */
const REPORTS = new RegExp(`^${REPORTS_PATH}/`);
const TOO_LARGE = 413;

/**
 * The last filter: errors that no controller's own filter handled, and requests that reached no controller. The path
 * decides the format of the error.
 */
@Catch()
export class ExceptionsFilter implements ExceptionFilter {
  constructor(
    private readonly errorPages: ErrorPages,
    private readonly routes: KnownRoutes,
    private readonly log: Log,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (error instanceof HttpException && error.getStatus() === 404) return this.unmatched(request, reply);
    if (API.test(request.url)) return sendApiError(request, reply, error, this.log);
    if (SCIM.test(request.url)) return sendScimError(request, reply, error, this.log);
    if (OAUTH.test(request.url)) return void sendOAuthError(reply, toOAuthError(error, request.id, this.log));
    if (REPORTS.test(request.url)) return this.sendStatus(request, reply, error);
    if (error instanceof TooManyRequests) {
      return void this.errorPages.send(request, reply, 'too-many-requests', 429, error.retryAfterSeconds);
    }
    if (error instanceof ApiError && error.kind === 'not-found') {
      return void this.errorPages.send(request, reply, 'not-found', 404);
    }
    const oauthError = toOAuthError(error, request.id, this.log);
    void this.errorPages.sendOAuth(request, reply, oauthError);
  }

  private sendStatus(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const tooLarge = error instanceof HttpException && error.getStatus() === TOO_LARGE;
    const { status, headers } = oauthErrorAnswer(toOAuthError(error, request.id, this.log));
    void reply
      .code(tooLarge ? TOO_LARGE : status)
      .headers(headers)
      .send();
  }

  private unmatched(request: FastifyRequest, reply: FastifyReply): void {
    const path = request.url.split('?', 1)[0] ?? '';
    const allow = this.routes.methodsOf(path);
    if (allow.length > 0) void reply.header('allow', allow.join(', '));
    if (allow.length === 0) return this.unknown(request, reply);
    const error = new ApiError('method-not-allowed', 'Method Not Allowed');
    if (API.test(request.url)) return sendApiError(request, reply, error, this.log);
    if (SCIM.test(request.url)) return sendScimError(request, reply, error, this.log);
    if (OAUTH.test(request.url)) {
      return void reply
        .code(405)
        .header('cache-control', 'no-store')
        .send({ error: 'invalid_request', error_description: `use ${allow.join(' or ')}` });
    }
    this.errorPages.send(request, reply, 'not-found', 405);
  }

  private unknown(request: FastifyRequest, reply: FastifyReply): void {
    if (SCIM.test(request.url)) {
      return sendScimError(request, reply, new ApiError('not-found', 'Not Found'), this.log);
    }
    if (API.test(request.url) || isOfProgram(request)) {
      return sendApiError(request, reply, new ApiError('not-found', 'Not Found'), this.log);
    }
    this.errorPages.send(request, reply, 'not-found', 404);
  }
}

/** Whether a program asks, which can read JSON, or a person, who can read a page. Browsers name text/html. */
function isOfProgram({ url, headers }: FastifyRequest): boolean {
  const { accept = '', 'content-type': contentType = '' } = headers;
  if (accept.includes('text/html')) return false;
  return CALLED_BY_PROGRAMS.test(url) || JSON_TYPE.test(accept) || JSON_TYPE.test(contentType);
}

/** A URL that cannot be decoded (400), or whose parameter is longer than any id (404): reported in the path's format. */
export function sendUnroutable(request: FastifyRequest, reply: FastifyReply, code: string): FastifyReply {
  const malformed = code === 'FST_ERR_BAD_URL';
  const status = malformed ? 400 : 404;
  const message = malformed ? 'the URL is malformed' : 'Not Found';
  void reply.code(status).header('cache-control', 'no-store').type('application/json; charset=utf-8');
  return !malformed || API.test(request.url)
    ? reply.send(JSON.stringify({ code: malformed ? 3 : 5, message }))
    : reply.send(JSON.stringify({ error: 'invalid_request', error_description: message }));
}
