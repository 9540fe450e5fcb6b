import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { MailAvailability } from '../../domain/notifications/mail-availability.js';
import type { AdministrationLinks } from '../../pages/home-page.js';
import { DashboardAccess } from '../shared/dashboard-access.js';

/** What the page at `/` has for administrators. */
@Injectable()
export class AdministrationOffer {
  constructor(
    private readonly dashboard: DashboardAccess,
    private readonly mail: MailAvailability,
    private readonly config: Config,
  ) {}

  async find(
    request: FastifyRequest,
  ): Promise<{ readonly administration: AdministrationLinks | undefined; readonly mailsWait: boolean }> {
    const isAdministrator = typeof (await this.dashboard.decide(request)) === 'object';
    if (!isAdministrator) return { administration: undefined, mailsWait: false };
    return { administration: this.links(), mailsWait: !(await this.mail.canSend()) };
  }

  private links(): AdministrationLinks {
    const issuer = this.config.app.issuer.url;
    return {
      discoveryUrl: `${issuer}/.well-known/openid-configuration`,
      keysUrl: `${issuer}/oauth/v2/keys`,
      apiReferenceUrl: `${issuer}/openapi`,
      dashboardUrl: `${issuer}/admin/queues`,
    };
  }
}
