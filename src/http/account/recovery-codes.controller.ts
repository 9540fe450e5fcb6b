import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { MakeRecoveryCodes } from '../../domain/factors/recovery-codes/make-recovery-codes.js';
import { PasskeySettings } from '../../domain/passkeys/passkey.js';
import { inPerson } from '../../domain/permissions/acting.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import {
  renderAccountMadeCodesPage,
  renderAccountRecoveryCodesPage,
} from '../../pages/account-recovery-codes-pages.js';
import { readQuery } from '../shared/oauth-form.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { noticeOf } from './notices.js';

const STEP = 'recovery-codes';
const PATH = '/account/security/recovery-codes';

/** Codes for the day when the second factor is lost. The form's answer shows them; no address does. */
@AccountController(PATH)
export class RecoveryCodesController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly factors: FactorsStore,
    private readonly makeCodes: MakeRecoveryCodes,
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: PasskeySettings,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit === undefined) return;
    const { recoveryCodes: left } = await this.factors.findUsable(visit.session.userId);
    this.visits.send(request, reply, visit, (page) =>
      renderAccountRecoveryCodesPage({
        ...page,
        notice: noticeOf(readQuery(request).get('done'), page.texts),
        form: this.visits.form(visit, STEP, PATH),
        left,
      }),
    );
  }

  @Post()
  async make(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit } = submitted;
    const { orgId, userId } = visit.session;
    const { codes } = await this.unitOfWork.run((tx) =>
      this.makeCodes.execute(tx, { orgId, userId, ...inPerson(userId) }),
    );
    this.visits.send(request, reply, visit, (page) =>
      renderAccountMadeCodesPage({
        ...page,
        codes,
        loginName: visit.user.loginName,
        host: this.settings.rpId,
        address: PATH,
        nextUrl: '/account/security',
      }),
    );
  }
}
