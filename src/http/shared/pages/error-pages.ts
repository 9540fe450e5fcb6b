import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ParameterError, type OAuthError } from '../../../domain/shared/errors.js';
import { Log, type LogFields } from '../../../domain/shared/log.js';
import {
  renderErrorPage,
  renderExpiredPage,
  renderLinkOverPage,
  type ErrorPage,
  type LinkOrigin,
} from '../../../pages/error-pages.js';
import type { ErrorKind } from '../../../pages/problems.js';
import { RETRY_AFTER_SECONDS } from '../oauth-errors.js';
import { Pages, type PageOptions } from './pages.js';

const PARAMETER = /^(client_id|redirect_uri|response_type|id_token_hint|post_logout_redirect_uri|state)\b/;

/** Errors that a person sees, each with the reference that operators find in the log. */
@Injectable()
export class ErrorPages {
  constructor(
    private readonly pages: Pages,
    private readonly log: Log,
  ) {}

  /** An OAuth error that must not travel: no redirect, our own page. */
  sendOAuth(
    request: FastifyRequest,
    reply: FastifyReply,
    error: OAuthError,
    kind: 'request' | 'sign-out-request' = 'request',
  ): FastifyReply {
    const unavailable = error.code === 'temporarily_unavailable';
    const ours = unavailable || error.code === 'server_error';
    if (unavailable) void reply.header('retry-after', RETRY_AFTER_SECONDS);
    // no value of a parameter is in it, only names: it can be logged, and it is what operators are asked about
    this.record(request, { kind, code: error.code, description: error.description, reason: error.reason });
    return this.pages.send(
      request,
      reply,
      (page) =>
        renderErrorPage({
          ...page,
          kind: unavailable ? 'unavailable' : ours ? 'server' : kind,
          error: error.code,
          ...(error instanceof ParameterError
            ? { parameter: error.parameter, fault: error.fault }
            : { parameter: PARAMETER.exec(error.description)?.[1] }),
          description: ours ? undefined : error.description,
          referenceId: request.id,
        }),
      { status: unavailable ? 503 : ours ? 500 : 400 },
    );
  }

  send(
    request: FastifyRequest,
    reply: FastifyReply,
    kind: ErrorKind,
    status: number,
    retryAfterSeconds?: number,
    { wayOn, organization, uiLocales }: Pick<ErrorPage, 'wayOn'> & PageOptions = {},
  ): FastifyReply {
    this.record(request, { kind });
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
    return this.pages.send(
      request,
      reply,
      (page) => renderErrorPage({ ...page, kind, referenceId: request.id, retryAfterSeconds, wayOn }),
      { status, organization, uiLocales },
    );
  }

  /** A link that was used, or is too old. */
  sendLinkOver(request: FastifyRequest, reply: FastifyReply, cameBy: LinkOrigin = 'mail'): FastifyReply {
    this.record(request, { kind: 'link-over' });
    return this.pages.send(
      request,
      reply,
      (page) => renderLinkOverPage({ ...page, cameBy, signInUrl: '/login', referenceId: request.id }),
      { status: 400 },
    );
  }

  /**
   * A flow that is over: answered, expired, or begun in another browser.
   * @param branding of its pages, where the flow is known
   */
  sendExpired(
    request: FastifyRequest,
    reply: FastifyReply,
    beginAgainUrl?: string,
    { organization, uiLocales }: PageOptions = {},
  ): FastifyReply {
    this.record(request, { kind: 'expired' });
    return this.pages.send(
      request,
      reply,
      (page) => renderExpiredPage({ ...page, beginAgainUrl, referenceId: request.id }),
      { status: 400, organization, uiLocales },
    );
  }

  /** What the reference on the page leads to. Pages that nobody has are for debugging: strangers ask for thousands. */
  private record(request: FastifyRequest, fields: LogFields & { readonly kind: string }): void {
    const line = { requestId: request.id, ...fields };
    if (fields.kind === 'not-found') this.log.debug('error page', line);
    else this.log.info('error page', line);
  }
}
