import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { MailsWait } from '../../domain/notifications/mails-wait.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import { settledSessions } from '../../domain/sessions/session.js';
import { UserAgents } from '../../domain/sessions/user-agents.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { assets } from '../../pages/design/assets.js';
import { renderHomePage, type AdministrationLinks } from '../../pages/home-page.js';
import type { Page } from '../../pages/layout.js';
import { sendAsset } from '../shared/assets.js';
import { DashboardAccess } from '../shared/dashboard-access.js';
import { ErrorPages } from '../shared/error-pages.js';
import { Pages } from '../shared/pages.js';
import { SsoCookie } from '../shared/sso-cookie.js';

/** The stylesheet and the icon, whose names change with their content, and the page at `/`. */
@Controller()
export class AssetsController {
  constructor(
    private readonly agents: UserAgents,
    private readonly tokens: TokensStore,
    private readonly orgs: OrganizationsStore,
    private readonly dashboard: DashboardAccess,
    private readonly mailsWait: MailsWait,
    private readonly ssoCookie: SsoCookie,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly config: Config,
  ) {}

  @Get('/')
  async home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const sessions = settledSessions(await this.agents.find(this.ssoCookie.read(request)));
    const organization = await this.orgs.findDefaultBranding();
    const subjects = await Promise.all(sessions.map(({ userId }) => this.tokens.findSubject(userId)));
    const signedInAs = subjects.flatMap((subject) => (subject === undefined ? [] : [subject.loginName]));
    const isAdministrator = typeof (await this.dashboard.decide(request)) === 'object';
    const mailsWait = isAdministrator && (await this.mailsWait.now());
    const render = (page: Page): string =>
      renderHomePage({
        ...page,
        administration: isAdministrator ? this.administrationLinks() : undefined,
        signedInAs,
        mailsWait,
        signInUrl: '/login',
        signOutUrl: '/oidc/v1/end_session',
      });
    this.pages.send(request, reply, render, { organization });
  }

  private administrationLinks(): AdministrationLinks {
    const issuer = this.config.app.issuer.url;
    return {
      discoveryUrl: `${issuer}/.well-known/openid-configuration`,
      keysUrl: `${issuer}/oauth/v2/keys`,
      apiReferenceUrl: `${issuer}/openapi`,
      dashboardUrl: `${issuer}/admin/queues`,
    };
  }

  @Get('assets/:name')
  asset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const asset = assets.get(request.url);
    if (asset === undefined) return void this.errorPages.send(request, reply, 'not-found', 404);
    sendAsset(reply, asset);
  }
}
