import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadSignOutRequest } from '../../domain/authorize/sign-out/read-sign-out-request.js';
import { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { repeatAsGet } from '../shared/pages/redirect.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { AnswerSignOut } from './answer-sign-out.js';
import { AGAIN, END_SESSION_PATH, SignOutPages } from './sign-out-pages.js';

/** The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0 §2), and the confirmation behind it. */
@Controller()
export class EndSessionController {
  constructor(
    private readonly readSignOut: ReadSignOutRequest,
    private readonly answerSignOut: AnswerSignOut,
    private readonly pages: SignOutPages,
    private readonly ssoCookie: SsoCookie,
  ) {}

  @Get(END_SESSION_PATH)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, readQuery(request), false);
  }

  @Post(END_SESSION_PATH)
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const again = form.get(AGAIN);
    if (again !== undefined) {
      return await this.answer(request, reply, OAuthParameters.read(new URLSearchParams(again)), false);
    }
    if (this.ssoCookie.read(request) === undefined) {
      // a non-browser client gets the redirect itself
      if (!isOfBrowser(request)) return void repeatAsGet(request, reply, END_SESSION_PATH);
      return await this.askAgain(request, reply, form);
    }
    await this.answer(request, reply, form, false);
  }

  /**
   * A form that an application posts from its own site comes without the SameSite=Lax cookie, and the browser looks like a new one
   * (RFC 6265bis §5.6.7). A page of ours sends it once more, with the cookie: as a form again, of whatever length, since an ID token
   * in an address would stand in histories and in the logs of proxies (RFC 9700 §4.3; security S410).
   */
  private async askAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
  ): Promise<void> {
    try {
      const checked = await this.readSignOut.execute(parameters);
      this.pages.askAgain(request, reply, parameters, checked);
    } catch (error) {
      this.pages.refuse(request, reply, error);
    }
  }

  /** For people who type the address: asks whether they want to, and never signs out by itself. */
  @Get('logout')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, OAuthParameters.read(new URLSearchParams()), false);
  }

  /** The confirmation page comes back here. */
  @Post('logout')
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const carried = this.pages.confirmed(request, reply, form);
    if (carried !== undefined) await this.answer(request, reply, carried, true);
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    confirmed: boolean,
  ): Promise<void> {
    const browser = { userAgentSecret: this.ssoCookie.read(request), confirmed };
    await this.answerSignOut.execute(request, reply, parameters, browser);
  }
}

/**
 * Whether a page sent the form. A program that posts it on its user's behalf, as zitadel/oidc does, reads no pages and leads its user to
 * where the answer points: here, where their browser has the cookie.
 */
function isOfBrowser({ headers }: FastifyRequest): boolean {
  const { origin, accept = '' } = headers;
  return origin !== undefined || headers['sec-fetch-mode'] !== undefined || accept.includes('text/html');
}
