import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeEmail } from '../../domain/accounts/change-email.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { readEmail } from '../../domain/users/typed-email.js';
import { renderAccountEmailChangePage } from '../../pages/account-email-change-page.js';
import type { EmailChangeProblem } from '../../pages/problems.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { ownChange } from './own-change.js';

const STEP = 'email-change';
const PATH = '/account/email/change';

/** Another e-mail address. Whoever has it can have the password reset, so it takes a fresh proof. */
@AccountController(PATH)
export class EmailChangeController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly changeEmail: ChangeEmail,
    private readonly limits: CallerLimits,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit !== undefined) this.showForm(request, reply, visit);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const typed = form.get('email');
    const read = readEmail(typed, visit.user.email);
    if ('problem' in read) return this.showForm(request, reply, visit, typed, read.problem);
    await this.limits.admitMail(visit.user.id);
    const asked = { address: read.address, verified: false };
    await this.unitOfWork.run((tx) => this.changeEmail.executeOwn(tx, ownChange(visit), asked));
    void redirectTo(reply, '/account/email', 303);
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    typed?: string,
    problem?: EmailChangeProblem,
  ): void {
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountEmailChangePage({
          ...page,
          form: this.visits.form(visit, STEP, PATH),
          present: visit.user.email.address,
          email: typed,
          problem,
        }),
      { status: problem === undefined ? 200 : 400 },
    );
  }
}
