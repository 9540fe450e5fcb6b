import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import { settledSessions } from '../../domain/sessions/session.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderHomePage } from '../../pages/home-page.js';
import type { Page } from '../../pages/layout.js';
import { Pages } from '../shared/pages/pages.js';
import { RequestUserAgent } from '../shared/pages/request-user-agent.js';
import { AdministrationOffer } from './administration-offer.js';

/** The page at `/`: who is signed in, and links for administrators. */
@Controller()
export class HomeController {
  constructor(
    private readonly userAgent: RequestUserAgent,
    private readonly tokens: TokensStore,
    private readonly orgs: OrganizationsStore,
    private readonly administration: AdministrationOffer,
    private readonly pages: Pages,
  ) {}

  @Get('/')
  async home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const sessions = settledSessions(await this.userAgent.find(request));
    const organization = await this.orgs.findDefaultBranding();
    const subjects = await Promise.all(sessions.map(({ userId }) => this.tokens.findSubject(userId)));
    const signedInAs = subjects.flatMap((subject) => (subject === undefined ? [] : [subject.loginName]));
    const { administration, mailsWait } = await this.administration.find(request);
    const render = (page: Page): string =>
      renderHomePage({
        ...page,
        administration,
        signedInAs,
        mailsWait,
        signInUrl: '/login',
        signOutUrl: '/oidc/v1/end_session',
      });
    this.pages.send(request, reply, render, { organization });
  }
}
