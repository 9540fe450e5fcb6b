import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddCodeFactor } from '../../domain/factors/codes/add-code-factor.js';
import { RemoveCodeFactor } from '../../domain/factors/codes/remove-code-factor.js';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessUnchecked } from '../shared/server/busy.js';
import { AccountController } from './account-controller.js';
import { codeFactorPath, CodesPage, whoOf } from './codes-page.js';
import { doneAt, pageAfterFactor } from './notices.js';
import { ownChange } from './own-change.js';
import { removeFactor } from './remove-factor.js';
import { unlessRefused } from './unless-refused.js';

const SECURITY = '/account/security';
/** Why no code is sent, by the errors' ids. */
const REFUSALS = {
  'COMMAND-Cf3k8': 'factorNotUsed',
  'COMMAND-Cf4v1': 'factorNotVerified',
  'COMMAND-Cf5r2': 'factorJustReset',
} as const;
const DONE = {
  email: { added: 'emailCodes', removed: 'emailCodesOff' },
  sms: { added: 'smsCodes', removed: 'smsCodesOff' },
} as const;

/** Codes by e-mail or SMS as a second factor: turned on by one that arrived, and off. */
@AccountController(`${SECURITY}/codes/:kind`)
export class CodesController {
  constructor(
    private readonly page: CodesPage,
    private readonly factors: FactorsStore,
    private readonly addCodeFactor: AddCodeFactor,
    private readonly removeCodeFactor: RemoveCodeFactor,
    private readonly limits: AddressLimits,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') given: string,
  ): Promise<void> {
    await this.page.open(request, reply, given);
  }

  @Post()
  async submit(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') given: string,
  ): Promise<void> {
    const submitted = await this.page.submitted(request, reply, given);
    if (submitted === undefined) return;
    const { kind, visit, form } = submitted;
    const code = form.get('code');
    if (code === undefined) return await this.page.show(request, reply, visit, kind, 'code-missing');
    const checked = await unlessUnchecked(reply, () =>
      this.limits.tryProof(request, async () => {
        const result = await this.addCodeFactor.evaluate(whoOf(visit.session), kind, code);
        return { result, failed: result.kind === 'wrong' };
      }),
    );
    if (checked === 'code-unchecked') return await this.page.show(request, reply, visit, kind, checked);
    const { result: tried } = checked;
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.page.show(request, reply, visit, kind, 'too-many-attempts');
    }
    const { result } = tried;
    if (result.kind === 'wrong') return await this.page.show(request, reply, visit, kind, 'code-not-valid');
    const stored = await unlessRefused({ 'CODE-woT0xc': 'code-not-valid' }, () =>
      this.unitOfWork.run((tx) => result.store(tx)),
    );
    // used up meanwhile, in another window
    if ('problem' in stored) return await this.page.show(request, reply, visit, kind, stored.problem);
    const usable = await this.factors.findUsable(visit.session.userId);
    void redirectTo(reply, doneAt(pageAfterFactor(usable), DONE[kind].added), 303);
  }

  /** Under all limits of messages; what comes too soon sends nothing, and the page shows when to try again. */
  @Post('send')
  async send(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') given: string,
  ): Promise<void> {
    const submitted = await this.page.submitted(request, reply, given);
    if (submitted === undefined) return;
    const { kind, visit } = submitted;
    const who = whoOf(visit.session);
    const begun = await unlessRefused(REFUSALS, () =>
      this.addCodeFactor.begin(who, kind, addressGroup(request.ip)),
    );
    if ('problem' in begun) return void redirectTo(reply, doneAt(SECURITY, begun.problem), 303);
    const path = codeFactorPath(kind);
    void redirectTo(reply, begun.result ? `${path}?sent=code` : `${path}?sent=none`, 303);
  }

  @Post('remove')
  async remove(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') given: string,
  ): Promise<void> {
    const submitted = await this.page.submitted(request, reply, given);
    if (submitted === undefined) return;
    const { kind, visit } = submitted;
    const done = await removeFactor(DONE[kind].removed, () =>
      this.unitOfWork.run((tx) => this.removeCodeFactor.ofOwn(tx, ownChange(visit), kind)),
    );
    void redirectTo(reply, doneAt(SECURITY, done), 303);
  }
}
