import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { BeginTotp } from '../../domain/factors/totp/begin-totp.js';
import { FinishTotp } from '../../domain/factors/totp/finish-totp.js';
import { inPerson } from '../../domain/permissions/acting.js';
import type { Session } from '../../domain/sessions/session.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountNewAppPage, type AccountNewAppPage } from '../../pages/account-app-pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { statusOf } from '../shared/server/busy.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt, pageAfterFactor } from './notices.js';
import { unlessRefused } from './unless-refused.js';

const STEP = 'new-app';
const PATH = '/account/security/app/new';

/** An authenticator app is set up, in place of another one or as the first. */
@AccountController(PATH)
export class NewAppController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly beginTotp: BeginTotp,
    private readonly finishTotp: FinishTotp,
    private readonly factors: FactorsStore,
    private readonly limits: AddressLimits,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit !== undefined) await this.showForm(request, reply, visit);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const code = form.get('code');
    if (code === undefined) return await this.showForm(request, reply, visit, 'code-missing');
    const tried = await this.limits.tryProof(request, async () => {
      const result = await this.finishTotp.evaluate(whoOf(visit.session), code);
      return { result, failed: result.kind === 'wrong' };
    });
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.showForm(request, reply, visit, 'too-many-attempts');
    }
    const { result } = tried;
    if (result.kind === 'wrong') return await this.showForm(request, reply, visit, 'code-not-valid');
    // too late, or another tab has restarted: show the current QR code
    if (result.kind !== 'right') return void redirectTo(reply, PATH, 303);
    await this.unitOfWork.run((tx) => result.store(tx));
    const usable = await this.factors.findUsable(visit.session.userId);
    void redirectTo(reply, doneAt(pageAfterFactor(usable), 'app'), 303);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    problem?: AccountNewAppPage['problem'],
  ): Promise<void> {
    const begun = await unlessRefused({ 'COMMAND-To3k8': 'factorNotUsed' }, () =>
      this.beginTotp.resume(whoOf(visit.session)),
    );
    if ('problem' in begun) return void redirectTo(reply, doneAt('/account/security', begun.problem), 303);
    const { secret, address } = begun.result;
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountNewAppPage({
          ...page,
          problem,
          form: this.visits.form(visit, STEP, PATH),
          secret,
          otpauth: address,
        }),
      { status: statusOf(problem && [problem]) },
    );
  }
}

function whoOf({ id, orgId, userId }: Session) {
  return { orgId, userId, session: id, ...inPerson(userId) };
}
