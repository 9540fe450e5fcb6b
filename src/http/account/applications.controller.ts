import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConsentsStore } from '../../domain/consents/consents.store.js';
import { DisconnectApplication } from '../../domain/consents/disconnect-application.js';
import { Clock } from '../../domain/shared/clock.js';
import type { ApplicationId } from '../../domain/shared/ids.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountApplicationsPage } from '../../pages/account-applications-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { doneAt, noticeOf } from './notices.js';

const STEP = 'applications';
const PATH = '/account/applications';

/** The applications that know the user or act for them, and taking that away. */
@AccountController(PATH)
export class ApplicationsController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly consents: ConsentsStore,
    private readonly disconnect: DisconnectApplication,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const found = await this.consents.listConnected(visit.session);
    const applications = found.map(({ id, ...application }) => ({
      ...application,
      revoke: this.visits.form(visit, STEP, PATH, { target: id }),
    }));
    this.visits.send(request, reply, visit, (page) =>
      renderAccountApplicationsPage({
        ...page,
        notice: noticeOf(readQuery(request).get('done'), page.texts),
        applications,
        organizationName: page.organization.name,
        now: new Date(this.clock.nowMs()),
      }),
    );
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const target = form.get('target') as ApplicationId | undefined;
    if (target === undefined) return void redirectTo(reply, PATH, 303);
    const { orgId, userId } = visit.session;
    await this.unitOfWork.run((tx) => this.disconnect.execute(tx, { orgId, userId }, target));
    void redirectTo(reply, doneAt(PATH, 'application'), 303);
  }
}
