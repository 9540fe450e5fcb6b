import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { RemoveTotp } from '../../domain/factors/totp/remove-totp.js';
import { inPerson } from '../../domain/permissions/acting.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountAppPage } from '../../pages/account-app-pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { doneAt } from './notices.js';
import { removeFactor } from './remove-factor.js';

const STEP = 'app';
const PATH = '/account/security/app';
const NEW = `${PATH}/new`;

/** The authenticator app that somebody has. */
@AccountController(PATH)
export class AppController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly factors: FactorsStore,
    private readonly removeTotp: RemoveTotp,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit === undefined) return;
    if (!(await this.factors.findUsable(visit.session.userId)).totp) return void redirectTo(reply, NEW, 302);
    this.visits.send(request, reply, visit, (page) =>
      renderAccountAppPage({ ...page, anotherUrl: NEW, remove: this.visits.form(visit, STEP, PATH) }),
    );
  }

  @Post()
  async remove(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { orgId, userId } = submitted.visit.session;
    const done = await removeFactor('appRemoved', () =>
      this.unitOfWork.run((tx) => this.removeTotp.ofOwn(tx, { orgId, userId, ...inPerson(userId) })),
    );
    void redirectTo(reply, doneAt('/account/security', done), 303);
  }
}
