import { Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderAccountSecurityPage } from '../../pages/account-security-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { noticeOf } from './notices.js';
import { SecuritySections } from './security-sections.js';

/** `/account/security`: by what one signs in. */
@AccountController('account/security')
export class SecurityController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly sections: SecuritySections,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const sections = await this.sections.read(visit);
    this.visits.send(request, reply, visit, (page) =>
      renderAccountSecurityPage({
        ...page,
        notice: noticeOf(readQuery(request).get('done'), page.texts),
        sections: sections(page.texts),
      }),
    );
  }
}
