import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Config } from '../../config/config.js';
import { renderCheckSessionPage, type CheckSessionPage } from '../../pages/check-session-page.js';

/** `check_session_iframe` (OpenID Connect Session Management 1.0 §3.3): the same page for everybody. */
@Controller()
export class CheckSessionController {
  private readonly page: CheckSessionPage;

  constructor(config: Config) {
    this.page = renderCheckSessionPage(config.app.issuer.secure);
  }

  @Get('oidc/v1/check_session')
  show(@Res() reply: FastifyReply): void {
    const { markup, policy } = this.page;
    void reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': policy,
      })
      .send(markup);
  }
}
