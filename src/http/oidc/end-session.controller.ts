import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignOut, type SignOutRequest } from '../../domain/authorize/sign-out.js';
import { OAuthError } from '../../domain/shared/errors.js';
import { Log } from '../../domain/shared/log.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { AgentCookie } from '../shared/cookies.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { toOAuthError } from '../shared/oauth-errors.js';
import { FormBody, readForm, readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { redirectTo, withParameters } from '../shared/redirect.js';
import { renderSignedOutPage, renderSignOutPage } from '../login/pages/sign-out-pages.js';

const CARRIED = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const;

/** The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0 §2), and the confirmation behind it. */
@Controller()
export class EndSessionController {
  constructor(
    private readonly signOut: SignOut,
    private readonly agentCookie: AgentCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly log: Log,
  ) {}

  @Get('oidc/v1/end_session')
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, readQuery(request), false);
  }

  @Post('oidc/v1/end_session')
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(
      request,
      reply,
      request.body instanceof FormBody ? readForm(request) : readQuery(request),
      false,
    );
  }

  /** The confirmation page comes back here. */
  @Post('logout')
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    if (!this.csrf.holds(request, form.get('csrf'), 'sign-out', this.agentCookie.read(request) ?? '')) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    await this.answer(request, reply, form, true);
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    confirmed: boolean,
  ): Promise<void> {
    const agentSecret = this.agentCookie.read(request);
    let checked: SignOutRequest;
    try {
      checked = await this.signOut.check(parameters);
      const done = await this.signOut.run(checked, agentSecret, confirmed);
      if (!done) return this.askToConfirm(request, reply, parameters, agentSecret);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return void this.errorPages.sendOAuth(request, reply, toOAuthError(error, request.id, this.log));
    }
    const { redirectUri, state, organizationName } = checked;
    if (redirectUri !== undefined) {
      const status = request.method === 'GET' ? 302 : 303;
      return void redirectTo(reply, withParameters(redirectUri, { state }), status);
    }
    this.pages.send(request, reply, (page) => renderSignedOutPage(page), { organizationName });
  }

  private askToConfirm(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    agentSecret: string | undefined,
  ): void {
    const hidden = Object.fromEntries(CARRIED.map((name) => [name, parameters.get(name) ?? '']));
    const csrf = this.csrf.token('sign-out', agentSecret ?? '');
    const target = parameters.get('post_logout_redirect_uri');
    this.pages.send(
      request,
      reply,
      (page) => renderSignOutPage({ ...page, form: { action: '/logout', csrf, hidden } }),
      { formTarget: target },
    );
  }
}
