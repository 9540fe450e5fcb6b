import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../../domain/shared/errors.js';
import { renderErrorPage, renderExpiredPage, renderLinkOverPage } from '../login/pages/error-pages.js';
import type { ErrorKind } from '../login/texts/texts.js';
import { RETRY_AFTER_SECONDS } from './oauth-errors.js';
import { type PageOptions, Pages } from './pages.js';

const PARAMETER = /^(client_id|redirect_uri|response_type|id_token_hint|post_logout_redirect_uri|state)\b/;

/** Errors that a person sees, each with the reference that operators find in the log. */
@Injectable()
export class ErrorPages {
  constructor(private readonly pages: Pages) {}

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
    return this.pages.send(
      request,
      reply,
      (page) =>
        renderErrorPage({
          ...page,
          kind: unavailable ? 'unavailable' : ours ? 'server' : kind,
          error: error.code,
          parameter: PARAMETER.exec(error.description)?.[1],
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
  ): FastifyReply {
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
    return this.pages.send(
      request,
      reply,
      (page) => renderErrorPage({ ...page, kind, referenceId: request.id, retryAfterSeconds }),
      { status },
    );
  }

  /** The link of a mail that was used, or is too old. */
  sendLinkOver(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return this.pages.send(
      request,
      reply,
      (page) => renderLinkOverPage({ ...page, signInUrl: '/login', referenceId: request.id }),
      { status: 400 },
    );
  }

  /**
   * A flow that is over: answered, expired, or begun in another browser.
   * @param look of its pages, where the flow is known
   */
  sendExpired(
    request: FastifyRequest,
    reply: FastifyReply,
    beginAgainUrl?: string,
    { organization, uiLocales }: PageOptions = {},
  ): FastifyReply {
    return this.pages.send(
      request,
      reply,
      (page) => renderExpiredPage({ ...page, beginAgainUrl, referenceId: request.id }),
      { status: 400, organization, uiLocales },
    );
  }
}
