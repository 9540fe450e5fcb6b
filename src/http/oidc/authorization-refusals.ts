import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { channelOfErrors } from '../../domain/authorize/checks/require-response-mode.js';
import { ServedResponses } from '../../domain/authorize/checks/served-responses.js';
import type { VerifiedClient } from '../../domain/authorize/request/validate-request.js';
import { Log } from '../../domain/shared/log.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { toOAuthError } from '../shared/oauth-errors.js';
import { AuthorizationResponses } from '../shared/pages/authorization-responses.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { StateCookie } from '../shared/pages/state-cookie.js';

/** How an authorization request is refused: on a page of ours until client and redirect URI are verified, there afterwards. */
@Injectable()
export class AuthorizationRefusals {
  constructor(
    private readonly errorPages: ErrorPages,
    private readonly responses: AuthorizationResponses,
    private readonly ssoCookie: SsoCookie,
    private readonly stateCookie: StateCookie,
    private readonly served: ServedResponses,
    private readonly log: Log,
  ) {}

  show(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    void this.errorPages.sendOAuth(request, reply, toOAuthError(error, request.id, this.log));
  }

  async redirect(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    { application, redirectUri, pushed, parameters: asked = parameters }: VerifiedClient,
    error: unknown,
  ): Promise<void> {
    const refusal = toOAuthError(error, request.id, this.log);
    const { code, description, reason } = refusal;
    this.log.info('authorization refused', { requestId: request.id, code, description, reason });
    // an application that looked because its session has ended elsewhere has the others look as well
    await this.stateCookie.refresh(reply, this.ssoCookie.read(request));
    const channel = pushed?.request ?? channelOfErrors(asked, redirectUri, this.served, application);
    const { organization } = application;
    await this.responses.send(request, reply, { request: channel, refusal }, application, { organization });
  }
}
