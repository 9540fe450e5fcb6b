import { Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FRESH_SECONDS } from '../../domain/sessions/proof.js';
import { renderAccountOverviewPage } from '../../pages/account-overview-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { noticeOf } from './notices.js';
import { OverviewSections } from './overview-sections.js';
import { WantedPage } from './wanted-page.js';

/** `/account`: one's own account at a glance. */
@AccountController('account')
export class OverviewController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly sections: OverviewSections,
    private readonly wanted: WantedPage,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const { user, session } = visit;
    // whoever gave up the sign-in, and comes here otherwise, wants this page
    const wanted = this.wanted.take(request, reply);
    if (wanted !== undefined && session.authAgeSeconds <= FRESH_SECONDS) {
      return void redirectTo(reply, wanted, 302);
    }
    const sections = await this.sections.read(visit);
    this.visits.send(request, reply, visit, (page) =>
      renderAccountOverviewPage({
        ...page,
        loginName: user.loginName,
        displayName: user.profile.displayName,
        notice: noticeOf(readQuery(request).get('done'), page.texts),
        sections: sections(page.texts),
        otherAccountUrl: visit.sessions.length > 1 ? '/account/accounts' : '/login?destination=account',
        signOutUrl: '/oidc/v1/end_session',
      }),
    );
  }
}
